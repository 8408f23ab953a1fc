"""The naive kernel of the ablation (Sec. 4.4): Matérn 5/2 on the one-hot columns of h beside x.

Two points that differ in a categorical variable differ in two of its one-hot columns, so
r² = 2 Σ_j d_j(h_j, h'_j) / ℓ_j²  +  Σ_k (x_k - x'_k)² / ℓ_k².
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casmopolitan.core.arrays import Array
from casmopolitan.core.kernels.base import Data, indexed
from casmopolitan.core.kernels.coding import Rows, quadratic_forms
from casmopolitan.core.kernels.matern import matern52, squared_distances


@dataclass(frozen=True)
class OneHotKernel:
    """θ = (ℓ of each discrete variable, ℓ of each continuous one); one ℓ for a kind whose variables `ard` leaves out."""

    d_h: int
    d_x: int
    ard: bool | str = True

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Lengthscales of the present parts."""
        discrete = indexed("discrete lengthscale", self.d_h, self.ard is True) if self.d_h else ()
        return (*discrete, *(indexed("continuous lengthscale", self.d_x, bool(self.ard)) if self.d_x else ()))

    def _split(self, theta: Array) -> tuple[Array, Array]:
        first = (self.d_h if self.ard is True else 1) if self.d_h else 0
        return np.broadcast_to(theta[:first], (self.d_h,)), np.broadcast_to(theta[first:], (self.d_x,))

    def diagonal(self, theta: Array) -> float:
        """One."""
        return 1.0

    def forward(self, theta: Array, data: Data) -> tuple[Array, Array]:
        """K over the data; the tape is ∂K/∂r²."""
        ell_h, ell_x = self._split(theta)
        scaled = (data.rows.x - 0.5) / ell_x
        r2 = squared_distances(scaled, scaled)
        np.fill_diagonal(r2, 0.0)
        r2 += data.coding.self_distances(data.rows, 2.0 / ell_h**2)
        return matern52(r2)

    def backward(self, theta: Array, data: Data, tape: Array, W: Array) -> Array:
        """Through r² to each lengthscale."""
        ell_h, ell_x = self._split(theta)
        G = W * tape
        x = data.rows.x - 0.5
        squares = (x * x).T @ (G.sum(0) + G.sum(1)) - 2.0 * quadratic_forms(G, x)
        by_h = data.coding.weight_gradient(data.rows, G) * (-4.0 / ell_h**3)
        by_x = squares * (-2.0 / ell_x**3)
        parts = ((by_h, self.ard is True), (by_x, bool(self.ard)))
        return np.concatenate([part if separate or not len(part) else part.sum(keepdims=True) for part, separate in parts])

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, Array]:
        """K between rows and the data; the tape is ∂K/∂r²."""
        ell_h, ell_x = self._split(theta)
        r2 = squared_distances((rows.x - 0.5) / ell_x, (data.rows.x - 0.5) / ell_x)
        r2 += data.coding.distances(rows, data.rows, 2.0 / ell_h**2)
        return matern52(r2)

    def pull(self, theta: Array, rows: Rows, data: Data, tape: Array, V: Array) -> Array:
        """∂k/∂x_k = ∂k/∂r² · 2 (x_k - x'_k) / ℓ_k²."""
        G = V * tape
        _, ell_x = self._split(theta)
        pulled: Array = 2.0 * (rows.x * G.sum(1)[:, None] - G @ data.rows.x) / ell_x**2
        return pulled
