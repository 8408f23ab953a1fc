"""The mean of the process where it is not zero: a bowl around the middle of the ranges of x and of ordinal variables.

    m(z) = β φ(z),    φ(z) = Σ_k ( (u_k - ½)² - m_k ) / √( Σ_k v_k ),    β >= 0,   β ~ N(0, 1) before any data,

where u_k is a coordinate of x or where an ordinal's level lies in [0, 1], and m_k and v_k are mean and variance of (u_k - ½)²
under the uniform distribution, 1/12 and 1/180 without a grid, so that φ has mean 0 and variance 1. A stationary kernel cannot
say that extremes are worse than middling values, and with many variables nearly all of the space is extreme: where it knows
nothing, it would send the search into corners. How steep the bowl is, if at all, is one number, which the initial sample tells
well.

β is taken at its most probable value: deviations say nothing of how unsure it is. φ is centred on the whole space, as targets
are on a sample of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from casmopolitan.core.arrays import Array, Codes
from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Axis, Points

FINE = 1000
"""A grid of more values than this is as good as none."""

FLAT = 1e-12
"""A variance of (u - ½)² below this is rounding: all values are as far from the middle."""


@dataclass(frozen=True, eq=False)
class Bowl:
    """φ: which axes have a middle to speak of (1, else 0), the height of every level of h, Σ m_k and √Σ v_k over all of them.

    Variable j's heights begin at `first[j]`: (p - ½)² for an ordinal, 0 for a categorical one, which has no middle.
    """

    counted: Array
    heights: Array
    first: Codes
    middle: float
    spread: float

    @classmethod
    def of(cls, domain: Domain) -> Bowl | None:
        """The bowl of a domain; None where no variable has more than two values in an order: both are extremes."""
        moments = np.array([square_moments(axis) for axis in domain.axes]).reshape(-1, 2)
        counted = (moments[:, 1] > FLAT).astype(float)
        (middle, variance), heights = counted @ moments, []
        for n, positions in zip(domain.levels, domain.positions, strict=True):
            squares = np.zeros(n) if positions is None else (positions - 0.5) ** 2
            squares = squares if squares.var() > FLAT else np.zeros(n)
            middle, variance = middle + squares.mean(), variance + squares.var()
            heights.append(squares)
        if not variance > 0:
            return None
        first = np.cumsum([0, *domain.levels[:-1]], dtype=np.int64)[: domain.d_h]
        return cls(counted, np.concatenate([np.empty(0), *heights]), first, float(middle), math.sqrt(variance))

    def __call__(self, points: Points) -> Array:
        """φ at every point."""
        height: Array = (points.x - 0.5) ** 2 @ self.counted + self.heights[self.first + points.h].sum(axis=1)
        return (height - self.middle) / self.spread

    def rise(self, which: Codes, before: Codes, after: Codes) -> Array:
        """What φ gains where variables `which` of h go from the levels `before` to the levels `after`."""
        first = self.first[which]
        rise: Array = (self.heights[first + after] - self.heights[first + before]) / self.spread
        return rise

    def gradient(self, x: Array) -> Array:
        """∂φ/∂x: (n, d_x)."""
        gradient: Array = (2.0 / self.spread) * self.counted * (x - 0.5)
        return gradient


def square_moments(axis: Axis) -> tuple[float, float]:
    """Mean and variance of (u - ½)² for u drawn from the axis as a random point is."""
    if axis.count is None or axis.count > FINE:
        return 1 / 12, 1 / 180
    drawn = axis.snapped((np.arange(FINE) + 0.5) / FINE) if axis.log else axis.at(np.arange(axis.count))
    squares = (drawn - 0.5) ** 2
    return float(squares.mean()), float(squares.var())


def best_steepness(by_y: float, by_bowl: float) -> float:
    """β of largest posterior density given φᵀK̃⁻¹y and φᵀK̃⁻¹φ; never a dome, which would praise the corners."""
    return float(np.maximum(0.0, by_y / (by_bowl + 1.0)))  # not max: it would make a number of nan
