"""Integers and stepped reals: rounding after a gradient step, then single and geometric steps along the grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.points import Array, Points
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search.eligibility import Candidate, Eligibility, best_eligible


@dataclass(frozen=True, eq=False)
class Climb:
    """The current points of all climbers and their values; -inf if the point is not eligible."""

    points: Points
    values: Array


def stepped(climb: Climb, score: Score, around: Neighbourhood, eligibility: Eligibility) -> Climb:
    """Try one, two, four, ... grid steps up and down in every gridded coordinate; move to the best eligible point if better."""
    axes = around.domain.axes
    points, values = climb.points, climb.values
    for k in around.domain.grids:
        count = axes[k].count or 1
        strides = 2 ** np.arange(max(1, int(count).bit_length()))
        strides = np.concatenate([strides, -strides])
        for i in np.flatnonzero(around.domain.active(points)[:, around.domain.d_h + k]).tolist():
            index = np.clip(axes[k].index(points.x[i : i + 1, k]) + strides, 0, count - 1)
            x = np.repeat(points.x[i : i + 1], len(strides), axis=0)
            x[:, k] = axes[k].at(index)
            tried = Points(np.repeat(points.h[i : i + 1], len(strides), axis=0), x)
            tried = tried[around.contains(tried)]
            found = _best(tried, score, eligibility, Candidate(points[i], float(values[i]))) if len(tried) else None
            if found is not None and found.value > values[i]:
                changed = points.x.copy()
                changed[i] = found.point.x[0]
                points, values = Points(points.h, changed), values.copy()
                values[i] = found.value
    return Climb(points, values)


def _best(tried: Points, score: Score, eligibility: Eligibility, standing: Candidate) -> Candidate | None:
    """Return the best eligible point; a costly constraint is checked for better points only, best first."""
    if eligibility.domain.costly:
        return best_eligible(tried, score(tried), eligibility, standing)
    tried = tried[eligibility.admits(tried)]
    if not len(tried):
        return None
    scored = score(tried)
    best = int(np.argmax(scored))
    return Candidate(tried[best], float(scored[best]))
