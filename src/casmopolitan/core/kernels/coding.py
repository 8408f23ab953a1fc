"""Weighted distances between discrete points as one matrix product (no n × n × d array anywhere).

    D(h, h') = Σ_j w_j d_j(h_j, h'_j)
             = Σ_j w_j c_j  +  (e w) + (e' w)  -  F diag(w_owner) F'ᵀ

d_j is 0 or 1 for a categorical variable and |p - p'| for an ordinal one. F holds, for a categorical variable, one-hot columns
of the levels that occur in the data (c_j = 1), or a single signed column when only two do (c_j = 1/2); for an ordinal one the
thermometer columns. e_j is what a level never seen in the data adds. Between a datum and any point the identity is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dtrmm

from casmopolitan.core.arrays import Array, Codes
from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.ordinal import Thermometer
from casmopolitan.core.points import Points

HALF = np.sqrt(0.5)


@dataclass(frozen=True, eq=False)
class Rows:
    """Points in the columns of a coding: F (n, C), e (n, d_h), where their ordinals lie, p - ½ (n, d_o), and x (n, d_x)."""

    F: Array
    e: Array
    p: Array
    x: Array

    def __len__(self) -> int:
        return len(self.x)


@dataclass(frozen=True, eq=False)
class Coding:
    """The columns made for one data set, and the law that puts any point into them."""

    owner: Codes
    constant: Array
    _offset: Codes
    _column: Codes
    _value: Array
    _excess: Array
    _ordinal: tuple[tuple[int, int, Array, Thermometer], ...]

    @classmethod
    def of(cls, domain: Domain, h: Codes) -> Coding:
        """The coding of the levels that occur in h (n >= 1 rows)."""
        levels = domain.levels
        offset = np.concatenate([[0], np.cumsum(levels)[:-1]]).astype(np.int64) if len(levels) else levels
        total = int(levels.sum())
        column, value, excess = np.full(total, -1, dtype=np.int64), np.ones(total), np.zeros(total)
        owner: list[Codes] = []
        constant, ordinal, width = np.zeros(len(levels)), [], 0
        for j, positions in enumerate(domain.positions):
            block = slice(offset[j], offset[j] + levels[j])
            if positions is not None:
                thermometer = Thermometer.seen(positions[h[:, j]])
                ordinal.append((j, width, positions, thermometer))
                constant[j] = thermometer.constant
                excess[block] = thermometer.excess(positions)
                columns = len(thermometer.gap)
            else:
                seen = offset[j] + np.unique(h[:, j])
                columns = len(seen) if len(seen) > 2 else len(seen) - 1
                if len(seen) > 2:
                    constant[j] = 1.0
                    column[seen] = width + np.arange(columns)
                elif len(seen) == 2:
                    constant[j] = 0.5
                    excess[block], excess[seen] = 0.5, 0.0
                    column[seen], value[seen] = width, [HALF, -HALF]
                else:
                    excess[block], excess[seen] = 1.0, 0.0
            owner.append(np.full(columns, j, dtype=np.int64))
            width += columns
        column[column < 0] = width  # a spare column, dropped after filling
        return cls(
            np.concatenate(owner) if owner else np.empty(0, dtype=np.int64),
            constant, offset, column, value, excess, tuple(ordinal),
        )  # fmt: skip

    def encode(self, points: Points) -> Rows:
        """Any points in these columns."""
        n, width = len(points), len(self.owner)
        at = points.h + self._offset
        F, p = np.zeros((n, width + 1)), np.empty((n, len(self._ordinal)))
        if len(self._offset) > len(self._ordinal):
            F[np.arange(n)[:, None], self._column[at]] = self._value[at]
        for k, (j, first, positions, thermometer) in enumerate(self._ordinal):
            p[:, k] = positions[points.h[:, j]]
            F[:, first : first + len(thermometer.gap)] = thermometer.columns(p[:, k])
        p -= 0.5
        return Rows(F[:, :width], self._excess[at], p, points.x)

    def distances(self, a: Rows, b: Rows, w: Array) -> Array:
        """D between every row of a and every row of b, one of them data.   w: (d_h,)   ->   (|a|, |b|)"""
        D: Array = (a.F * -w[self.owner]) @ b.F.T
        D += (self.constant @ w + a.e @ w)[:, None]
        D += b.e @ w
        return np.maximum(D, 0.0, out=D)

    def self_distances(self, rows: Rows, w: Array) -> Array:
        """D among the data themselves: symmetric, exactly zero on the diagonal."""
        A = rows.F * np.sqrt(w)[self.owner]
        D: Array = A @ A.T
        np.subtract(self.constant @ w, D, out=D)
        np.maximum(D, 0.0, out=D)
        np.fill_diagonal(D, 0.0)
        return D

    def weight_gradient(self, rows: Rows, W: Array) -> Array:
        """∂/∂w of a loss with W = ∂loss/∂D folded:  c_j 1ᵀW1 - Σ_{columns of j} 1ᵀ(F ∘ W F)."""
        gradient: Array = self.constant * W.sum()
        gradient -= np.bincount(self.owner, quadratic_forms(W, rows.F), minlength=len(self.constant))
        return gradient


def quadratic_forms(W: Array, F: Array) -> Array:
    """fᵀ W f for every column f of F, W upper triangular.   W: (n, n)   F: (n, C)   ->   (C,)"""
    if F.shape[1] == 0:
        return np.empty(0)
    # In column-major terms: (W F)ᵀ = Fᵀ Wᵀ with Wᵀ lower triangular, no array copied but the result.
    product = dtrmm(1.0, W.T, F.T, side=1, lower=1)
    forms: Array = np.einsum("cn,nc->c", product, F)
    return forms
