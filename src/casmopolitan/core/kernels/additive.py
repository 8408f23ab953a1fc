"""What two points have in common:  k_1(h, h') = 1 - Σ_j u_j δ_j(h_j, h'_j),   u = w / Σ_j w_j,   for the heat kernel's rates w.

A sum over the variables of a kernel each, weighted by their shares of the rates: a function of one variable at a time. Times a
kernel on x it is the covariance of Σ_j f_j(h_j, x), where every choice brings a function of x of its own and these are added.

With D the heat kernel's exponent, k_1 = 1 - D / Σ_j w_j and k_h = exp(-D): one matrix of distances serves both. Not so where
the heat kernel learns how smooth functions of ordinals are: 1 - δ² is no kernel, and k_1 keeps to δ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casmopolitan.core.arrays import Array
from casmopolitan.core.kernels.base import Data
from casmopolitan.core.kernels.coding import Rows
from casmopolitan.core.kernels.heat import HeatKernel


@dataclass(frozen=True)
class HeatAndShares:
    """The heat kernel and k_1 of the same rates, side by side."""

    heat: HeatKernel

    def shares(self, theta: Array) -> Array:
        """u: (d_h,), of sum 1."""
        w = self.heat.rates(theta)
        shares: Array = w / w.sum()
        return shares

    def forward(self, theta: Array, data: Data) -> tuple[Array, Array]:
        """K_h and K_1 over the data, which are all that backward needs."""
        w = self.heat.rates(theta)
        D_1 = data.coding.self_distances(data.rows, w)
        return both(self.heat.among(theta, data) if self.heat.ordered else D_1, D_1, float(w.sum()))

    def backward(self, theta: Array, data: Data, tape: tuple[Array, Array], W_h: Array, W_1: Array) -> Array:
        """∂K_h/∂θ = - K_h ∘ ∂D/∂θ,   ∂K_1/∂w_j = (1 - K_1 - δ_j) / Σ w.   W_h = ∂loss/∂K_h and W_1 are used up."""
        (K_h, K_1), total = tape, float(self.heat.rates(theta).sum())
        W_1 /= total
        common = float(W_1.sum() - np.vdot(W_1, K_1))
        by_share: Array | float = common
        W_h *= K_h
        if self.heat.ordered:
            by_share = common - data.coding.weight_gradient(data.rows, W_1)
        else:
            W_h += W_1
        gradient = -self.heat.slopes(theta, data, W_h)
        by_rate = np.broadcast_to(by_share, (self.heat.d_h,))
        gradient[: self.heat.width] += by_rate if self.heat.ard else by_rate.sum()
        return gradient

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, Array]:
        """K_h and K_1 between rows and the data."""
        w = self.heat.rates(theta)
        D_1 = data.coding.distances(rows, data.rows, w)
        return both(self.heat.between(theta, rows, data) if self.heat.ordered else D_1, D_1, float(w.sum()))


def both(D: Array, D_1: Array, total: float) -> tuple[Array, Array]:
    """exp(-D) and 1 - D_1 / Σ w; D is overwritten, and may be D_1."""
    K_1 = D_1 * (-1.0 / total)
    K_1 += 1.0
    np.negative(D, out=D)
    return np.exp(D, out=D), K_1
