"""The mean of the process where it is not zero: a bowl around the middle of the ranges of x.

    m(z) = β φ(x),    φ(x) = Σ_k ( (x_k - ½)² - m_k ) / √( Σ_k v_k ),    β >= 0,   β ~ N(0, 1) before any data,

where m_k and v_k are mean and variance of (x_k - ½)² under the uniform distribution, 1/12 and 1/180 without a grid, so that φ
has mean 0 and variance 1. A stationary kernel cannot say that extremes are worse than middling values, and with many variables
nearly all of the space is extreme: where it knows nothing, it would send the search into corners. How steep the bowl is, if at
all, is one number, which the initial sample tells well.

β is taken at its most probable value: deviations say nothing of how unsure it is. φ is centred on the whole space, as targets
are on a sample of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from casmopolitan.core.points import Array, Axis, Domain

FINE = 1000
"""A grid of more values than this is as good as none."""


@dataclass(frozen=True, eq=False)
class Bowl:
    """φ: which axes have a middle to speak of (1, else 0), Σ m_k and √Σ v_k over them."""

    counted: Array
    middle: float
    spread: float

    @classmethod
    def of(cls, domain: Domain) -> Bowl | None:
        """The bowl of a domain; None where every axis has two values at most, both of them extremes."""
        mean, variance = np.array([square_moments(axis) for axis in domain.axes]).reshape(-1, 2).T
        counted = (variance > 1e-12).astype(float)
        return cls(counted, float(counted @ mean), math.sqrt(float(counted @ variance))) if counted.any() else None

    def __call__(self, x: Array) -> Array:
        """φ at every row of x (n, d_x)."""
        height: Array = ((x - 0.5) ** 2 @ self.counted - self.middle) / self.spread
        return height

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
