"""The search space as the core sees it: levels, axes, conditions and the constraint."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casmopolitan.core.candidates import Candidates
from casmopolitan.core.conditions import MIDDLE, Conditions, with_centre
from casmopolitan.core.points import Array, Axis, Codes, Mask, Points, no_points, stack
from casmopolitan.errors import InfeasibleError

MAX_TRIES = 10_000
"""Random points of the whole domain drawn without success before the constraint is declared too tight."""

BATCHES = 20
"""Batches of random points of a region drawn before the search continues with the feasible points found so far."""


def how_to_loosen(certain: bool) -> str:
    """Return advice for a constraint that allows no point, or none that a random search found."""
    if certain:
        return "Loosen it, or express it by the variables' choices and bounds"
    return (
        "Loosen it, express it by the variables' choices and bounds, or supply one allowed configuration: others are then "
        "searched for near it"
    )


Feasible = Callable[[Points], Mask]

Repair = Callable[[Points, np.random.Generator], Points]
"""Changes points until the constraint allows them, or until it gives up."""

Portion = Callable[[int, int], int]
"""(points still missing, points of the batch checked already) -> how many points to check next."""


@dataclass(frozen=True, eq=False)
class Domain:
    """The search space as the core sees it: [H, X] of Sec. 3.

    levels[j] = n_j, the number of values of discrete variable j. positions[j] = the positions of an ordinal variable's levels
    in [0, 1] (App. B.2: |h - h'| / |h - h'|_max is the difference of positions), or None for a categorical variable.
    """

    levels: Codes
    positions: tuple[Array | None, ...]
    axes: tuple[Axis, ...]
    feasible: Feasible | None = None
    costly: bool = False
    """Whether the constraint calls a user's function once per row, so that few rows should be checked."""
    distances: tuple[Array | None, ...] = ()
    """Distances between the levels of each described categorical variable, of mean 1; None for any other discrete variable.
    An empty tuple describes none."""
    repair: Repair | None = None
    """How to find points that a tight constraint allows; None if it can only be checked."""
    candidates: Candidates | None = None
    """The only points that exist; None if all do. The constraint then allows just these."""
    conditions: Conditions | None = None
    """When variables exist; None if all of them always do."""

    @cached_property
    def described(self) -> tuple[tuple[int, Array], ...]:
        """The described variables, each with the distances between its levels."""
        return tuple((j, self._with_inactive(j, apart)) for j, apart in enumerate(self.distances) if apart is not None)

    def _with_inactive(self, j: int, distances: Array) -> Array:
        """Return the distances between all codes: an inactive variable is at the centre of its levels."""
        return distances if self.codes[j] == self.levels[j] else with_centre(distances)

    @property
    def d_h(self) -> int:
        """Number of discrete variables."""
        return len(self.levels)

    @property
    def d_x(self) -> int:
        """Number of continuous variables."""
        return len(self.axes)

    @cached_property
    def codes(self) -> Codes:
        """Number of codes per discrete variable: its levels, and one more for a variable that may be inactive."""
        return self.levels if self.conditions is None else self.levels + self.conditions.conditional[: self.d_h]

    @cached_property
    def code_positions(self) -> tuple[Array | None, ...]:
        """The positions of all codes: an inactive ordinal variable is in the middle."""
        pairs = zip(self.positions, self.codes, strict=True)
        return tuple(p if p is None or len(p) == n else np.append(p, MIDDLE) for p, n in pairs)

    @cached_property
    def size(self) -> int | float:
        """Number of points, ignoring the constraint: an exact integer, or inf."""
        if self.candidates is not None:
            return len(self.candidates)
        counts = [axis.count for axis in self.axes]
        if any(count is None for count in counts):
            return math.inf
        if self.conditions is not None:
            return self.conditions.size([*map(int, self.levels), *(count or 1 for count in counts)])
        return math.prod(int(n) for n in self.levels) * math.prod(count or 1 for count in counts)

    @cached_property
    def grids(self) -> tuple[int, ...]:
        """The axes that are grids."""
        return tuple(k for k, axis in enumerate(self.axes) if axis.gridded)

    def allows(self, points: Points) -> Mask:
        """Return which points satisfy the constraint."""
        return np.ones(len(points), dtype=bool) if self.feasible is None else self.feasible(points)

    def canonical(self, points: Points) -> Points:
        """Return the points with the canonical value of every inactive variable."""
        return points if self.conditions is None else self.conditions.canonical(points)

    def active(self, points: Points) -> Mask:
        """Return which variables are active, those of h first: (n, d_h + d_x)."""
        if self.conditions is None:
            return np.ones((len(points), self.d_h + self.d_x), dtype=bool)
        return self.conditions.active(points.h)

    def snapped(self, points: Points) -> Points:
        """Return the points with every gridded coordinate moved to the nearest value of its grid."""
        if not self.grids:
            return points
        x = points.x.copy()
        for k in self.grids:
            x[:, k] = self.axes[k].snapped(x[:, k])
        return Points(points.h, x)

    def draw(self, n: int, rng: np.random.Generator) -> Points:
        """Draw n points, uniform over the domain, ignoring the constraint."""
        if self.candidates is not None:
            return self.candidates.points[rng.integers(0, len(self.candidates), size=n)]
        return self.canonical(self.draw_values(n, rng))

    def draw_values(self, n: int, rng: np.random.Generator) -> Points:
        """Draw a value of every variable, uniformly, as if all were active: n rows."""
        h = rng.integers(0, self.levels, size=(n, self.d_h), dtype=np.int64)
        x = rng.random((n, self.d_x))
        for k in self.grids:
            axis = self.axes[k]
            if not axis.log and axis.digits is None:
                x[:, k] = axis.at(rng.integers(0, axis.count or 1, size=n))
        return self.snapped(Points(h, x))

    def every_point(self) -> Points:
        """Return all points of a small domain in lexicographic order, ignoring the constraint."""
        if not isinstance(self.size, int):
            raise TypeError("the points of a domain with a continuous axis cannot be listed")
        if self.candidates is not None:
            return self.candidates.points
        if self.conditions is not None:
            return self._every_canonical_point(self.conditions)
        h, x = np.empty((self.size, self.d_h), dtype=np.int64), np.empty((self.size, self.d_x))
        inner = 1  # how many points follow each other with the same value
        for k in reversed(range(self.d_x)):
            values = self.axes[k].at(np.arange(self.axes[k].count or 1))
            x.reshape(-1, len(values), inner, self.d_x)[..., k] = values[:, None]
            inner *= len(values)
        for j in reversed(range(self.d_h)):
            h.reshape(-1, int(self.levels[j]), inner, self.d_h)[..., j] = np.arange(self.levels[j])[:, None]
            inner *= int(self.levels[j])
        return Points(h, x)

    def _every_canonical_point(self, conditions: Conditions) -> Points:
        """Return all canonical points: the rows so far, with every value of one more variable where it is active."""
        rows = Points(np.zeros((1, self.d_h), dtype=np.int64), np.full((1, self.d_x), MIDDLE))
        always = [v for v in range(self.d_h + self.d_x) if v not in conditions.required]
        for v in (*always, *conditions.order):
            count = int(self.levels[v]) if v < self.d_h else self.axes[v - self.d_h].count or 1
            active = conditions.holds(v, rows.h)
            repeats = np.where(active, count, 1)
            index = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
            rows, active = rows[np.repeat(np.arange(len(rows)), repeats)], np.repeat(active, repeats)
            if v < self.d_h:
                rows.h[:, v] = np.where(active, index, count)
            else:
                rows.x[:, v - self.d_h] = np.where(active, self.axes[v - self.d_h].at(index), MIDDLE)
        return rows

    def first_allowed(self, batches: Iterable[Points], n: int, portion: Portion) -> Points:
        """Return the first n points of the batches that the constraint allows, or fewer if the batches run out.

        All random searches for feasible points use it. A constraint may be costly, so few points are checked at a time, and a
        batch is drawn only when it is needed.
        """
        kept, found = [no_points(self.d_h, self.d_x)], 0
        for batch in batches:
            checked = 0
            while checked < len(batch) and found < n:
                part = batch[checked : checked + portion(n - found, checked)]
                kept.append(part[self.allows(part)])
                found, checked = found + len(kept[-1]), checked + len(part)
            if found >= n:
                break
        return stack(kept)[:n]

    def sample(self, n: int, rng: np.random.Generator) -> Points:
        """Draw n feasible points, uniform over the domain.

        A domain of at most MAX_TRIES points is listed before the search gives up. Raises InfeasibleError if the constraint
        allows no point that can be found.
        """
        if self.feasible is None:
            return self.draw(n, rng)
        kept = [no_points(self.d_h, self.d_x)]
        found = tries = 0
        while found < n and tries < min(MAX_TRIES, self.size):
            batch = self.draw(min(64, max(n - found, tries)), rng)
            good = self.first_allowed([batch], n - found, lambda *_: 64)
            kept.append(good)
            found += len(good)
            tries = 0 if len(good) else tries + len(batch)
        if found < n and self.size > MAX_TRIES:
            batches = (self.repaired(self.draw(max(n - found, 16), rng), rng) for _ in range(BATCHES))
            kept.append(self.first_allowed(batches, n - found, lambda missing, _: missing) if self.repair else kept[0])
            found += len(kept[-1])
        if found < n:
            kept.append(self._sample_whole(n - found, rng))
        return stack(kept)

    def repaired(self, points: Points, rng: np.random.Generator) -> Points:
        """Return the points, changed until the constraint allows them; fewer, even none, if that does not succeed."""
        if self.repair is None:
            return points[:0]
        moved = self.repair(points, rng)
        return moved[self.allows(moved)]

    def _sample_whole(self, n: int, rng: np.random.Generator) -> Points:
        """Draw n feasible points from the list of all points, for a constraint so tight that random points miss it."""
        whole = self.size <= MAX_TRIES
        every = self.every_point() if whole else no_points(self.d_h, self.d_x)
        good = every[self.allows(every)]
        if not len(good):
            where = f"none of the {self.size} points is feasible" if whole else f"no feasible point in {MAX_TRIES} tries"
            raise InfeasibleError(f"{where}: the constraint forbids (nearly) the whole space. {how_to_loosen(whole)}")
        return good[rng.integers(0, len(good), size=n)]
