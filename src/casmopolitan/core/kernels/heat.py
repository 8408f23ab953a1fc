"""The heat kernel on the Hamming graph, Eq. (1) set free:  k(h, h') = exp( - Σ_j w_j d_j(h_j, h'_j) ).

The same family as Eq. (1) with w = ℓ/d_h up to a constant factor (Doumont et al., 2025), but normalised to k(h, h) = 1, so that
its rates need no upper bound and the output scale keeps its meaning.

Of variables in an order it learns how smooth the function is:

    d_j = (1 - λ) δ_j + λ δ_j²,    δ_j = |p - p'| of App. B.2  (0 or 1 for a categorical variable, where δ_j² = δ_j).

exp(-w δ) are functions without slopes, exp(-w δ²) the smoothest there are; sums of δ and δ² with any weights >= 0 are of
negative type, so that every λ in [0, 1] gives a kernel. λ is one number for all ordinals.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casmopolitan.core.arrays import Array
from casmopolitan.core.kernels.base import Data, indexed
from casmopolitan.core.kernels.coding import Rows
from casmopolitan.core.kernels.ordinal import square_gradient, squares


@dataclass(frozen=True)
class HeatKernel:
    """θ = w, the rates: (d_h,) with automatic relevance determination (`ard`), else one for all; and λ.

    `ordered`: the ordinal variables, every one of the domain's, or none of them where λ is 0 and no hyper-parameter.
    """

    d_h: int
    ard: bool = True
    ordered: tuple[int, ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """One rate, or one a variable; and the smoothness λ."""
        return (*indexed("rate", self.d_h, self.ard), *(("smoothness",) if self.ordered else ()))

    @property
    def width(self) -> int:
        """How many rates there are in θ: its first entries."""
        return self.d_h if self.ard else 1

    def rates(self, theta: Array) -> Array:
        """w: (d_h,)."""
        return np.broadcast_to(theta[: self.width], (self.d_h,))

    def smoothness(self, theta: Array) -> float:
        """λ."""
        return float(theta[self.width]) if self.ordered else 0.0

    def diagonal(self, theta: Array) -> float:
        """One."""
        return 1.0

    def forward(self, theta: Array, data: Data) -> tuple[Array, Array]:
        """K over the data; the tape is K itself."""
        K = self.among(theta, data)
        np.negative(K, out=K)
        np.exp(K, out=K)
        return K, K

    def backward(self, theta: Array, data: Data, tape: Array, W: Array) -> Array:
        """∂K/∂θ = - K ∘ ∂D/∂θ."""
        return -self.slopes(theta, data, W * tape)

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, None]:
        """K between rows and the data."""
        K = self.between(theta, rows, data)
        np.negative(K, out=K)
        return np.exp(K, out=K), None

    def pull(self, theta: Array, rows: Rows, data: Data, tape: None, V: Array) -> Array:
        """Nothing here depends on x."""
        return np.zeros_like(rows.x)

    def among(self, theta: Array, data: Data) -> Array:
        """D = Σ_j w_j d_j over the data."""
        if not self.ordered:
            return data.coding.self_distances(data.rows, self.rates(theta))
        straight, square = self._parted(theta)
        D = data.coding.self_distances(data.rows, straight)
        D += squares(data.rows.p, data.rows.p, square)
        np.fill_diagonal(D, 0.0)
        return np.maximum(D, 0.0, out=D)

    def between(self, theta: Array, rows: Rows, data: Data) -> Array:
        """D between rows and the data."""
        if not self.ordered:
            return data.coding.distances(rows, data.rows, self.rates(theta))
        straight, square = self._parted(theta)
        D = data.coding.distances(rows, data.rows, straight)
        D += squares(rows.p, data.rows.p, square)
        return np.maximum(D, 0.0, out=D)

    def slopes(self, theta: Array, data: Data, W: Array) -> Array:
        """∂loss/∂θ from W = ∂loss/∂D, folded:  ∂D/∂w_j = d_j,  ∂D/∂λ = Σ_j w_j (δ_j² - δ_j)."""
        by_rate = data.coding.weight_gradient(data.rows, W)
        if self.ordered:
            at = list(self.ordered)
            bent = square_gradient(data.rows.p, W) - by_rate[at]
            by_smoothness = [float(self.rates(theta)[at] @ bent)]
            by_rate[at] += self.smoothness(theta) * bent
        else:
            by_smoothness = []
        return np.concatenate([by_rate if self.ard else by_rate.sum(keepdims=True), by_smoothness])

    def _parted(self, theta: Array) -> tuple[Array, Array]:
        """The weights of δ (d_h,) and those of δ² (d_o,)."""
        straight, at, lam = self.rates(theta).copy(), list(self.ordered), self.smoothness(theta)
        square: Array = lam * straight[at]
        straight[at] -= square
        return straight, square
