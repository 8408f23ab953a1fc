"""Which variables a point has: some exist only if others, their parents, have certain values.

Variables are numbered as columns, those of h first, then those of x. A variable is active if each of its parents is active and
has one of the levels that the variable requires. Points are canonical: an inactive variable of h has the code n_j, the first
that is not a level, and an inactive coordinate of x is ½. So points that differ in inactive variables only are equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from casmopolitan.core.points import Array, Codes, Mask, Points

Required = tuple[tuple[int, tuple[int, ...]], ...]
"""The parents of a variable, columns of h, each with the levels of which it must have one."""

MIDDLE = 0.5
"""The coordinate of an inactive variable of x, and the position of an inactive ordinal variable."""


@dataclass(frozen=True, eq=False)
class Conditions:
    """The requirements of the variables that have any, by column. They contain no cycle."""

    levels: Codes
    d_x: int
    required: Mapping[int, Required]

    @property
    def d_h(self) -> int:
        """Number of discrete variables."""
        return len(self.levels)

    @cached_property
    def conditional(self) -> Mask:
        """Which variables may be inactive: (d_h + d_x,)."""
        return np.isin(np.arange(self.d_h + self.d_x), list(self.required))

    @cached_property
    def controls(self) -> Mask:
        """Which variables of h are parents: (d_h,)."""
        parents = [parent for required in self.required.values() for parent, _ in required]
        return np.isin(np.arange(self.d_h), parents)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The variables that have requirements, parents before their children, those of h before those of x."""
        left, placed = [v for v in self.required if v < self.d_h], list[int]()
        while left:
            ready = [v for v in left if not any(parent in left for parent, _ in self.required[v])]
            placed += ready
            left = [v for v in left if v not in ready]
        return (*placed, *(v for v in self.required if v >= self.d_h))

    @cached_property
    def _tables(self) -> dict[int, tuple[tuple[int, Mask], ...]]:
        """For each variable with requirements, its parents, and which of a parent's codes satisfy them."""
        return {
            v: tuple((parent, np.isin(np.arange(self.levels[parent] + 1), levels)) for parent, levels in required)
            for v, required in self.required.items()
        }

    def holds(self, v: int, h: Codes) -> Mask:
        """Return where the parents of variable v have the levels that it requires."""
        holds = np.ones(len(h), dtype=bool)
        for parent, table in self._tables.get(v, ()):
            holds &= table[h[:, parent]]
        return holds

    def active(self, h: Codes) -> Mask:
        """Return which variables are active.   canonical h: (n, d_h)   ->   (n, d_h + d_x)"""
        active = np.ones((len(h), self.d_h + self.d_x), dtype=bool)
        for v in self.required:
            active[:, v] = self.holds(v, h)
        return active

    def canonical(self, points: Points) -> Points:
        """Return the points with the canonical value of every inactive variable. Active ones must have a value."""
        h, x = points.h.copy(), points.x.copy()
        for v in self.order:
            inactive = ~self.holds(v, h)
            if v < self.d_h:
                h[inactive, v] = self.levels[v]
            else:
                x[inactive, v - self.d_h] = MIDDLE
        return Points(h, x)

    def completed(self, points: Points, spare: Points) -> Points:
        """Return canonical points with the values of `spare` for inactive variables: every variable has a value then."""
        active = self.active(points.h)
        h, x = np.split(active, [self.d_h], axis=1)
        return Points(np.where(h, points.h, spare.h), np.where(x, points.x, spare.x))

    def changed(self, points: Points, which: Codes, level: Codes, spare: Points) -> Points:
        """Return each point with variable which[i] at level[i]; variables that become active have the values of `spare`."""
        whole = self.completed(points, spare)
        h = whole.h.copy()
        h[np.arange(len(h)), which] = level
        return self.canonical(Points(h, whole.x))

    def differences(self, h: Codes, centre: Codes) -> Codes:
        """Return how many variables are active at both points and differ.   canonical h: (n, d_h)   ->   (n,)"""
        both = (h < self.levels) & (centre < self.levels)
        differences: Codes = np.count_nonzero((h != centre) & both, axis=1)
        return differences

    def best_known(self, points: Points, order: Iterable[int], spare: Points) -> Points:
        """Return for every variable its value in the first point, in this order, where it is active; else that of `spare`."""
        ranked = points[np.array(list(order), dtype=np.int64)]
        if not len(ranked):
            return spare
        active = self.active(ranked.h)
        first: Codes = np.argmax(active, axis=0)
        known: Mask = active[first, np.arange(len(first))]
        h = np.where(known[: self.d_h], ranked.h[first[: self.d_h], np.arange(self.d_h)], spare.h[0])
        x = np.where(known[self.d_h :], ranked.x[first[self.d_h :], np.arange(self.d_x)], spare.x[0])
        return Points(h[None], x[None])

    def implied(self, fixed: Mapping[int, int | None]) -> tuple[dict[int, int], list[int]]:
        """Return what fixed variables imply: levels of their ancestors, and the variables that are inactive in any case.

        `fixed` maps columns to levels; to None for those of x. An ancestor that is not fixed gets the first level that fits
        all of its fixed descendants.
        """
        levels = {**{parent: allowed[0] for parent, allowed in self.fitting(fixed).items()}, **fixed}
        inactive: list[int] = []
        for v in self.order:
            for parent, allowed in self.required[v]:
                never = parent in inactive or (parent in levels and levels[parent] not in allowed)
                if never and v not in inactive:
                    inactive.append(v)
        return {j: level for j, level in levels.items() if j < self.d_h and level is not None}, inactive

    def fitting(self, fixed: Iterable[int]) -> dict[int, tuple[int, ...]]:
        """Return the levels of each ancestor of fixed variables that fit all of these; fixed ancestors are left out."""
        found, kept = dict[int, tuple[int, ...]](), set(fixed)
        left = list(fixed)
        while left:
            for parent, allowed in self.required.get(left.pop(), ()):
                if parent in kept:
                    continue
                if parent not in found:
                    left.append(parent)
                both = tuple(level for level in found.get(parent, allowed) if level in allowed)
                found[parent] = both or allowed  # if none fits all of them, some are inactive
        return found

    def size(self, counts: Sequence[int]) -> int:
        """Return the number of canonical points.   counts: the number of values per variable, (d_h + d_x,)"""

        @cache
        def count(left: frozenset[tuple[int, Required]]) -> int:
            """Return the number of combinations of some variables, given their remaining requirements."""
            parents = {parent for _, required in left for parent, _ in required}
            free = math.prod(counts[v] for v, required in left if not required and v not in parents)
            rest = {v: required for v, required in left if required or v in parents}
            root = next((v for v, required in sorted(rest.items()) if not required), None)
            if root is None:
                return free
            return free * sum(count(frozenset(settled(rest, root, level).items())) for level in range(counts[root]))

        whole = {v: tuple(self.required.get(v, ())) for v in range(len(counts))}
        return math.prod(count(frozenset((v, whole[v]) for v in part)) for part in self._families(len(counts)))

    def _families(self, width: int) -> list[set[int]]:
        """Return the variables in groups, so that parents and children are in one group."""
        families: list[set[int]] = [{v} for v in range(width)]
        for v, required in self.required.items():
            linked = [family for family in families if family & {v, *(parent for parent, _ in required)}]
            families = [family for family in families if family not in linked] + [set().union(*linked)]
        return families


def settled(required: Mapping[int, Required], root: int, level: int) -> dict[int, Required]:
    """Return the remaining requirements if variable `root` has a level; it and the variables it rules out are left out."""
    gone, left = {root}, dict(required)
    del left[root]
    ruled_out = {v for v, needs in left.items() if any(p == root and level not in allowed for p, allowed in needs)}
    while ruled_out:
        gone |= ruled_out
        left = {v: needs for v, needs in left.items() if v not in ruled_out}
        ruled_out = {v for v, needs in left.items() if any(p in gone and p != root for p, _ in needs)}
    return {v: tuple((p, allowed) for p, allowed in needs if p != root) for v, needs in left.items()}


def part_of(conditions: Conditions, fixed_h: Mapping[int, int], fixed_x: Iterable[int]) -> Conditions | None:
    """Return the conditions of the columns that are not fixed. Fixed parents must have levels that their children allow."""
    d_h, gone = conditions.d_h, {*fixed_h, *(conditions.d_h + k for k in fixed_x)}
    kept = [v for v in range(d_h + conditions.d_x) if v not in gone]
    number = {v: i for i, v in enumerate(kept)}
    required = {
        number[v]: free
        for v, needs in conditions.required.items()
        if v in number and (free := tuple((number[p], allowed) for p, allowed in needs if p in number))
    }
    left = [j for j in range(d_h) if j not in fixed_h]
    return Conditions(conditions.levels[left], len(kept) - len(left), required) if required else None


def with_centre(distances: Array) -> Array:
    """Return distances of negative type between g levels, extended by the centre of the levels: (g + 1, g + 1).

    Such distances are squares of distances in a Euclidean space. There the square of the distance from level a to the centre is
    the mean of row a less half of the mean of all entries, so the extended distances are of negative type too.
    """
    away = distances.mean(axis=1) - 0.5 * distances.mean()
    extended: Array = np.block([[distances, away[:, None]], [away[None], np.zeros((1, 1))]])
    return extended
