"""Ordinal variables: the distance of App. B.2 as columns of a matrix product.

Eq. (ordinal):  k_o(h, h') = exp( 1/d_h  Σ_i  ℓ_i (1 - |h_i - h'_i| / |h_i - h'_i|_max) ).

With positions p in [0, 1] the fraction is |p - p'|. Between the positions q_1 < ... < q_m that occur in the data it is a
sum over the gaps g_k = q_{k+1} - q_k that lie between p and p'. A thermometer column s_k, -1 below the gap, +1 above it and
linear inside it, turns that sum into a product:  |p - p'| = Σ_k g_k (1 - s_k s'_k) / 2  whenever p' is one of the q.
Its square needs no columns:  (p - p')² = p² + p'² - 2 p p'.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casmopolitan.core.points import Array


@dataclass(frozen=True, eq=False)
class Thermometer:
    """The columns of one ordinal variable: lower ends and widths of the gaps between positions that occur in the data."""

    first: float
    last: float
    low: Array
    gap: Array

    @classmethod
    def seen(cls, positions: Array) -> Thermometer:
        """Return the thermometer of the distinct positions that occur in the data."""
        q = np.unique(positions)
        return cls(float(q[0]), float(q[-1]), q[:-1], np.diff(q))

    @property
    def constant(self) -> float:
        """Half the span: |p - p'| = constant - (column product) for two positions that occur in the data."""
        return (self.last - self.first) / 2

    def columns(self, positions: Array) -> Array:
        """Return the columns, scaled so that a product of rows gives Σ_k g_k s_k s'_k / 2.   positions: (n,) -> (n, m - 1)"""
        signs = 2.0 * np.clip((positions[:, None] - self.low) / self.gap, 0.0, 1.0) - 1.0
        columns: Array = signs * np.sqrt(self.gap / 2)
        return columns

    def excess(self, positions: Array) -> Array:
        """Return how far each position lies outside the span of the data: it is that much further from every datum."""
        outside: Array = np.maximum(self.first - positions, 0.0) + np.maximum(positions - self.last, 0.0)
        return outside


def squares(p: Array, q: Array, w: Array) -> Array:
    """Return Σ_j w_j (p_j - q_j)² between every row of p and every row of q.   p: (n, d_o), q: (m, d_o) -> (n, m)"""
    D: Array = (p * (-2.0 * w)) @ q.T
    D += (p**2 @ w)[:, None]
    D += q**2 @ w
    return D
