"""Points z = [h, x] (Sec. 3) and the domain they live in.

h: (n, d_h) integer codes of the discrete variables, 0 <= h_j < n_j
x: (n, d_x) coordinates of the continuous variables in the unit cube
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from casmopolitan.core.arrays import Array, Codes, Mask
from casmopolitan.errors import InfeasibleError

MAX_TRIES = 10_000
"""Random points drawn before a constraint is declared too tight to sample from."""


def way_out(certain: bool) -> str:
    """What to do where the constraint allows no point, certainly or as far as was looked."""
    if certain:
        return "Loosen it, or express it by the variables' choices and bounds"
    return (
        "Loosen it, express it by the variables' choices and bounds, or give one allowed configuration as `initial` (in a "
        "study: enqueue one): others are then sought beside it"
    )


@dataclass(frozen=True, eq=False)
class Points:
    """n points: their discrete codes and their continuous coordinates, row by row."""

    h: Codes
    x: Array

    def __len__(self) -> int:
        return len(self.h)

    def __getitem__(self, rows: int | slice | NDArray[np.generic] | list[int]) -> Points:
        """The chosen rows; a single row is still Points, of length one."""
        if isinstance(rows, int | np.integer):
            rows = slice(int(rows), None if rows == -1 else int(rows) + 1)
        return Points(self.h[rows], self.x[rows])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Points) and np.array_equal(self.h, other.h) and np.array_equal(self.x, other.x)

    def __hash__(self) -> int:
        return hash(tuple(self.identities()))

    def identities(self) -> list[bytes]:
        """One hashable identity a row: equal keys, equal points."""
        h, x = np.ascontiguousarray(self.h), np.ascontiguousarray(self.x + 0.0)  # -0.0 becomes 0.0
        return [a.tobytes() + b.tobytes() for a, b in zip(h, x, strict=True)]


def no_points(d_h: int, d_x: int) -> Points:
    """Zero rows of the given widths."""
    return Points(np.empty((0, d_h), dtype=np.int64), np.empty((0, d_x)))


def stack(parts: Iterable[Points]) -> Points:
    """The rows of all parts, one below the other; at least one part is needed."""
    parts = list(parts)
    return Points(np.concatenate([p.h for p in parts]), np.concatenate([p.x for p in parts]))


@dataclass(frozen=True)
class Axis:
    """One coordinate of x: the unit interval as a picture of [low, high], on a grid when it has a step."""

    low: float
    high: float
    step: float | None = None
    log: bool = False

    @cached_property
    def steps(self) -> float:
        """How many steps long the range is; a whole number, up to rounding, is that number. Only on a grid."""
        if self.step is None:
            raise TypeError("an axis without a step has no grid")
        steps = (self.high - self.low) / self.step
        rounding = max(1e-6, 1e-15 * max(abs(self.low), abs(self.high)) / self.step)
        return float(round(steps)) if abs(steps - round(steps)) <= rounding else steps

    @cached_property
    def count(self) -> int | None:
        """How many values the grid has; None without a grid."""
        return None if self.step is None else math.floor(self.steps) + 1

    @cached_property
    def logs(self) -> tuple[float, float]:
        """log low, and log high - log low; only on a log scale."""
        return math.log(self.low), math.log(self.high) - math.log(self.low)

    def value(self, unit: Array) -> Array:
        """From the unit interval to [low, high]; 0 and 1 give the bounds themselves."""
        if self.log:
            low, span = self.logs
            inner = np.exp(low + unit * span)
        else:
            inner = self.low + unit * (self.high - self.low)
        return np.where(unit >= 1.0, self.high, np.where(unit <= 0.0, self.low, np.clip(inner, self.low, self.high)))

    def unit(self, value: Array) -> Array:
        """From [low, high] to the unit interval."""
        if self.high == self.low:
            return np.zeros_like(value)
        if self.log:
            low, span = self.logs
            return np.clip((np.log(value) - low) / span, 0.0, 1.0)
        return np.clip((value - self.low) / (self.high - self.low), 0.0, 1.0)

    def index(self, unit: Array) -> Codes:
        """The nearest grid value's index; only on a grid."""
        share = (self.value(unit) - self.low) / ((self.high - self.low) or 1.0) if self.log else unit
        return np.clip(np.rint(share * self.steps), 0, math.floor(self.steps)).astype(np.int64)

    def at(self, index: Codes) -> Array:
        """The unit coordinate of the grid value with that index; only on a grid."""
        share = np.asarray(index / max(self.steps, 1.0), dtype=np.float64)
        return self.unit(self.low + share * (self.high - self.low)) if self.log else share

    def snapped(self, unit: Array) -> Array:
        """The nearest grid point, or the coordinate itself where there is no grid."""
        return unit if self.step is None else self.at(self.index(unit))


Feasible = Callable[[Points], Mask]


@dataclass(frozen=True, eq=False)
class Domain:
    """The search space as the core sees it: [H, X] of Sec. 3.

    levels[j] = n_j, the number of values of discrete variable j; positions[j] = where the levels of an ordinal variable
    lie in [0, 1] (App. B.2: |h - h'| / |h - h'|_max is the difference of positions), or None for a categorical one.
    """

    levels: Codes
    positions: tuple[Array | None, ...]
    axes: tuple[Axis, ...]
    feasible: Feasible | None = None
    costly: bool = False
    """Whether the constraint calls somebody's code, once a row, so that few rows should be asked about."""

    @property
    def d_h(self) -> int:
        """Number of discrete variables."""
        return len(self.levels)

    @property
    def d_x(self) -> int:
        """Number of continuous variables."""
        return len(self.axes)

    @cached_property
    def size(self) -> int | float:
        """Number of points, constraint not considered: an exact integer, or inf."""
        counts = [axis.count for axis in self.axes]
        if any(count is None for count in counts):
            return math.inf
        return math.prod(int(n) for n in self.levels) * math.prod(count or 1 for count in counts)

    @cached_property
    def grids(self) -> tuple[int, ...]:
        """The axes that are grids."""
        return tuple(k for k, axis in enumerate(self.axes) if axis.step is not None)

    def allows(self, points: Points) -> Mask:
        """Which points satisfy the constraint."""
        return np.ones(len(points), dtype=bool) if self.feasible is None else self.feasible(points)

    def snapped(self, points: Points) -> Points:
        """The points with every gridded coordinate moved to the nearest value of its grid."""
        if not self.grids:
            return points
        x = points.x.copy()
        for k in self.grids:
            x[:, k] = self.axes[k].snapped(x[:, k])
        return Points(points.h, x)

    def draw(self, n: int, rng: np.random.Generator) -> Points:
        """n points uniform over the domain, the constraint not considered."""
        h = rng.integers(0, self.levels, size=(n, self.d_h), dtype=np.int64)
        x = rng.random((n, self.d_x))
        for k in self.grids:
            axis = self.axes[k]
            if not axis.log:
                x[:, k] = axis.at(rng.integers(0, axis.count or 1, size=n))
        return self.snapped(Points(h, x))

    def every_point(self) -> Points:
        """All points of a finite domain in lexicographic order, the constraint not considered; for small ones."""
        if not isinstance(self.size, int):
            raise TypeError("a domain with a continuous axis has no end")
        h, x = np.empty((self.size, self.d_h), dtype=np.int64), np.empty((self.size, self.d_x))
        number = np.arange(self.size)
        for k in reversed(range(self.d_x)):
            number, digit = np.divmod(number, self.axes[k].count or 1)
            x[:, k] = self.axes[k].at(digit)
        for j in reversed(range(self.d_h)):
            number, h[:, j] = np.divmod(number, self.levels[j])
        return Points(h, x)

    def sample(self, n: int, rng: np.random.Generator) -> Points:
        """n feasible points, uniform over the domain; raises InfeasibleError when the constraint is too tight.

        A domain of at most MAX_TRIES points is searched whole before it is given up.
        """
        if self.feasible is None:
            return self.draw(n, rng)
        kept = [no_points(self.d_h, self.d_x)]
        found = tries = 0
        while found < n and tries < min(MAX_TRIES, self.size):
            batch = self.draw(min(64, max(n - found, tries)), rng)
            good = batch[self.feasible(batch)][: n - found]
            kept.append(good)
            found += len(good)
            tries = 0 if len(good) else tries + len(batch)
        if found < n:
            kept.append(self._sample_whole(n - found, rng))
        return stack(kept)

    def _sample_whole(self, n: int, rng: np.random.Generator) -> Points:
        """n feasible points of a domain so tightly constrained that random points miss it."""
        whole = self.size <= MAX_TRIES
        every = self.every_point() if whole else no_points(self.d_h, self.d_x)
        good = every[self.allows(every)]
        if not len(good):
            where = f"none of the {self.size} points is feasible" if whole else f"no feasible point in {MAX_TRIES} tries"
            raise InfeasibleError(f"{where}: the constraint forbids (nearly) the whole space. {way_out(whole)}")
        return good[rng.integers(0, len(good), size=n)]
