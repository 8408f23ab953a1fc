"""The naive kernel of the ablation (Sec. 4.4): Matérn 5/2 on the one-hot columns of h beside x.

Two points that differ in a categorical variable differ in two of its one-hot columns, so
r² = 2 Σ_j δ_j(h_j, h'_j) / ℓ_j²  +  Σ_k (x_k - x'_k)² / ℓ_k².

App. C.3 adapts its one-hot baseline from TuRBO (Eriksson et al., 2019), whose lengthscales have other bounds than those of
Eq. (1): [0.005, 2] if each column has its own, [0.005, √m] if m columns share one. With ℓ <= 0.5 two points that differ in a
single variable would correlate by 0.04 at most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casmopolitan.core.kernels.base import Block, Data, Kernel, Role, Rows
from casmopolitan.core.kernels.matern import matern52, squared_distances, summed_squares
from casmopolitan.core.points import Array

SHORTEST, LONGEST = 0.005, 2.0
"""Bounds of a lengthscale that is not shared."""


@dataclass(frozen=True)
class OneHotKernel(Kernel):
    """θ = (ℓ of the discrete variables, ℓ of the continuous ones).

    One ℓ per variable with `ard`, one per kind without it; 'continuous' shares one ℓ among the discrete variables only.
    """

    d_h: int
    d_x: int
    ard: bool | str = True
    columns: int | None = None
    """Number of one-hot columns; None: two per variable."""

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Lengthscales of the kinds of variables that exist."""
        columns = 2 * self.d_h if self.columns is None else self.columns
        discrete = bounded(Block.per_variable(Role.DISCRETE_LENGTHSCALE, self.d_h, self.ard is True), columns)
        continuous = bounded(Block.per_variable(Role.LENGTHSCALE, self.d_x, bool(self.ard)), self.d_x)
        return (*((discrete,) if self.d_h else ()), *((continuous,) if self.d_x else ()))

    def _split(self, theta: Array) -> tuple[Array, Array]:
        first = self.blocks[0].size if self.d_h else 0
        return np.broadcast_to(theta[:first], (self.d_h,)), np.broadcast_to(theta[first:], (self.d_x,))

    def forward(self, theta: Array, data: Data) -> tuple[Array, Array]:
        """Return K over the data, and ∂K/∂r²."""
        ell_h, ell_x = self._split(theta)
        scaled = (data.rows.x - 0.5) / ell_x
        r2 = squared_distances(scaled, scaled)
        np.fill_diagonal(r2, 0.0)
        r2 += data.self_distances(2.0 / ell_h**2)
        return matern52(r2)

    def backward(self, theta: Array, data: Data, kept: Array, W: Array) -> Array:
        """∂K/∂ℓ = ∂K/∂r² · ∂r²/∂ℓ for both kinds of lengthscales."""
        ell_h, ell_x = self._split(theta)
        by_r2 = W * kept
        by_x = summed_squares(by_r2, data.rows.x - 0.5) * (-2.0 / ell_x**3)
        by_h = data.weight_gradient(by_r2) * (-4.0 / ell_h**3)
        parts = ((by_h, self.ard is True), (by_x, bool(self.ard)))
        return np.concatenate([part if separate or not len(part) else part.sum(keepdims=True) for part, separate in parts])

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, Array]:
        """Return K between rows and the data, and ∂K/∂r²."""
        ell_h, ell_x = self._split(theta)
        r2 = squared_distances((rows.x - 0.5) / ell_x, (data.rows.x - 0.5) / ell_x)
        r2 += data.distances(rows, 2.0 / ell_h**2)
        return matern52(r2)

    def pull(self, theta: Array, rows: Rows, data: Data, kept: Array, V: Array) -> Array:
        """∂k/∂x_k = ∂k/∂r² · 2 (x_k - x'_k) / ℓ_k²."""
        by_r2 = V * kept
        _, ell_x = self._split(theta)
        by_x: Array = 2.0 * (rows.x * by_r2.sum(1)[:, None] - by_r2 @ data.rows.x) / ell_x**2
        return by_x


def bounded(block: Block, columns: int) -> Block:
    """Return lengthscales with their bounds; a single one is shared by `columns` columns."""
    return block._replace(bounds=(SHORTEST, math.sqrt(columns) if block.shared_by > 1 else LONGEST))
