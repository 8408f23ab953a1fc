"""The outcomes of a trial: objectives, all to be minimised, and other outcomes that have limits.

The values of a trial are a tuple: the objectives first, then the other outcomes, None where one is unknown. Arrays of them
have one row per trial, nan where a value is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from casmopolitan.core.front import inside, non_dominated, reference_point
from casmopolitan.core.points import Array, Mask

Values = tuple[float | None, ...]

LARGEST = 1e300
"""Larger distances from a limit are cut to this."""


@dataclass(frozen=True)
class Limit:
    """sign · value <= bound, for the outcome with this index. The sign is -1 if the value must be at least -bound."""

    outcome: int
    sign: float
    bound: float


@dataclass(frozen=True)
class Outcomes:
    """How many objectives and other outcomes a trial has, the limits, and the reference point of the hypervolume."""

    objectives: int = 1
    others: int = 0
    limits: tuple[Limit, ...] = ()
    reference: tuple[float, ...] | None = None
    """One value per objective, or None: chosen from the front."""

    @property
    def plain(self) -> bool:
        """Whether there is one objective and no limit, as in the paper."""
        return self.objectives == 1 and not self.limits

    @property
    def count(self) -> int:
        """The number of values of a trial."""
        return self.objectives + self.others

    def array(self, values: Iterable[Values]) -> Array:
        """Return the values of trials as an array (n, count)."""
        rows = [[np.nan if v is None else v for v in row] for row in values]
        return np.array(rows, dtype=np.float64).reshape(len(rows), self.count)

    def excesses(self, values: Array) -> Array:
        """Return sign · value - bound of every limit: (n, limits). A limit is met if its excess is at or below zero."""
        if not self.limits:
            return np.empty((len(values), 0))
        with np.errstate(over="ignore"):  # larger values are clipped
            excesses = np.stack([limit.sign * values[:, limit.outcome] - limit.bound for limit in self.limits], axis=1)
        return np.clip(excesses, -LARGEST, LARGEST)

    def feasible(self, values: Array) -> Mask:
        """Return which trials are known to meet every limit."""
        met: Mask = np.all(self.excesses(values) <= 0.0, axis=1)
        return met

    def candidates(self, values: Array) -> Mask:
        """Return which trials may be the best, or on the front: feasible, with every objective known."""
        known: Mask = np.all(np.isfinite(values[:, : self.objectives]), axis=1)
        return known & self.feasible(values)

    def violations(self, values: Array, sample: Array) -> Array:
        """Return Σ log(1 + max(excess, 0) / unit) over the limits: zero if all are met, inf if one is unknown.

        The unit of a limit is the median size of its excesses in the sample, so that no limit outweighs the others.
        """
        excesses = self.excesses(values)
        with np.errstate(over="ignore"):
            over = np.log1p(np.minimum(np.maximum(excesses, 0.0) / excess_units(self.excesses(sample)), LARGEST))
        total: Array = np.where(np.isnan(over), np.inf, over).sum(axis=1)
        return total

    def merits(self, values: Array, sample: Array) -> Array:
        """Return a rank for every trial, 0 the best; equal trials have equal ranks.

        Feasible trials come first, by their value; with several objectives, the front, then the front of the remaining ones,
        and so on. The others follow by their violation.
        """
        key = np.where(self.feasible(values), 0.0, self.violations(values, sample))
        known = np.isfinite(values[:, : self.objectives]).all(axis=1)
        value = values[:, 0] if self.objectives == 1 else layers(values[:, : self.objectives], known & (key == 0.0))
        value = np.where(known & (key == 0.0), value, np.inf)
        rows = np.stack([key, value], axis=1)
        _, ranks = np.unique(np.where(np.isfinite(rows), rows, np.finfo(np.float64).max), axis=0, return_inverse=True)
        return ranks.ravel().astype(np.float64)

    def improves(self, new: Values, before: Array, sample: Array, margin: float = 0.0) -> bool:
        """Return whether a trial is better than all before it.

        While none of them is feasible, its violation must be smaller. Otherwise it must be feasible, and its value must be
        smaller than the best by the margin; with several objectives, the hypervolume must grow.
        """
        row, reached = self.array([new]), self.candidates(before)
        if not reached.any():
            if self.candidates(row)[0]:
                return True
            least = self.violations(before, sample).min(initial=np.inf)
            return bool(self.violations(row, sample)[0] < least) and not self.feasible(row)[0]
        if not self.candidates(row)[0]:
            return False
        best, y = before[reached][:, : self.objectives], row[0, : self.objectives]
        if self.objectives == 1:
            value = float(best.min())
            return bool(y[0] < value - margin * abs(value))
        front = best[non_dominated(best)]
        dominated = bool((front <= y).all(axis=1).any())
        return not dominated and bool(inside(y[None], reference_point(front, self.reference))[0])


PLAIN = Outcomes()
"""One objective without limits."""


def excess_units(excesses: Array) -> Array:
    """Return the median size of each limit's known excesses, or one if that is zero: (limits,)."""
    units = np.ones(excesses.shape[1])
    for j, column in enumerate(excesses.T):
        sizes = np.abs(column[np.isfinite(column)])
        if len(sizes) and (middle := float(np.median(sizes))) > 0.0:
            units[j] = middle
    return units


def layers(values: Array, among: Mask) -> Array:
    """Return 0 for trials on the front, 1 for the front of the remaining trials, and so on; inf outside `among`.

    The layer of a trial is one more than the largest layer of those that dominate it. Of equal trials, the first is better.
    """
    layer, at = np.full(len(values), np.inf), np.flatnonzero(among)
    order = at[np.lexsort(values[at].T[::-1])]  # a trial is dominated only by trials before it
    y, number = values[order], np.full(len(order), -1.0)
    for i in range(len(order)):
        number[i] = number[:i][(y[:i] <= y[i]).all(axis=1)].max(initial=-1.0) + 1.0
    layer[order] = number
    return layer
