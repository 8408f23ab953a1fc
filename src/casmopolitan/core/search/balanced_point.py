"""Points of a balanced design: in the whole of it, and over all points so far, the values of a variable appear evenly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Codes, Points
from casmopolitan.core.search.eligibility import Eligibility
from casmopolitan.core.search.random_point import first_eligible, random_point_of_space

TRIES = 16
"""Balanced points that are tried before one is repaired, and less used values that are tried for one variable."""

DRAWN = 512
"""Random candidates, if the domain is a list of them, from which one is chosen."""

REPAIRS = 256
"""Limit on the steps of a repair, since a constraint may be costly."""


def balanced_point(eligibility: Eligibility, used: Points, n: int, rng: np.random.Generator) -> Points:
    """Draw an eligible point of a design of n points. Every variable has a value that is due, independently of the others.

    If a constraint or the points taken leave no such point, as many variables as possible have one. Raises ExhaustedError and
    InfeasibleError as `random_point_of_space` does.
    """
    usage = Usage(Cells(eligibility.domain, n), used)
    if eligibility.domain.candidates is not None:
        return least_used(usage, eligibility, rng)
    balanced = usage.cells.draw(usage.due(TRIES, rng), rng)
    found = first_eligible([eligibility.domain.canonical(balanced)], eligibility)
    if found is not None:
        return found
    return repaired(random_point_of_space(eligibility, rng), balanced[0], usage, eligibility, rng)


def least_used(usage: Usage, eligibility: Eligibility, rng: np.random.Generator) -> Points:
    """Return the one of some random candidates whose values were used least, on average over the variables that exist in it."""
    drawn = eligibility.domain.draw(DRAWN, rng)
    drawn = drawn[eligibility.admits(drawn)]
    if not len(drawn):
        return random_point_of_space(eligibility, rng)
    cells, active = usage.cells, eligibility.domain.active(drawn)
    counts = usage.counts[np.where(active, cells.of(drawn) + cells.first, 0)]
    return drawn[int(np.argmin((counts * active).sum(axis=1) / np.maximum(1, active.sum(axis=1))))]


@dataclass(frozen=True, eq=False)
class Cells:
    """The values of each variable that a design of n points counts: the levels of h, and n intervals of each axis.

    The intervals have equal lengths. If an ordinal variable or a grid has more than n values, each cell is a run of them.
    """

    domain: Domain
    n: int

    @cached_property
    def long(self) -> Codes:
        """The ordinal variables with more than n levels."""
        ordinal = [j for j, position in enumerate(self.domain.positions) if position is not None]
        return np.array([j for j in ordinal if self.domain.levels[j] > self.n], dtype=np.int64)

    @cached_property
    def sizes(self) -> Codes:
        """Number of cells per variable, those of h first."""
        axes = [min(axis.count or self.n, self.n) for axis in self.domain.axes]
        sizes = np.concatenate([self.domain.levels, np.array(axes, dtype=np.int64)])
        sizes[self.long] = self.n
        return sizes

    @cached_property
    def first(self) -> Codes:
        """The first cell of each variable, if the cells of all variables are numbered in a row."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def owner(self) -> Codes:
        """The variable of each cell."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def edges(self) -> dict[int, Codes]:
        """For each axis that is a grid, the first index of every cell, and the number of indices. No cell is empty."""
        found = {}
        for k in self.domain.grids:
            axis, count, place = self.domain.axes[k], self.domain.axes[k].count or 1, np.arange(self.sizes[self.domain.d_h + k])
            starts = np.maximum.accumulate(axis.index(place / len(place)) - place) + place
            found[k] = np.append(np.minimum(starts, count - len(place) + place), count)
        return found

    def of(self, points: Points) -> Codes:
        """Return the cell of every variable: (n, d_h + d_x)."""
        h, x = points.h.copy(), np.minimum((points.x * self.n).astype(np.int64), self.n - 1)
        h[:, self.long] = h[:, self.long] * self.n // self.domain.levels[self.long]
        for k, edges in self.edges.items():
            x[:, k] = np.searchsorted(edges[:-1], self.domain.axes[k].index(points.x[:, k]), side="right") - 1
        return np.concatenate([h, x], axis=1)

    def draw(self, cells: Codes, rng: np.random.Generator) -> Points:
        """Draw one point of every row of cells."""
        h, chosen, levels = cells[:, : self.domain.d_h].copy(), cells[:, self.domain.d_h :], self.domain.levels[self.long]
        first, end = (-(-(h[:, self.long] + i) * levels // self.n) for i in (0, 1))
        h[:, self.long] = rng.integers(first, end)
        x = (chosen + rng.random(chosen.shape)) / self.sizes[self.domain.d_h :]
        for k, edges in self.edges.items():
            inside = np.clip(self.domain.axes[k].index(x[:, k]), edges[chosen[:, k]], edges[chosen[:, k] + 1] - 1)
            x[:, k] = self.domain.axes[k].at(inside)
        return Points(h, x)


@dataclass(frozen=True, eq=False)
class Usage:
    """How often each cell was used."""

    cells: Cells
    used: Points

    @cached_property
    def codes(self) -> Codes:
        """The cells of the used points."""
        return self.cells.of(self.used)

    @cached_property
    def counts(self) -> Codes:
        """Points per cell, all variables in a row; only where they are active."""
        active = self.cells.domain.active(self.used)
        return np.bincount((self.codes + self.cells.first)[active], minlength=len(self.cells.owner))

    def due(self, n: int, rng: np.random.Generator) -> Codes:
        """Draw n rows of cells that are due: (n, d_h + d_x).

        Cells never used come first, so that any first points of a design use as many as they can. Then all are due that may
        still be used if counts are to differ by at most one in the end. (If those used least came first, two points would be
        mirror images in all switches, and 10 points would say as much about them as 5.) Once the design is complete, those used
        least are due.
        """
        cells, counts, owner = self.cells, self.counts, self.cells.owner
        share, rest = np.divmod(cells.n, cells.sizes)
        least, above = np.minimum.reduceat(counts, cells.first), np.bincount(owner[counts > share[owner]], minlength=len(share))
        open_ = (counts < share[owner]) | ((counts == share[owner]) & (above < rest)[owner])
        due = np.flatnonzero((counts == least[owner]) | (open_ & (least > 0)[owner]))
        number = np.bincount(owner[due], minlength=len(share))
        chosen: Codes = due[np.cumsum(number) - number + rng.integers(0, number, size=(n, len(number)))] - cells.first
        return chosen

    def less_used(self, point: Points, j: int, rng: np.random.Generator) -> Points:
        """Return the point with variable j moved to each of its less used cells, the least used first, at most TRIES."""
        cells, code = self.cells, self.cells.of(point)
        counts = self.counts[cells.first[j] :][: cells.sizes[j]]
        order = np.lexsort((rng.random(len(counts)), counts))
        order = order[counts[order] < counts[code[0, j]]][:TRIES]
        moved = np.repeat(code, len(order), axis=0)
        moved[:, j] = order
        return replaced(self.cells.domain, point, cells.draw(moved, rng), np.array([j]))


def repaired(point: Points, balanced: Points, usage: Usage, eligibility: Eligibility, rng: np.random.Generator) -> Points:
    """Move as many variables of an eligible point as possible to the values of a balanced one that is not eligible.

    All are moved at once if that is eligible, otherwise one half after the other, and so on. A single variable tries all of its
    less used values.
    """
    blocks = [rng.permutation(len(usage.cells.sizes))]
    domain = eligibility.domain
    for _ in range(REPAIRS):
        if not blocks:
            break
        block = blocks.pop()
        single = len(block) == 1
        moved = usage.less_used(point, int(block[0]), rng) if single else replaced(domain, point, balanced, block)
        found = first_eligible([moved], eligibility)
        if found is not None:
            point = found
        elif not single:
            blocks += np.array_split(block, 2)
    return point


def replaced(domain: Domain, point: Points, others: Points, variables: Codes) -> Points:
    """Return the point once per row of `others`, with some variables, and those that become active, taken from that row."""
    taken = ~domain.active(point)[0]
    taken[variables] = True
    h, x = np.split(taken, [domain.d_h])
    return domain.canonical(Points(np.where(h, others.h, point.h), np.where(x, others.x, point.x)))
