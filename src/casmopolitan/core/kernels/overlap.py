"""The overlap kernel (Sec. 3.1):  k(h, h') = σ/d_h  Σ_i δ(h_i, h'_i).

σ is the output scale, which every Gaussian process here has of its own; so this kernel has no hyper-parameter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casmopolitan.core.arrays import Array
from casmopolitan.core.kernels.base import Data
from casmopolitan.core.kernels.coding import Rows


@dataclass(frozen=True)
class OverlapKernel:
    """The share of variables on which two points agree (1 - d for an ordinal variable)."""

    d_h: int

    @property
    def names(self) -> tuple[str, ...]:
        """None."""
        return ()

    def diagonal(self, theta: Array) -> float:
        """One: a point agrees with itself everywhere."""
        return 1.0

    def forward(self, theta: Array, data: Data) -> tuple[Array, None]:
        """K over the data; nothing to remember."""
        K = data.coding.self_distances(data.rows, np.full(self.d_h, 1 / self.d_h))
        np.subtract(1.0, K, out=K)
        return K, None

    def backward(self, theta: Array, data: Data, tape: None, W: Array) -> Array:
        """No hyper-parameter, no gradient."""
        return np.empty(0)

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, None]:
        """K between rows and the data."""
        K = data.coding.distances(rows, data.rows, np.full(self.d_h, 1 / self.d_h))
        return np.subtract(1.0, K, out=K), None

    def pull(self, theta: Array, rows: Rows, data: Data, tape: None, V: Array) -> Array:
        """Nothing here depends on x."""
        return np.zeros_like(rows.x)
