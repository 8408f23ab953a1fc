"""The heat kernel on the Hamming graph, Eq. (1) set free:  k(h, h') = exp( - Σ_j w_j d_j(h_j, h'_j) ).

The same family as Eq. (1) with w = ℓ/d_h up to a constant factor (Doumont et al., 2025), but normalised to k(h, h) = 1, so that
its rates need no upper bound and the output scale keeps its meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casmopolitan.core.kernels.distance import Rows
from casmopolitan.core.kernels.kernel import Data, indexed
from casmopolitan.core.points import Array


@dataclass(frozen=True)
class HeatKernel:
    """θ = w, the rates: (d_h,) with automatic relevance determination (`ard`), else one for all."""

    d_h: int
    ard: bool = True

    @cached_property
    def names(self) -> tuple[str, ...]:
        """One rate, or one a variable."""
        return indexed("rate", self.d_h, self.ard)

    def rates(self, theta: Array) -> Array:
        """w: (d_h,)."""
        return np.broadcast_to(theta, (self.d_h,))

    def diagonal(self, theta: Array) -> float:
        """One."""
        return 1.0

    def forward(self, theta: Array, data: Data) -> tuple[Array, Array]:
        """K over the data; the tape is K itself."""
        K = data.coding.self_distances(data.rows, self.rates(theta))
        np.negative(K, out=K)
        np.exp(K, out=K)
        return K, K

    def backward(self, theta: Array, data: Data, tape: Array, W: Array) -> Array:
        """∂K/∂w_j = - K ∘ d_j."""
        per_variable = -data.coding.weight_gradient(data.rows, W * tape)
        return per_variable if self.ard else per_variable.sum(keepdims=True)

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, None]:
        """K between rows and the data."""
        K = data.coding.distances(rows, data.rows, self.rates(theta))
        np.negative(K, out=K)
        return np.exp(K, out=K), None

    def pull(self, theta: Array, rows: Rows, data: Data, tape: None, V: Array) -> Array:
        """Nothing here depends on x."""
        return np.zeros_like(rows.x)
