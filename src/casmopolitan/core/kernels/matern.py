"""Matérn 5/2:  k_x(x, x') = (1 + s + s²/3) exp(-s),   s² = 5 r²,   r² = Σ_k (x_k - x'_k)² / ℓ_k²."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casmopolitan.core.kernels.base import Block, Data, Kernel, Role, Rows, quadratic_forms
from casmopolitan.core.points import Array


def squared_distances(a: Array, b: Array) -> Array:
    """Return |a_i - b_j|² for all pairs by one product; never negative."""
    r2: Array = a @ b.T
    r2 *= -2.0
    r2 += np.einsum("ij,ij->i", a, a)[:, None]
    r2 += np.einsum("ij,ij->i", b, b)
    return np.maximum(r2, 0.0, out=r2)


def summed_squares(by_r2: Array, x: Array) -> Array:
    """Return Σ G_ij (x_ik - x_jk)² for each coordinate k, with G = by_r2:  (x²)ᵀ(G1 + Gᵀ1) - 2 xᵀGx."""
    squares: Array = (x * x).T @ (by_r2.sum(0) + by_r2.sum(1)) - 2.0 * quadratic_forms(by_r2, x)
    return squares


def matern52(r2: Array) -> tuple[Array, Array]:
    """Return the kernel as a function of r², and its derivative by r²:  -5/6 (1 + s) exp(-s).   r2 is overwritten."""
    s = np.sqrt(np.multiply(r2, 5.0, out=r2), out=r2)
    decay = np.exp(-s)
    slope = s + 1.0
    K: Array = s * s
    K /= 3.0
    K += slope
    K *= decay
    slope *= decay
    slope *= -5.0 / 6.0
    return K, slope


@dataclass(frozen=True)
class MaternKernel(Kernel):
    """θ = ℓ: (d_x,) with automatic relevance determination (`ard`), else one ℓ for all variables."""

    d_x: int
    ard: bool = True

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """One lengthscale, or one per variable."""
        return (Block.per_variable(Role.LENGTHSCALE, self.d_x, self.ard),)

    def forward(self, theta: Array, data: Data) -> tuple[Array, Array]:
        """Return K over the data, and ∂K/∂r²."""
        scaled = (data.rows.x - 0.5) / theta
        r2 = squared_distances(scaled, scaled)
        np.fill_diagonal(r2, 0.0)
        return matern52(r2)

    def backward(self, theta: Array, data: Data, kept: Array, W: Array) -> Array:
        """∂K/∂ℓ_k = ∂K/∂r² · (-2/ℓ_k³) (x_k - x'_k)²."""
        squares = summed_squares(W * kept, data.rows.x - 0.5)
        per_variable: Array = squares * (-2.0 / np.broadcast_to(theta, (self.d_x,)) ** 3)
        return per_variable if self.ard else per_variable.sum(keepdims=True)

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, Array]:
        """Return K between rows and the data, and ∂K/∂r²."""
        return matern52(squared_distances((rows.x - 0.5) / theta, (data.rows.x - 0.5) / theta))

    def pull(self, theta: Array, rows: Rows, data: Data, kept: Array, V: Array) -> Array:
        """∂k/∂x_k = ∂k/∂r² · 2 (x_k - x'_k) / ℓ_k²."""
        by_r2 = V * kept
        by_x: Array = 2.0 * (rows.x * by_r2.sum(1)[:, None] - by_r2 @ data.rows.x) / theta**2
        return by_x
