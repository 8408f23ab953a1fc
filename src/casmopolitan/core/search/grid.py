"""Integers and stepped reals: rounding after a gradient step, then single and geometric steps along the grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.points import Array, Points
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search.eligibility import Eligibility


@dataclass(frozen=True, eq=False)
class Climb:
    """The current points of all climbers and their values; -inf if the point is not eligible."""

    points: Points
    values: Array


def stepped(climb: Climb, score: Score, around: Neighbourhood, eligibility: Eligibility) -> Climb:
    """Try one, two, four, ... grid steps up and down in every gridded coordinate; move to the best eligible point if better.

    All climbers try their steps along one coordinate together, in one evaluation of the score.
    """
    axes, active = around.domain.axes, around.domain.active(climb.points)
    points, values = climb.points, climb.values
    for k in around.domain.grids:
        count = axes[k].count or 1
        strides = 2 ** np.arange(max(1, int(count).bit_length()))
        strides = np.concatenate([strides, -strides])
        climbers = np.flatnonzero(active[:, around.domain.d_h + k])
        index = np.clip(axes[k].index(points.x[climbers, k])[:, None] + strides, 0, count - 1)
        owner = np.repeat(climbers, len(strides))
        x = points.x[owner]
        x[:, k] = axes[k].at(index.ravel())
        tried = Points(points.h[owner], x)
        inside = around.contains(tried)
        tried, owner = tried[inside], owner[inside]
        if not eligibility.domain.costly:
            eligible = eligibility.admits(tried)
            tried, owner = tried[eligible], owner[eligible]
        scored = score(tried) if len(tried) else np.empty(0)
        reached, values = points.x.copy(), values.copy()
        for i in np.unique(owner):
            rows = np.flatnonzero(owner == i)
            row = _best_row(tried[rows], scored[rows], float(values[i]), eligibility)
            if row is not None:
                reached[i], values[i] = tried.x[rows[row]], scored[rows[row]]
        points = Points(points.h, reached)
    return Climb(points, values)


def _best_row(tried: Points, scored: Array, value: float, eligibility: Eligibility) -> int | None:
    """Return the best row with more than `value`, None if there is none; a costly constraint is checked best first."""
    for row in np.argsort(-scored, kind="stable").tolist():
        if not scored[row] > value:
            return None
        if not eligibility.domain.costly or eligibility.admits(tried[row])[0]:
            return int(row)
    return None
