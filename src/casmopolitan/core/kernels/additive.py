"""The additive kernel:  k_1(h, h') = 1 - Σ_j v_j δ_j(h_j, h'_j),   v_j = w_j / Σ_i w_i,   with the heat kernel's rates w.

It is a weighted sum of one kernel per variable. Times a kernel on x it is the covariance of Σ_j f_j(h_j, x): every value of a
discrete variable contributes a function of x, and these are added.

With D the heat kernel's exponent, k_1 = 1 - D / Σ_j w_j and k_h = exp(-D), so both come from one matrix of distances. If the
heat kernel learns the smoothness of ordinal variables or has described variables, this does not hold: 1 - δ² and 1 - t are not
kernels, so k_1 uses δ only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casmopolitan.core.kernels.base import Data, Rows
from casmopolitan.core.kernels.heat import HeatKernel
from casmopolitan.core.points import Array, Codes


@dataclass(frozen=True)
class HeatAndAdditive:
    """The heat kernel k_h and the additive kernel k_1 of the same rates, computed together."""

    heat: HeatKernel

    def relative_rates(self, theta: Array) -> Array:
        """Return v: (d_h,), with sum 1."""
        w = self.heat.rates(theta)
        relative: Array = w / w.sum()
        return relative

    def forward(self, theta: Array, data: Data) -> tuple[Array, Array]:
        """Return K_h and K_1 over the data; `backward` needs nothing else."""
        w = self.heat.rates(theta)
        D_1 = self.heat.distances(theta, data)
        return both(self.heat.exponents(theta, data) if self.heat.bent else D_1, D_1, float(w.sum()))

    def backward(self, theta: Array, data: Data, kept: tuple[Array, Array], W_h: Array, W_1: Array) -> Array:
        """∂K_h/∂θ = - K_h ∘ ∂D/∂θ,   ∂K_1/∂w_j = (1 - K_1 - δ_j) / Σ w.   W_h = ∂loss/∂K_h and W_1 are overwritten."""
        (K_h, K_1), total = kept, float(self.heat.rates(theta).sum())
        W_1 /= total
        common = float(W_1.sum() - np.vdot(W_1, K_1))
        by_additive: Array | float = common
        W_h *= K_h
        if self.heat.bent:
            by_additive = common - data.weight_gradient(W_1)
        else:
            W_h += W_1
        gradient = -self.heat.exponent_gradient(theta, data, W_h)
        by_rate = np.broadcast_to(by_additive, (self.heat.d_h,))
        gradient[: self.heat.width] += by_rate if self.heat.ard else by_rate.sum()
        return gradient

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, Array]:
        """Return K_h and K_1 between rows and the data."""
        w = self.heat.rates(theta)
        D_1 = self.heat.cross_distances(theta, rows, data)
        return both(self.heat.cross_exponents(theta, rows, data) if self.heat.bent else D_1, D_1, float(w.sum()))

    def losses(self, theta: Array, data: Data, which: Codes, level: Codes) -> Array:
        """Return v_j δ_j(l, h_ij), by which level l of variable j lowers k_1, for every listed change: (changes, n)."""
        return data.level_distances(which, level) * self.relative_rates(theta)[which][:, None]


def both(D: Array, D_1: Array, total: float) -> tuple[Array, Array]:
    """Return exp(-D) and 1 - D_1 / Σ w. D is overwritten, and may be D_1."""
    K_1 = D_1 * (-1.0 / total)
    K_1 += 1.0
    np.negative(D, out=D)
    return np.exp(D, out=D), K_1
