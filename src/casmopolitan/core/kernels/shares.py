"""What two points have in common:  k(h, h') = 1 - Σ_j u_j d_j(h_j, h'_j),   u = w / Σ_j w_j,   for the heat kernel's rates w.

A sum over the variables of a kernel each, weighted by their shares of the rates: a function of one variable at a time. Times a
kernel on x it is the covariance of Σ_j f_j(h_j, x), where every choice brings a function of x of its own and these are added.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casmopolitan.core.kernels.distance import Rows
from casmopolitan.core.kernels.kernel import Data, indexed
from casmopolitan.core.points import Array


@dataclass(frozen=True)
class SharesKernel:
    """θ = w, the rates: (d_h,), or one for all (`ard` False), which then says nothing."""

    d_h: int
    ard: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """One rate, or one a variable."""
        return indexed("rate", self.d_h, self.ard)

    def shares(self, theta: Array) -> Array:
        """u: (d_h,), of sum 1."""
        w = np.broadcast_to(theta, (self.d_h,))
        shares: Array = w / w.sum()
        return shares

    def diagonal(self, theta: Array) -> float:
        """One."""
        return 1.0

    def forward(self, theta: Array, data: Data) -> tuple[Array, Array]:
        """K over the data; the tape is K itself."""
        K = data.coding.self_distances(data.rows, self.shares(theta))
        np.subtract(1.0, K, out=K)
        return K, K

    def backward(self, theta: Array, data: Data, tape: Array, W: Array) -> Array:
        """∂K/∂w_j = (1 - K - d_j) / Σ w."""
        common = float(W.sum() - np.vdot(W, tape))
        per_variable = (common - data.coding.weight_gradient(data.rows, W)) / np.broadcast_to(theta, (self.d_h,)).sum()
        return per_variable if self.ard else np.zeros(1)

    def cross(self, theta: Array, rows: Rows, data: Data) -> Array:
        """K between rows and the data."""
        K = data.coding.distances(rows, data.rows, self.shares(theta))
        return np.subtract(1.0, K, out=K)

    def pull(self, theta: Array, rows: Rows, data: Data, V: Array) -> Array:
        """Nothing here depends on x."""
        return np.zeros_like(rows.x)
