"""Weighted distances between discrete points as one matrix product, without an n × n × d array.

    D(h, h') = Σ_j w_j δ_j(h_j, h'_j)
             = Σ_j w_j c_j  +  (e w) + (e' w)  -  F diag(w_owner) F'ᵀ

F holds one-hot columns of the levels that occur in the data for a categorical variable (c_j = 1), or a single signed column
if only two levels occur (c_j = 1/2); for an ordinal variable it holds thermometer columns. e_j is the additional distance of
a level that does not occur in the data; it is zero for the data. Between a datum and any point the identity is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.base import Data, Rows
from casmopolitan.core.kernels.ordinal import Thermometer
from casmopolitan.core.points import Array, Codes, Points

HALF = np.sqrt(0.5)


@dataclass(frozen=True, eq=False)
class Coding:
    """The columns made for one data set, and the code of every level in them."""

    owner: Codes
    constant: Array
    _offset: Codes
    _column: Codes
    _value: Array
    _excess: Array
    _ordinal: tuple[tuple[int, int, Array, Thermometer], ...]

    @classmethod
    def of(cls, domain: Domain, h: Codes) -> Coding:
        """Return the coding of the levels that occur in h (n >= 1 rows)."""
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
        """Code any points in these columns."""
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


def coded(domain: Domain, points: Points) -> Data:
    """Return the points (n >= 1) as kernels take them, in columns made for them."""
    coding = Coding.of(domain, points.h)
    return Data(points, coding.encode(points), coding.owner, coding.constant, domain.positions, coding.encode)
