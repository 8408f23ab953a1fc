"""Eq. (1):  k_h(h, h') = exp( 1/d_h  Σ_i  ℓ_i δ(h_i, h'_i) )."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casmopolitan.core.kernels.base import Block, Data, Kernel, Role, Rows
from casmopolitan.core.points import Array


@dataclass(frozen=True)
class CategoricalKernel(Kernel):
    """Eq. (1), and k_o of App. B.2 for ordinal variables: δ becomes 1 - |p - p'|, so the exponent is (Σ ℓ_i - D(ℓ)) / d_h.

    θ = ℓ: (d_h,) with automatic relevance determination (`ard`), else one ℓ for all variables.
    """

    d_h: int
    ard: bool = True

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """One lengthscale, or one per variable."""
        return (Block.per_variable(Role.DISCRETE_LENGTHSCALE, self.d_h, self.ard),)

    def _weights(self, theta: Array) -> Array:
        return np.broadcast_to(theta / self.d_h, (self.d_h,))

    def diagonal(self, theta: Array) -> float:
        """Return exp of the mean lengthscale."""
        return float(np.exp(self._weights(theta).sum()))

    def forward(self, theta: Array, data: Data) -> tuple[Array, Array]:
        """Return K over the data, twice: `backward` needs K itself."""
        w = self._weights(theta)
        K = data.self_distances(w)
        np.subtract(w.sum(), K, out=K)
        np.exp(K, out=K)
        return K, K

    def backward(self, theta: Array, data: Data, kept: Array, W: Array) -> Array:
        """∂K/∂ℓ_i = K ∘ (1 - δ_i) / d_h, with the distance δ_i."""
        by_exponent = W * kept
        per_variable: Array = (by_exponent.sum() - data.weight_gradient(by_exponent)) / self.d_h
        return per_variable if self.ard else per_variable.sum(keepdims=True)

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, None]:
        """Return K between rows and the data."""
        w = self._weights(theta)
        K = data.distances(rows, w)
        np.subtract(w.sum(), K, out=K)
        return np.exp(K, out=K), None
