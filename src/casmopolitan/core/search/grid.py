"""Integers and stepped reals: rounding after a gradient step, then single and geometric steps along the grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casmopolitan.core.acquisition.score import Score
from casmopolitan.core.points import Array, Points
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search.admission import Admission


@dataclass(frozen=True, eq=False)
class Climb:
    """Where the climbers stand: points and their values; -inf for one that stands where nothing may be suggested."""

    points: Points
    values: Array


def stepped(climb: Climb, score: Score, around: Neighbourhood, admission: Admission) -> Climb:
    """Gridded coordinates: one, two, four, ... grid steps up and down, the best admitted one taken, until none is better."""
    axes = around.domain.axes
    points, values = climb.points, climb.values
    for k in around.domain.grids:
        count = axes[k].count or 1
        strides = 2 ** np.arange(max(1, int(count).bit_length()))
        strides = np.concatenate([strides, -strides])
        for i in range(len(points)):
            index = np.clip(axes[k].index(points.x[i : i + 1, k]) + strides, 0, count - 1)
            x = np.repeat(points.x[i : i + 1], len(strides), axis=0)
            x[:, k] = axes[k].at(index)
            tried = Points(np.repeat(points.h[i : i + 1], len(strides), axis=0), x)
            tried = tried[around.contains(tried)]
            tried = tried[admission.admits(tried)] if len(tried) else tried
            if not len(tried):
                continue
            scored = score(tried)
            best = int(np.argmax(scored))
            if scored[best] > values[i]:
                changed = points.x.copy()
                changed[i] = tried.x[best]
                points, values = Points(points.h, changed), values.copy()
                values[i] = scored[best]
    return Climb(points, values)
