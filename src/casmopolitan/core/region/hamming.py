"""TR_h (Eq. 2): the points that differ from the centre in at most L^h discrete variables.

As printed, Eq. (2) sums δ(h_i, h*_i), the agreements; the text above it means the differences, Σ_i (1 - δ(h_i, h*_i)) <= L^h.
"""

from __future__ import annotations

import numpy as np

from casmopolitan.core.conditions import Conditions
from casmopolitan.core.points import Array, Codes, Points

BLOCK = 100_000
"""Random keys compared at a time: few enough for the processor's cache."""


def distance(h: Codes, centre: Codes) -> Codes:
    """Return how many variables differ from the centre.   h: (n, d_h)   centre: (d_h,)   ->   (n,)"""
    differences: Codes = np.count_nonzero(h != centre, axis=1)
    return differences


def step(h: Codes, levels: Codes, rng: np.random.Generator) -> Codes:
    """Draw one neighbour at distance one per row: a random variable that can change, and another value for it."""
    n = len(h)
    able = np.flatnonzero(levels > 1)
    which = able[rng.integers(0, len(able), size=n)]
    moved = h.copy()
    other = rng.integers(0, levels[which] - 1)
    moved[np.arange(n), which] = other + (other >= h[np.arange(n), which])
    return moved


def step_active(points: Points, conditions: Conditions, spare: Points, rng: np.random.Generator) -> Points:
    """Draw one neighbour per row as `step` does, of an active variable; variables that become active are as in `spare`."""
    levels, rows = conditions.levels, np.arange(len(points))
    able = (levels > 1) & conditions.active(points.h)[:, : conditions.d_h]
    which = np.argmax(np.where(able, rng.random(able.shape), -1.0), axis=1)
    other = rng.integers(0, np.maximum(levels[which] - 1, 1))
    return conditions.changed(points, which, other + (other >= points.h[rows, which]), spare)


def sample(centre: Codes, levels: Codes, radius: int, n: int, rng: np.random.Generator, fewest: int = 1) -> Codes:
    """Draw n points of the ball: a uniform number of changes in fewest..radius, then the variables and their new values.

    Points uniform over the ball would nearly all lie on its rim, because the number of points grows with the distance.
    """
    able = np.flatnonzero(levels > 1)
    radius = min(radius, len(able))
    if radius <= 0 or n == 0:
        return np.tile(centre, (n, 1))
    count = rng.integers(fewest, radius + 1, size=n)
    chosen = np.zeros((n, len(levels)), dtype=bool)
    rows_at_once = max(1, BLOCK // len(able))
    for first in range(0, n, rows_at_once):
        part = slice(first, first + rows_at_once)
        keys: Array = rng.random((len(chosen[part]), len(able)))
        bound = np.sort(keys, axis=1)[np.arange(len(keys)), count[part] - 1]
        chosen[part, able] = (keys <= bound[:, None]) & (count[part, None] > 0)  # the `count` smallest keys
    if (levels <= 2).all():  # only one other value: there is nothing to draw
        return centre ^ chosen
    h = np.tile(centre, (n, 1))
    rows, which = np.nonzero(chosen)
    other = rng.integers(0, levels[which] - 1)
    h[rows, which] = other + (other >= centre[which])
    return h
