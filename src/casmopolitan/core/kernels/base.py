"""The interface of a kernel: the data it sees, its hyperparameters as typed blocks, and its methods.

A new kernel is one class that inherits `Kernel` and one entry in `select.py`, under its name in `config.Family`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dtrmm

from casmopolitan.core.points import Array, Codes, Points


@dataclass(frozen=True, eq=False)
class Rows:
    """Points in coded form: F (n, C), e (n, d_h), centred positions of the ordinals p (n, d_o), and x (n, d_x).

    `coding.py` explains F and e. `h` holds the levels of the described variables: (n, described).
    """

    F: Array
    e: Array
    p: Array
    x: Array
    h: Codes

    def __len__(self) -> int:
        return len(self.x)


@dataclass(frozen=True, eq=False)
class Levels:
    """Listed levels of variables at a distance of 0 or 1 from every datum:  1 - δ = base + value · F_column."""

    which: Codes
    single: NDArray[np.float32]
    """F of the data and a column of zeros: (n, C + 1). Single precision: the sums only rank levels."""
    column: Codes
    value: Array
    base: Array

    def sums(self, y: Array) -> Array:
        """Return Σ_i y_i [h_ij = l] for every listed level l of its variable j.   y: (..., n)   ->   (..., levels)"""
        by_column = y.astype(np.float32) @ self.single
        sums: Array = by_column[..., self.column] * self.value
        sums += self.base * y.sum(axis=-1, keepdims=True)
        return sums


@dataclass(frozen=True, eq=False)
class Data:
    """Points (n >= 1) coded once for many kernel evaluations, and the discrete distances between them.

    D(h, h') = Σ_j w_j δ_j(h_j, h'_j) with δ_j = [h_j ≠ h'_j] for a categorical variable and |p - p'| for an ordinal one.
    """

    points: Points
    rows: Rows
    owner: Codes
    """The variable that each column of F belongs to: (C,)."""
    constant: Array
    """c of `coding.py`: (d_h,)."""
    positions: tuple[Array | None, ...]
    """Positions of the levels of each ordinal variable in [0, 1]; None for a categorical one."""
    encode: Callable[[Points], Rows]
    """Code other points in the columns of these."""
    place: Callable[[Codes, Codes], tuple[Codes, Array, Array]]
    """Return column, value and base of the levels `level[k]` of variables `which[k]` (`Levels`)."""
    whole: bool
    """Whether every distance between a datum and a level is 0 or 1."""
    described: tuple[tuple[int, Array], ...] = ()
    """The described variables, each with the distances t_j between its levels."""
    task: Codes = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """The task of every datum, 0 for the present one; empty if there are no earlier studies (`task.py`)."""
    inactive: tuple[tuple[int, int], ...] = ()
    """Categorical variables that may be inactive, and their number of levels, which is the code of the inactive ones."""

    def __len__(self) -> int:
        return len(self.points)

    def distances(self, rows: Rows, w: Array) -> Array:
        """Return D between other rows and the data.   w: (d_h,)   ->   (m, n)"""
        D: Array = (rows.F * -w[self.owner]) @ self.rows.F.T
        D += (self.constant @ w + rows.e @ w)[:, None]
        return np.maximum(D, 0.0, out=D)

    def self_distances(self, w: Array) -> Array:
        """Return D among the data: symmetric, exactly zero on the diagonal.   w: (d_h,)   ->   (n, n)"""
        A = self.rows.F * np.sqrt(w)[self.owner]
        D: Array = A @ A.T
        np.subtract(self.constant @ w, D, out=D)
        np.maximum(D, 0.0, out=D)
        D.ravel()[:: len(D) + 1] = 0.0
        return D

    @cached_property
    def unit_distances(self) -> Array:
        """D among the data with all weights one, computed once for all weights that are equal."""
        return self.self_distances(np.ones(len(self.constant)))

    def tied_distances(self, rows: Rows, w: float) -> Array:
        """Return D between other rows and the data if every variable has the weight w: (m, n)."""
        if rows is self.rows:
            return w * self.unit_distances
        # Whole numbers need single precision only: rounding makes them exact.
        F, G = (rows.F.astype(np.float32), self.single[:, :-1]) if self.whole else (rows.F, self.rows.F)
        D: Array = (self.constant.sum() + rows.e.sum(axis=1))[:, None] - F @ G.T
        if self.whole:
            np.rint(D, out=D)
        D *= w
        return np.maximum(D, 0.0, out=D)

    @cached_property
    def single(self) -> NDArray[np.float32]:
        """F of the data in single precision, and a column of zeros: (n, C + 1)."""
        single = np.zeros((len(self), len(self.owner) + 1), dtype=np.float32)
        single[:, :-1] = self.rows.F
        return single

    def listed(self, which: Codes, level: Codes) -> Levels | None:
        """Return the levels `level[k]` of variables `which[k]`, for sums; None unless `whole`."""
        return Levels(which, self.single, *self.place(which, level)) if self.whole else None

    @cached_property
    def bent_columns(self) -> tuple[Array, Codes, Array]:
        """F and √2 p in one matrix, the weight that each column has in (w, v) of `bent_distances`, and p²."""
        p, d_h = self.rows.p, len(self.constant)
        columns = np.hstack([self.rows.F, math.sqrt(2.0) * p])
        return columns, np.concatenate([self.owner, d_h + np.arange(p.shape[1])]), p**2

    def bent_distances(self, w: Array, v: Array) -> Array:
        """Return Σ_j w_j δ_j + Σ_o v_o δ_o² among the data.   w: (d_h,)   v: (d_o,), for ordinal variables   ->   (n, n)"""
        columns, weight, squares = self.bent_columns
        A = columns * np.sqrt(np.concatenate([w, v]))[weight]
        D: Array = A @ A.T
        row = squares @ v
        row += 0.5 * (self.constant @ w)
        np.subtract(row, D, out=D)
        D += row[:, None]
        np.maximum(D, 0.0, out=D)
        D.ravel()[:: len(D) + 1] = 0.0
        return D

    def bent_gradient(self, W: Array) -> tuple[Array, Array]:
        """Return ∂loss/∂w and ∂loss/∂v of `bent_distances` from W = ∂loss/∂D, folded."""
        columns, weight, squares = self.bent_columns
        forms, d_h = np.bincount(weight, quadratic_forms(W, columns)), len(self.constant)
        total = W.sum(axis=0)
        total += W.sum(axis=1)
        return self.constant * (0.5 * total.sum()) - forms[:d_h], total @ squares - forms[d_h:]

    def weight_gradient(self, W: Array) -> Array:
        """Return ∂loss/∂w from W = ∂loss/∂D, folded:  c_j 1ᵀW1 - Σ_{columns of j} 1ᵀ(F ∘ W F)."""
        gradient: Array = self.constant * W.sum()
        gradient -= np.bincount(self.owner, quadratic_forms(W, self.rows.F), minlength=len(self.constant))
        return gradient

    @cached_property
    def _flat_positions(self) -> tuple[Array, Codes]:
        """The positions of all ordinal variables in one vector, and where those of each variable begin: -1 if categorical."""
        sizes = np.array([0 if p is None else len(p) for p in self.positions], dtype=np.int64)
        flat = np.concatenate([np.empty(0), *(p for p in self.positions if p is not None)])
        return flat, np.where(sizes > 0, np.cumsum(sizes) - sizes, -1)

    @cached_property
    def described_distances(self) -> Array:
        """t_j between the data for each described variable: (described, n, n)."""
        return self.described_cross(self.rows)

    def described_cross(self, rows: Rows) -> Array:
        """Return t_j between other rows and the data for each described variable: (described, m, n)."""
        found = [t[rows.h[:, k]][:, self.rows.h[:, k]] for k, (_, t) in enumerate(self.described)]
        return np.array(found).reshape(len(found), len(rows), len(self))

    def described_levels(self, which: Codes, level: Codes) -> Iterator[tuple[int, Codes, Array]]:
        """Yield the number of each described variable, its listed changes, and t_j between these levels and the data."""
        for k, (j, t) in enumerate(self.described):
            at = np.flatnonzero(which == j)
            yield k, at, t[level[at]][:, self.rows.h[:, k]]

    def level_distances(self, which: Codes, level: Codes) -> Array:
        """Return δ_j(l, h_ij) between level l = level[k] of variable j = which[k] and every datum i: (changes, n)."""
        h = self.points.h.T[which]
        distance: Array = (h != level[:, None]).astype(float)
        flat, first = self._flat_positions
        at = np.flatnonzero(first[which] >= 0)
        if len(at):
            start = first[which[at]]
            distance[at] = np.abs(flat[start[:, None] + h[at]] - flat[start + level[at]][:, None])
        for j, code in self.inactive:
            at = np.flatnonzero(which == j)
            distance[at] = np.where((h[at] == code) != (level[at] == code)[:, None], 1 - code**-0.5, distance[at])
        return distance


def quadratic_forms(W: Array, F: Array) -> Array:
    """Return fᵀ W f for every column f of F, W upper triangular.   W: (n, n)   F: (n, C)   ->   (C,)"""
    if F.shape[1] == 0:
        return np.empty(0)
    # In column-major terms: (W F)ᵀ = Fᵀ Wᵀ with Wᵀ lower triangular. Only the result is copied.
    product = dtrmm(1.0, W.T, F.T, side=1, lower=1)
    forms: Array = np.einsum("cn,nc->c", product, F)
    return forms


TASK_BOUNDS = (1e-3, 20.0)
"""Bounds of the rates of earlier studies: from tasks that are the same to tasks that have nothing in common."""


class Role(Enum):
    """The meaning of a hyperparameter, which determines its bounds and prior (`gp/priors.py`)."""

    RATE = auto()
    """w_j of a kernel exp(-Σ_j w_j d_j(h_j, h'_j)), which is 1 at h = h'."""
    DISCRETE_LENGTHSCALE = auto()
    """ℓ_j of any other kernel on discrete variables."""
    LENGTHSCALE = auto()
    """ℓ_k of a continuous variable. It weights the side of the trust region."""
    WEIGHT = auto()
    """Weight of one term in a sum of kernels. Kernels with weights need no output scale."""
    TRADE_OFF = auto()
    """λ of Eq. (4), between 0 and 1."""
    SMOOTHNESS = auto()
    """λ of `heat.py`, between 0 and 1."""
    SHARE = auto()
    """s of `heat.py`, between 0 and 1."""
    TASK = auto()
    """w of `task.py`, the rate of an earlier study."""


class LogNormal(NamedTuple):
    """log θ ~ N(log level, within²) for each entry; `between` is the deviation of the level that the entries share."""

    level: float
    within: float
    between: float = 0.0


class LogStudent(NamedTuple):
    """As `LogNormal`, but each entry deviates from the shared level by a Student t: a few may lie far away from the others."""

    level: float
    within: float
    between: float
    freedom: float


class Block(NamedTuple):
    """Consecutive hyperparameters with one role."""

    role: Role
    size: int
    shared_by: int = 1
    """Number of variables that share each hyperparameter."""
    prior: LogNormal | LogStudent | None = None
    """A prior of the kernel's own; None means the prior of the role."""
    bounds: tuple[float, float] | None = None
    """Bounds of the kernel's own, instead of those of App. C.3; None means the bounds of the role."""

    @classmethod
    def per_variable(cls, role: Role, count: int, ard: bool) -> Block:
        """One hyperparameter per variable with automatic relevance determination (`ard`), else one for all."""
        return cls(role, count) if ard else cls(role, 1, count)


def placed(blocks: Iterable[Block]) -> Iterator[tuple[Block, slice]]:
    """Yield each block and its place in the kernel's θ."""
    first = 0
    for block in blocks:
        yield block, slice(first, first + block.size)
        first += block.size


def dimension(kernel: Kernel) -> int:
    """Return the number of hyperparameters of a kernel."""
    return sum(block.size for block in kernel.blocks)


class ChangeTable(Protocol):
    """Covariances with the data after single changes of a discrete variable, without coding the changed points."""

    def covariances(self, crossed: tuple[Array, Any], at: Codes, old: Codes, new: Codes) -> Array:
        """Return k between each changed point and the data, times the scale of the table: (len(at), n).

        Changed point k is rows[at[k]], with the level of listed change old[k] replaced by that of new[k]. `crossed` is what
        `Kernel.cross` returns for the rows; it is not changed.
        """
        ...


class Kernel(Protocol):
    """A stationary kernel with a vector θ of positive hyperparameters.

    Derivatives are computed backwards. A caller computes the matrix of a kernel (`forward` or `cross`) and a scalar loss from
    it, then passes ∂loss/∂matrix back (`backward` or `pull`). The second result of `forward` and `cross` holds intermediate
    values that the derivatives need; only the kernel itself reads it. A symmetric ∂loss/∂K is passed folded: its lower
    triangle is added to the upper one and then zero.
    """

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The hyperparameters in the order of θ."""
        ...

    def diagonal(self, theta: Array) -> float:
        """Return k(z, z), the same for every z: one, unless the kernel says otherwise."""
        return 1.0

    def forward(self, theta: Array, data: Data) -> tuple[Array, Any]:
        """Return K over the data (n, n), and the values that `backward` needs."""
        ...

    def backward(self, theta: Array, data: Data, kept: Any, W: Array) -> Array:
        """Return ∂loss/∂θ from W = ∂loss/∂K, folded. W is not changed."""
        ...

    def cross(self, theta: Array, rows: Rows, data: Data) -> tuple[Array, Any]:
        """Return K between rows and the data (m, n), and the values that `pull` needs."""
        ...

    def cross_again(self, theta: Array, rows: Rows, data: Data, kept: Any) -> tuple[Array, Any]:
        """Return `cross` of rows that moved in x only since it returned `kept`, without computing the parts of h again."""
        return self.cross(theta, rows, data)

    def pull(self, theta: Array, rows: Rows, data: Data, kept: Any, V: Array) -> Array:
        """Return ∂loss/∂x of the rows from V = ∂loss/∂K: zero, unless the kernel depends on x. V is not changed."""
        return np.zeros_like(rows.x)

    def factors(self, theta: Array, data: Data, which: Codes, level: Codes) -> Array | None:
        """Return e (changes, n) if k is a product over the discrete variables alone; None if it is not.

        Change k sets variable which[k] to level[k]. It multiplies k by e[new] / e[old], and k is the product of the e of all
        variables.
        """
        return None

    def ratio_sums(self, theta: Array, y: Array, levels: Levels, old: Codes) -> Array | None:
        """Return Σ_i y_i e[new] / e[old] of `factors` for each listed level; None if the kernel cannot."""
        return None

    def change_sums(self, theta: Array, crossed: tuple[Array, Any], z: Array, levels: Levels, old: Codes) -> Array | None:
        """Return Σ_i z_i k_i after the change to each listed level, in single precision; None if the kernel cannot.

        z: (m, r, n), r vectors for each row.   old: (m, levels), the listed level that is replaced.   ->   (m, r, levels)
        `crossed` is what `cross` returns for the rows.
        """
        return self.ratio_sums(theta, crossed[0][:, None] * z, levels, old)

    def change_table(self, theta: Array, data: Data, which: Codes, level: Codes, scale: float) -> ChangeTable | None:
        """Return a table of scale · k after each of the listed changes; None without `factors`."""
        factor = self.factors(theta, data, which, level)
        return None if factor is None else FactorTable(factor, scale)


@dataclass(frozen=True, eq=False)
class FactorTable:
    """k(h', z_i) = k(h, z_i) · e_j(h'_j, i) / e_j(h_j, i) if h' differs from h in variable j only."""

    factor: Array
    scale: float

    def covariances(self, crossed: tuple[Array, Any], at: Codes, old: Codes, new: Codes) -> Array:
        """Return the covariances of `ChangeTable`."""
        return changed(crossed[0] * self.scale, self.factor, at, old, new)


def changed(before: Array, factor: Array, at: Codes, old: Codes, new: Codes) -> Array:
    """Return before[at] · factor[new] / factor[old]."""
    K: Array = factor[new]
    K /= factor[old]
    K *= before[at]
    return K
