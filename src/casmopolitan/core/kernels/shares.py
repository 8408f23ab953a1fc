"""What two points have in common:  k_1(h, h') = 1 - Σ_j u_j d_j(h_j, h'_j),   u = w / Σ_j w_j,   for the heat kernel's rates w.

A sum over the variables of a kernel each, weighted by their shares of the rates: a function of one variable at a time. Times a
kernel on x it is the covariance of Σ_j f_j(h_j, x), where every choice brings a function of x of its own and these are added.

With D the heat kernel's exponent, k_1 = 1 - D / Σ_j w_j and k_h = exp(-D): one matrix of distances serves both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casmopolitan.core.kernels.distance import Rows
from casmopolitan.core.kernels.heat import HeatKernel
from casmopolitan.core.kernels.kernel import Data
from casmopolitan.core.points import Array


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
        return both(data.coding.self_distances(data.rows, w), float(w.sum()))

    def backward(self, theta: Array, data: Data, tape: tuple[Array, Array], W_h: Array, W_1: Array) -> Array:
        """∂K_h/∂w_j = - K_h ∘ d_j,   ∂K_1/∂w_j = (1 - K_1 - d_j) / Σ w.   W_h = ∂loss/∂K_h and W_1 are used up."""
        (K_h, K_1), total = tape, float(self.heat.rates(theta).sum())
        W_1 /= total
        common = float(W_1.sum() - np.vdot(W_1, K_1))
        W_h *= K_h
        W_h += W_1
        per_variable = common - data.coding.weight_gradient(data.rows, W_h)
        return per_variable if self.heat.ard else per_variable.sum(keepdims=True)

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, Array]:
        """K_h and K_1 between rows and the data."""
        w = self.heat.rates(theta)
        return both(data.coding.distances(rows, data.rows, w), float(w.sum()))


def both(D: Array, total: float) -> tuple[Array, Array]:
    """exp(-D) and 1 - D / Σ w; D is overwritten."""
    K_1 = D * (-1.0 / total)
    K_1 += 1.0
    np.negative(D, out=D)
    return np.exp(D, out=D), K_1
