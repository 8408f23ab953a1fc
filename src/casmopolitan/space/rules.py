"""The rules of a space on points: which points break which rule, all rows and all rules at once, and repair of such points.

A clause is forbidden if all of its conditions hold. A condition is about one coordinate: a level, one of several levels, or a
range. Equal conditions are checked once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casmopolitan.core.points import Array, Codes, Mask, Points
from casmopolitan.space.codec import Codec
from casmopolitan.space.constraint import Alternatives, Forbid
from casmopolitan.space.interval import Interval, numbers_of
from casmopolitan.space.linear import TOLERANCE, Linear
from casmopolitan.space.ranges import Integer, Real

BLOCK = 4_000_000
"""Pairs of a row and a rule that are checked at a time, so that memory stays bounded."""

ROUNDS, ENOUGH, PROPOSALS, NOISE = 200, 25, 8, 0.1
"""Repair: the most changes of a row; after how many three quarters of the rows are enough; how many changes are compared each
time, and how often any of them is made instead of the best."""


@dataclass(frozen=True, eq=False)
class ClauseCondition:
    """What a clause says about one coordinate: `column` counts those of h first. Levels of h, or a range of x."""

    column: int
    levels: tuple[int, ...] = ()
    ranges: tuple[tuple[float, float], ...] = ()
    """Ranges of values; of indices if the axis is a grid."""


@dataclass(frozen=True, eq=False)
class Rules:
    """The clauses and linear rules of a space, compiled for the points of a codec."""

    codec: Codec
    clauses: Sequence[Forbid]
    linear: Sequence[Linear]

    @classmethod
    def of(cls, codec: Codec, clauses: Sequence[Forbid], linear: Sequence[Linear]) -> Rules:
        """Return the rules without clauses that can never apply, because a constant has another value."""
        return cls(codec, [clause for clause in clauses if clause.fixed(codec.constants) is not None], linear)

    def __len__(self) -> int:
        return len(self.clauses) + len(self.linear)

    @cached_property
    def d_h(self) -> int:
        """Number of discrete variables."""
        return len(self.codec.discrete)

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {name: i for i, name in enumerate([*self.codec.discrete, *self.codec.continuous])}

    @cached_property
    def _terms(self) -> tuple[list[ClauseCondition], Codes]:
        """The distinct conditions, and those of each clause by number; clauses are filled up with -1, which always holds."""
        found: dict[object, int] = {}
        conditions: list[ClauseCondition] = []
        rows: list[list[int]] = []
        for clause in self.clauses:
            row = []
            for name, values in clause.values.items():
                if name not in self._columns:
                    continue  # a constant that has the named value
                condition = self._condition(name, values)
                same = (condition.column, condition.levels, condition.ranges)
                if same not in found:
                    found[same] = len(conditions)
                    conditions.append(condition)
                row.append(found[same])
            rows.append(row)
        width = max(map(len, rows), default=0)
        padded = [row + [-1] * (width - len(row)) for row in rows]
        return conditions, np.array(padded, dtype=np.int64).reshape(len(rows), width)

    def _condition(self, name: str, values: Alternatives) -> ClauseCondition:
        column = self._columns[name]
        if name in self.codec.discrete:
            variable = self.codec.discrete[name]
            if isinstance(values, Interval):
                return ClauseCondition(column, tuple(k for k in range(int(variable.count)) if variable.at(k) in values))
            return ClauseCondition(column, tuple(sorted(variable.indices(values))))
        ranged, axis = self.codec.continuous[name]
        if not isinstance(values, Interval):
            return ClauseCondition(column, ranges=_runs(ranged.indices(values)))
        if not axis.gridded:
            return ClauseCondition(column, ranges=((values.low, values.high),))
        return ClauseCondition(column, ranges=_inside(ranged, values))

    @cached_property
    def _single(self) -> tuple[Codes, Codes, Codes]:
        """The conditions on one level: their numbers, columns and levels."""
        found = [(i, c.column, c.levels[0]) for i, c in enumerate(self._terms[0]) if c.column < self.d_h and len(c.levels) == 1]
        numbers, columns, levels = np.array(found, dtype=np.int64).reshape(-1, 3).T
        return numbers, columns, levels

    @cached_property
    def _others(self) -> list[int]:
        """The numbers of all other conditions."""
        return [i for i in range(len(self._terms[0])) if i not in set(self._single[0].tolist())]

    @cached_property
    def _weights(self) -> tuple[Array, Array, Array]:
        """The linear rules W v <= b: W (rules, coordinates), b, and Σ |terms that are constant|."""
        W, b = np.zeros((len(self.linear), len(self._columns))), np.zeros(len(self.linear))
        fixed = np.zeros(len(self.linear))
        for r, rule in enumerate(self.linear):
            coefficients, b[r] = rule.parsed
            for name, coefficient in coefficients.items():
                if name in self._columns:
                    W[r, self._columns[name]] = coefficient
                else:
                    term = coefficient * _number(self.codec.constants, name)
                    b[r], fixed[r] = b[r] - term, fixed[r] + abs(term)
        return W, b, fixed

    @cached_property
    def _tables(self) -> dict[int, Array]:
        """The numbers behind the levels of those discrete variables that linear rules add."""
        return {j: numbers_of(v) for j, v in enumerate(self.codec.discrete.values()) if self._weights[0][:, j].any()}

    def values(self, points: Points) -> Array:
        """Return the numbers behind those coordinates that linear rules add, 0 elsewhere: (n, d_h + d_x).

        A variable that does not exist at a point counts as 0.
        """
        found = np.zeros((len(points), len(self._columns)))
        for j, table in self._tables.items():
            found[:, j] = table[np.minimum(points.h[:, j], len(table) - 1)]
        for k, (_, axis) in enumerate(self.codec.continuous.values()):
            if self._weights[0][:, self.d_h + k].any():
                found[:, self.d_h + k] = axis.value(points.x[:, k])
        return found if self.codec.conditions is None else found * self.codec.conditions.active(points.h)

    def excesses(self, points: Points) -> Array:
        """Return by how much each linear rule is broken, relative to the sizes of its terms; 0 if it holds: (n, rules)."""
        W, b, fixed = self._weights
        values = self.values(points)
        size = np.abs(values) @ np.abs(W).T + np.abs(b) + fixed
        relative = (values @ W.T - b) / np.where(size > 0.0, size, 1.0)
        return np.where(relative > TOLERANCE, relative, 0.0)

    def _holding(self, points: Points) -> Mask:
        """Return which conditions hold: (n, conditions + 1); the last one always does."""
        conditions = self._terms[0]
        holds = np.ones((len(points), len(conditions) + 1), dtype=bool)
        numbers, columns, levels = self._single
        holds[:, numbers] = points.h[:, columns] == levels
        axes = [axis for _, axis in self.codec.continuous.values()]
        places: dict[int, Array | Codes] = {}
        for i in self._others:
            condition = conditions[i]
            if condition.column >= self.d_h:
                k = condition.column - self.d_h
                if k not in places:
                    read = axes[k].index if axes[k].gridded else axes[k].value
                    places[k] = read(points.x[:, k])
                holds[:, i] = False
                for low, high in condition.ranges:
                    holds[:, i] |= (places[k] >= low) & (places[k] <= high)
            else:
                holds[:, i] = np.isin(points.h[:, condition.column], condition.levels)
        return holds

    def broken(self, points: Points) -> Mask:
        """Return which rules each point breaks, clauses first: (n, rules)."""
        terms = self._terms[1]
        holds = self._holding(points)
        hit = np.ones((len(points), len(self.clauses)), dtype=bool)
        for k in range(terms.shape[1]):
            hit &= holds[:, terms[:, k]]
        if self.codec.conditional:  # a clause never applies to a variable that does not exist
            for r, clause in enumerate(self.clauses):
                hit[:, r] &= self.codec.exist(points, clause.values).all(axis=1)
        return hit if not self.linear else np.concatenate([hit, self.excesses(points) > 0.0], axis=1)

    def allows(self, points: Points) -> Mask:
        """Return which points break no rule."""
        rows = max(1, BLOCK // max(1, len(self)))
        parts = [~self.broken(points[first : first + rows]).any(axis=1) for first in range(0, len(points), rows)]
        return np.concatenate(parts) if parts else np.ones(0, dtype=bool)

    def repair(self, points: Points, rng: np.random.Generator) -> Points:
        """Return the points changed until they break no rule, or until the rounds are over (min-conflicts search).

        A round picks one broken rule of each row and compares random new values of its variables. The one that breaks the
        fewest rules is taken; sometimes any of them, so that the search does not go in circles.
        """
        h, x, at = points.h.copy(), points.x.copy(), np.arange(len(points) if self._movable[1].all() else 0)
        for turn in range(ROUNDS):
            if len(at) <= (len(points) // 4 if turn >= ENOUGH else 0):
                break
            broken = self.broken(Points(h[at], x[at]))
            left = broken.any(axis=1)
            at, broken = at[left], broken[left]
            if not len(at):
                break
            rule = np.argmax(broken * rng.random(broken.shape), axis=1)
            proposed = self._proposals(Points(h[at], x[at]), rule, rng)
            cost = self.broken(proposed).sum(axis=1).astype(np.float64)
            if self.linear:
                cost += self.excesses(proposed).sum(axis=1)
            cost = cost.reshape(len(at), PROPOSALS) + 1e-3 * rng.random((len(at), PROPOSALS))
            best = np.where(rng.random(len(at)) < NOISE, 0, np.argmin(cost, axis=1))
            chosen = np.arange(len(at)) * PROPOSALS + best
            h[at], x[at] = proposed.h[chosen], proposed.x[chosen]
        return Points(h, x)

    @cached_property
    def _movable(self) -> tuple[Codes, Codes]:
        """The coordinates that each rule is about, in rows of equal length, and how many there are in each row."""
        conditions, terms = self._terms
        found = [sorted({conditions[i].column for i in row if i >= 0}) for row in terms.tolist()]
        found += [np.flatnonzero(weights).tolist() for weights in self._weights[0]]
        counts = np.array([len(row) for row in found], dtype=np.int64)
        rows = np.zeros((len(found), int(counts.max(initial=0))), dtype=np.int64)
        for row, columns in zip(rows, found, strict=True):
            row[: len(columns)] = columns
        return rows, counts

    def _proposals(self, points: Points, rule: Codes, rng: np.random.Generator) -> Points:
        """Return PROPOSALS changes of each row, each of one variable of the row's rule."""
        n, names, conditions = len(points), list(self.codec.discrete), self.codec.conditions
        if conditions is not None:  # a change may bring other variables into existence
            points = conditions.completed(points, self.codec.domain(None).draw_values(n, rng))
        h, x = np.repeat(points.h, PROPOSALS, axis=0), np.repeat(points.x, PROPOSALS, axis=0)
        rules, rows = np.repeat(rule, PROPOSALS), np.arange(n * PROPOSALS)
        columns, counts = self._movable
        column = columns[rules, rng.integers(0, counts[rules])]
        levels = np.array([int(self.codec.discrete[name].count) for name in names], dtype=np.int64)
        discrete = column < self.d_h
        which, at = column[discrete], rows[discrete]
        other = rng.integers(0, levels[which] - 1)
        h[at, which] = other + (other >= h[at, which])
        at, which = rows[~discrete], column[~discrete] - self.d_h
        drawn = rng.random(len(at))
        linear = rules[at] >= len(self.clauses)
        if linear.any():  # towards the side on which the rule holds
            weight = self._weights[0][rules[at[linear]] - len(self.clauses), column[at[linear]]]
            here = x[at[linear], which[linear]]
            drawn[linear] = np.where(weight > 0, here * drawn[linear], here + (1.0 - here) * drawn[linear])
        x[at, which] = drawn
        for k, (_, axis) in enumerate(self.codec.continuous.values()):
            if axis.gridded:
                moved = at[which == k]
                x[moved, k] = axis.snapped(x[moved, k])
        return Points(h, x) if conditions is None else conditions.canonical(Points(h, x))


def _runs(indices: Sequence[int]) -> tuple[tuple[float, float], ...]:
    """Return sorted runs of neighbouring indices, each from its first to its last."""
    ordered = sorted(set(indices))
    starts = [i for i, k in enumerate(ordered) if i == 0 or k != ordered[i - 1] + 1]
    ends = [*starts[1:], len(ordered)]
    return tuple((ordered[a], ordered[b - 1]) for a, b in zip(starts, ends, strict=True))


def _inside(variable: Integer | Real, interval: Interval) -> tuple[tuple[float, float], ...]:
    """Return the indices of the grid values in an interval, by bisection: the first and the last."""
    count = int(variable.count)

    def first(holds: object) -> int:
        low, high = 0, count
        while low < high:
            middle = (low + high) // 2
            if holds(variable.at(middle)):  # type: ignore[operator]
                high = middle
            else:
                low = middle + 1
        return low

    start, end = first(lambda value: value >= interval.low), first(lambda value: value > interval.high)
    return ((start, end - 1),) if start < end else ()


def _number(constants: Mapping[str, object], name: str) -> float:
    return float(constants[name])  # type: ignore[arg-type]
