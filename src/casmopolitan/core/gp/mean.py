"""A prior mean that is not zero: a bowl around the middle of the ranges of x and of ordinal variables.

    m(z) = β φ(z),    φ(z) = Σ_k ( (p_k - ½)² - m_k ) / √( Σ_k v_k ),    β >= 0,   prior β ~ N(0, 1)

p_k is a coordinate of x, or the position of the level of an ordinal variable in [0, 1]. m_k and v_k are mean and variance of
(p_k - ½)² under the uniform distribution (1/12 and 1/180 without a grid), so that φ has mean 0 and variance 1.

A stationary kernel cannot express that the ends of the ranges are worse than their middle. With many variables nearly every
point is close to some end, so the search would move to corners where the model has no data. The steepness β is a single
number, which the initial sample determines well; it may be zero.

β is fixed at its most probable value, and deviations do not include its uncertainty. A clear bowl needs evidence: its β is 0
unless the most probable value is at least CLEAR posterior standard deviations above 0. The hyperparameters are fitted with the
bowl in both cases. φ is centred on the whole space, as the targets are centred on a sample of it. Inactive variables
(`conditions.py`) add nothing to φ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from casmopolitan.core.conditions import Conditions
from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Array, Axis, Codes, Points

FINE = 1000
"""A grid of more values than this counts as continuous: its moments differ from 1/12 and 1/180 by less than 1 %."""

CLEAR = 2.0
"""The steepness of a clear bowl is at least this many posterior standard deviations above 0."""

FLAT = 1e-12
"""A variance of (p - ½)² below this is rounding error: all values are equally far from the middle."""


@dataclass(frozen=True, eq=False)
class Bowl:
    """φ: which axes count (1, else 0), the height of every level of h, `middle` = Σ m_k and `spread` = √Σ v_k.

    The heights of variable j start at `first[j]`: (p - ½)² for an ordinal variable, 0 for a categorical one. `mean` holds m_k
    of the axes that count. `least`: β is 0 unless it is at least this many posterior standard deviations above 0.
    """

    counted: Array
    heights: Array
    first: Codes
    middle: float
    spread: float
    mean: Array
    conditions: Conditions | None = None
    least: float = 0.0

    @classmethod
    def of(cls, domain: Domain, least: float = 0.0) -> Bowl | None:
        """Return the bowl of a domain; None if no ordinal or continuous variable has more than two values."""
        moments = np.array([square_moments(axis) for axis in domain.axes]).reshape(-1, 2)
        counted = (moments[:, 1] > FLAT).astype(float)
        (middle, variance), first = counted @ moments, np.cumsum(domain.codes) - domain.codes
        heights = np.zeros(int(domain.codes.sum()))
        for j, positions in enumerate(domain.positions):
            squares = None if positions is None else (positions - 0.5) ** 2
            if squares is not None and squares.var() > FLAT:
                middle, variance = middle + squares.mean(), variance + squares.var()
                heights[first[j] : first[j] + domain.codes[j]] = squares.mean()  # of an inactive variable
                heights[first[j] : first[j] + len(squares)] = squares
        if not variance > 0:
            return None
        mean = counted * moments[:, 0]
        return cls(counted, heights, first, float(middle), math.sqrt(variance), mean, domain.conditions, least)

    def __call__(self, points: Points) -> Array:
        """Return φ at every point."""
        height: Array = (points.x - 0.5) ** 2 @ self.counted + self.heights[self.first + points.h].sum(axis=1)
        if self.conditions is not None:
            height += ~self.conditions.active(points.h)[:, self.conditions.d_h :] @ self.mean
        return (height - self.middle) / self.spread

    def rise(self, which: Codes, before: Codes, after: Codes) -> Array:
        """Return the change of φ if variables `which` of h go from the levels `before` to the levels `after`."""
        first = self.first[which]
        rise: Array = (self.heights[first + after] - self.heights[first + before]) / self.spread
        return rise

    def gradient(self, x: Array) -> Array:
        """Return ∂φ/∂x: (n, d_x)."""
        gradient: Array = (2.0 / self.spread) * self.counted * (x - 0.5)
        return gradient


def square_moments(axis: Axis) -> tuple[float, float]:
    """Return mean and variance of (p - ½)² for p drawn uniformly from the axis."""
    if axis.count is None or axis.count > FINE:
        return 1 / 12, 1 / 180
    drawn = axis.snapped((np.arange(FINE) + 0.5) / FINE) if axis.log else axis.at(np.arange(axis.count))
    squares = (drawn - 0.5) ** 2
    return float(squares.mean()), float(squares.var())


def best_steepness(by_y: float, by_bowl: float, least: float = 0.0) -> float:
    """Return the β of largest posterior density given φᵀK̃⁻¹y and φᵀK̃⁻¹φ.

    It is 0 if it is less than `least` posterior standard deviations. It is never negative, which would favour corners.
    """
    precision = by_bowl + 1.0
    best = by_y / precision
    return 0.0 if best < 0.0 or best * best * precision < least * least else best  # nan stays nan
