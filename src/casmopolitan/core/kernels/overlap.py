"""The overlap kernel (Sec. 3.1):  k(h, h') = σ/d_h  Σ_i δ(h_i, h'_i).

Here δ is 1 for equal values. σ is the output scale of the Gaussian process, so the kernel has no hyperparameter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casmopolitan.core.kernels.base import Block, Data, Kernel, Rows
from casmopolitan.core.points import Array


@dataclass(frozen=True)
class OverlapKernel(Kernel):
    """The fraction of variables on which two points agree (1 - |p - p'| for an ordinal variable)."""

    d_h: int

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Empty."""
        return ()

    def forward(self, theta: Array, data: Data) -> tuple[Array, None]:
        """Return K over the data."""
        K = data.self_distances(np.full(self.d_h, 1 / self.d_h))
        np.subtract(1.0, K, out=K)
        return K, None

    def backward(self, theta: Array, data: Data, kept: None, W: Array) -> Array:
        """Return no entries: there is no hyperparameter."""
        return np.empty(0)

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, None]:
        """Return K between rows and the data."""
        K = data.distances(rows, np.full(self.d_h, 1 / self.d_h))
        return np.subtract(1.0, K, out=K), None
