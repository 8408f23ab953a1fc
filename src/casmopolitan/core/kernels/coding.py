"""Weighted distances between discrete points as one matrix product, without an n × n × d array.

    D(h, h') = Σ_j w_j δ_j(h_j, h'_j)
             = Σ_j w_j c_j  +  (e w) + (e' w)  -  F diag(w_owner) F'ᵀ

F holds one-hot columns of the levels that occur in the data for a categorical variable (c_j = 1), or a single signed column
if only two levels occur (c_j = 1/2); for an ordinal variable it holds thermometer columns. e_j is the additional distance of
a level that does not occur in the data; it is zero for the data. Between a datum and any point the identity is exact.

A variable that may be inactive (`conditions.py`) has one more code. For an ordinal variable its position is the middle. For a
categorical one with g choices it is the unit vector (1, ..., 1) / √g in the space of the one-hot columns: as near to one choice
as to any other, δ = 1 - 1/√g. All vectors have length 1, so both exp(-wδ) and 1 - δ are kernels. The centre of the choices,
at δ = (g - 1) / 2g, would be nearer, but then 1 - δ has a negative eigenvalue.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.base import Data, Rows
from casmopolitan.core.kernels.ordinal import Thermometer
from casmopolitan.core.points import Array, Codes, Mask, Points, occurring

HALF = np.sqrt(0.5)

NO_TASKS = np.empty(0, dtype=np.int64)
"""The tasks of data without earlier studies."""


@dataclass(frozen=True, eq=False)
class Coding:
    """The columns made for one data set, and the code of every level in them.

    A column is weight · ([h_owner = plus] - [h_owner = minus]), where plus or minus may be no level (-1). Ordinal variables
    with more than two levels have thermometer columns instead, and neither level.
    """

    owner: Codes
    constant: Array
    _offset: Codes
    _plus: Codes
    _minus: Codes
    _weight: Array
    _excess: Array
    _positions: Array
    _ordinal: Codes
    thermometers: tuple[tuple[int, int, Thermometer], ...]
    _described: Codes
    conditional: tuple[tuple[int, int, Array], ...] = ()
    """Categorical variables that may be inactive, each with its first column and the code of every level (n_j + 1, columns)."""

    @classmethod
    def of(cls, domain: Domain, h: Codes) -> Coding:
        """Return the coding of the levels that occur in h (n >= 1 rows)."""
        levels, d_h = domain.codes, domain.d_h
        offset = np.cumsum(levels) - levels
        ordinal = np.array([j for j, p in enumerate(domain.positions) if p is not None], dtype=np.int64)
        positions = np.zeros(int(levels.sum()))
        for j in ordinal:
            positions[offset[j] : offset[j] + levels[j]] = domain.code_positions[j]
        seen = occurring(h, levels)
        of_level = np.repeat(np.arange(d_h), levels)
        occur = np.bincount(of_level[seen], minlength=d_h)  # how many levels of each variable occur
        long = ordinal[levels[ordinal] > 2]
        thermometers = [(int(j), Thermometer.seen(positions[offset[j] + h[:, j]])) for j in long]
        columns = np.where(occur > 2, occur, occur - 1)
        constant = np.where(occur > 2, 1.0, np.where(occur == 2, 0.5, 0.0))
        excess = np.where(seen, 0.0, np.where(occur > 2, 0.0, np.where(occur == 2, 0.5, 1.0))[of_level])
        for j, thermometer in thermometers:
            block = slice(offset[j], offset[j] + levels[j])
            constant[j], columns[j] = thermometer.constant, len(thermometer.gap)
            excess[block] = thermometer.excess(positions[block])
        simplices = {}
        for j in np.flatnonzero((domain.codes > domain.levels) & np.isin(np.arange(d_h), ordinal, invert=True)):
            block = slice(offset[j], offset[j] + levels[j])
            simplices[int(j)] = simplex_columns(seen[block][:-1])
            constant[j], columns[j], excess[block] = 1.0, simplices[int(j)].shape[1], 0.0
        start = np.cumsum(columns) - columns
        width = int(columns.sum())
        plus, minus, weight = np.full(width, -1), np.full(width, -1), np.ones(width)
        plain = np.ones(d_h, dtype=bool)
        plain[long] = False
        plain[list(simplices)] = False
        first, last = _ends(seen, offset, levels)
        two = np.flatnonzero(plain & (occur == 2))
        plus[start[two]], minus[start[two]], weight[start[two]] = first[two], last[two], HALF
        swapped = np.intersect1d(two, ordinal)  # a thermometer is negative below its gap
        plus[start[swapped]], minus[start[swapped]] = last[swapped], first[swapped]
        listed = np.flatnonzero(seen & (plain & (occur > 2))[of_level])
        variable = of_level[listed]
        rank = np.arange(len(listed)) - np.searchsorted(variable, variable)
        plus[start[variable] + rank] = listed - offset[variable]
        starts = tuple((j, int(start[j]), thermometer) for j, thermometer in thermometers)
        owner, inactive = np.repeat(np.arange(d_h), columns), tuple((j, int(start[j]), table) for j, table in simplices.items())
        described = np.array([j for j, _ in domain.described], dtype=np.int64)
        return cls(owner, constant, offset, plus, minus, weight, excess, positions, ordinal, starts, described, inactive)

    def encode(self, points: Points) -> Rows:
        """Code any points in these columns."""
        n, width = len(points), len(self.owner)
        padded = np.zeros((n, width + 1))  # the spare column keeps the memory layout that recorded runs depend on
        F = padded[:, :width]
        h = points.h if np.array_equal(self.owner, np.arange(points.h.shape[1])) else points.h.take(self.owner, axis=1)
        np.subtract(h == self._plus, h == self._minus, out=F, dtype=np.float64)
        F *= self._weight
        p = self._positions[points.h.take(self._ordinal, axis=1) + self._offset[self._ordinal]]
        for j, first, thermometer in self.thermometers:
            F[:, first : first + len(thermometer.gap)] = thermometer.columns(self._positions[self._offset[j] + points.h[:, j]])
        for j, first, table in self.conditional:
            F[:, first : first + table.shape[1]] = table[points.h[:, j]]
        e = self._excess[points.h + self._offset] if self._excess.any() else np.zeros(points.h.shape)
        return Rows(F, e, p - 0.5, points.x, points.h[:, self._described])

    def place(self, which: Codes, level: Codes) -> tuple[Codes, Array, Array]:
        """Return column, value and base of levels that are not coded by thermometers (`Levels`)."""
        width, at = len(self.owner), self._offset[which] + level
        column, value = np.full(len(self._excess), width), np.zeros(len(self._excess))
        for end, sign in ((self._plus, 1.0), (self._minus, -1.0)):
            used = np.flatnonzero(end >= 0)
            where = self._offset[self.owner[used]] + end[used]
            column[where], value[where] = used, sign * self._weight[used]
        return column[at], value[at], 1.0 - self.constant[which] - self._excess[at]


def coded(domain: Domain, points: Points, task: Codes = NO_TASKS) -> Data:
    """Return the points (n >= 1) as kernels take them, in columns made for them. Points beyond `task` are of task 0."""
    c, described = Coding.of(domain, points.h), domain.described
    whole = not c.thermometers and not c.conditional and not described
    inactive, positions = tuple((j, len(table) - 1) for j, _, table in c.conditional), domain.code_positions
    if len(task):
        task = np.concatenate([task, np.zeros(len(points) - len(task), dtype=np.int64)])
    return Data(points, c.encode(points), c.owner, c.constant, positions, c.encode, c.place, whole, described, task, inactive)


def simplex_columns(seen: Mask) -> Array:
    """Return the codes of a categorical variable's g levels and of the inactive one: (g + 1, columns).

    One column per level that occurs in the data, and one for what the inactive code has in common with the other levels.
    """
    g, occur = len(seen), int(seen.sum())
    table = np.zeros((g + 1, occur + (occur < g)))
    table[np.flatnonzero(seen), np.arange(occur)] = 1.0
    table[g, :occur] = g**-0.5
    if occur < g:
        table[g, occur] = (1.0 - occur / g) ** 0.5
        table[np.flatnonzero(~seen), occur] = (g - occur) ** -0.5
    return table


def _ends(seen: Mask, offset: Codes, levels: Codes) -> tuple[Codes, Codes]:
    """Return the first and the last level of each variable that occurs; each has one."""
    at = np.flatnonzero(seen)
    first = at[np.searchsorted(at, offset)] - offset
    last = at[np.searchsorted(at, offset + levels) - 1] - offset
    return first, last
