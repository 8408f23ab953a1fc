"""A kernel for data of several tasks:  k((z, t), (z', t')) = k(z, z') exp( - Σ_s w_s [ [t = s] ≠ [t' = s] ] ).

Task 0 is the present one, tasks s = 1, 2, ... are earlier studies. Each of these has its own rate w_s: near 0 its function is
the present one, and a large w_s makes its data irrelevant. The exponent is the heat kernel's for one switch per earlier study,
so the product is a kernel. Points to predict belong to task 0; `Data.task` holds the tasks of the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from casmopolitan.core.kernels.base import TASK_BOUNDS, Block, ChangeTable, Data, Kernel, Levels, Role, Rows, dimension
from casmopolitan.core.points import Array, Codes


class Kept(NamedTuple):
    """The matrix of the inner kernel, the values that it keeps, and the factors of the tasks."""

    K: Array
    inner: Any
    factor: Array


@dataclass(frozen=True)
class TaskKernel(Kernel):
    """θ = (θ of the inner kernel, w): w is (earlier studies,)."""

    inner: Kernel
    studies: int

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of the inner kernel, then one rate per earlier study."""
        return (*self.inner.blocks, Block(Role.TASK, self.studies, bounds=TASK_BOUNDS))

    @cached_property
    def _end(self) -> int:
        return dimension(self.inner)

    def diagonal(self, theta: Array) -> float:
        """Return that of the inner kernel."""
        return self.inner.diagonal(theta[: self._end])

    def forward(self, theta: Array, data: Data) -> tuple[Array, Kept]:
        """Return K over the data."""
        K, inner = self.inner.forward(theta[: self._end], data)
        D = np.zeros_like(K)
        for rate, own in zip(theta[self._end :], self._members(data), strict=True):
            D -= rate * (own[:, None] != own)
        factor = np.exp(D, out=D)
        return K * factor, Kept(K, inner, factor)

    def backward(self, theta: Array, data: Data, kept: Kept, W: Array) -> Array:
        """∂K/∂w_s = - K ∘ [ [t = s] ≠ [t' = s] ]."""
        by_inner = W * kept.factor
        from_inner = self.inner.backward(theta[: self._end], data, kept.inner, by_inner)
        by_factor = by_inner * kept.K
        apart = [float(by_factor[own][:, ~own].sum() + by_factor[~own][:, own].sum()) for own in self._members(data)]
        return np.concatenate([from_inner, -np.array(apart)])

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, Kept]:
        """Return K between rows of the present task and the data."""
        K, inner = self.inner.cross(theta[: self._end], rows, data)
        factor = np.exp(-np.append(0.0, theta[self._end :])[data.task])
        return K * factor, Kept(K, inner, factor)

    def pull(self, theta: Array, rows: Rows, data: Data, kept: Kept, V: Array) -> Array:
        """Return ∂loss/∂x by the inner kernel."""
        return self.inner.pull(theta[: self._end], rows, data, kept.inner, V * kept.factor)

    def change_sums(self, theta: Array, crossed: tuple[Array, Kept], z: Array, levels: Levels, old: Codes) -> Array | None:
        """Return the sums of the inner kernel, with each datum weighted by the factor of its task."""
        kept = crossed[1]
        return self.inner.change_sums(theta[: self._end], (kept.K, kept.inner), z * kept.factor, levels, old)

    def change_table(self, theta: Array, data: Data, which: Codes, level: Codes, scale: float) -> ChangeTable | None:
        """Return the table of the inner kernel with the factors of the tasks; None if it has none."""
        inner = self.inner.change_table(theta[: self._end], data, which, level, scale)
        return None if inner is None else TaskTable(inner)

    def _members(self, data: Data) -> list[Any]:
        """Return for each earlier study which data belong to it."""
        return [data.task == study for study in range(1, self.studies + 1)]


@dataclass(frozen=True, eq=False)
class TaskTable:
    """A change of a variable changes the inner kernel only."""

    inner: ChangeTable

    def covariances(self, crossed: tuple[Array, Kept], at: Codes, old: Codes, new: Codes) -> Array:
        """Return the covariances of `ChangeTable`."""
        kept = crossed[1]
        return self.inner.covariances((kept.K, kept.inner), at, old, new) * kept.factor
