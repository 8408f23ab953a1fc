"""Eq. (1):  k_h(h, h') = exp( 1/d_h  Σ_i  ℓ_i δ(h_i, h'_i) )."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casmopolitan.core.arrays import Array
from casmopolitan.core.kernels.base import Data, indexed
from casmopolitan.core.kernels.coding import Rows


@dataclass(frozen=True)
class CategoricalKernel:
    """Eq. (1), and App. B.2's k_o where a variable is ordinal: δ becomes 1 - d, so the exponent is (Σ ℓ_i - D(ℓ)) / d_h.

    θ = ℓ: (d_h,) with automatic relevance determination (`ard`), else one ℓ for all.
    """

    d_h: int
    ard: bool = True

    @cached_property
    def names(self) -> tuple[str, ...]:
        """One lengthscale, or one a variable."""
        return indexed("discrete lengthscale", self.d_h, self.ard)

    def _weights(self, theta: Array) -> Array:
        return np.broadcast_to(theta / self.d_h, (self.d_h,))

    def diagonal(self, theta: Array) -> float:
        """exp of the mean lengthscale."""
        return float(np.exp(self._weights(theta).sum()))

    def forward(self, theta: Array, data: Data) -> tuple[Array, Array]:
        """K over the data; the tape is K itself."""
        w = self._weights(theta)
        K = data.coding.self_distances(data.rows, w)
        np.subtract(w.sum(), K, out=K)
        np.exp(K, out=K)
        return K, K

    def backward(self, theta: Array, data: Data, tape: Array, W: Array) -> Array:
        """∂K/∂ℓ_i = K ∘ (1 - d_i) / d_h."""
        G = W * tape
        per_variable: Array = (G.sum() - data.coding.weight_gradient(data.rows, G)) / self.d_h
        return per_variable if self.ard else per_variable.sum(keepdims=True)

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, None]:
        """K between rows and the data."""
        w = self._weights(theta)
        K = data.coding.distances(rows, data.rows, w)
        np.subtract(w.sum(), K, out=K)
        return np.exp(K, out=K), None

    def pull(self, theta: Array, rows: Rows, data: Data, tape: None, V: Array) -> Array:
        """Nothing here depends on x."""
        return np.zeros_like(rows.x)
