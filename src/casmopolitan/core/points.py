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

from casmopolitan.errors import InfeasibleError

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]

MAX_TRIES = 10_000
"""Random points drawn before a constraint is declared too tight to sample from."""


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
        return hash(tuple(self.keys()))

    def keys(self) -> list[bytes]:
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

    @property
    def count(self) -> int | None:
        """How many values the grid has; None without a grid."""
        return None if self.step is None else math.floor((self.high - self.low) / self.step * (1 + 1e-12) + 1e-9) + 1

    def value(self, unit: Array) -> Array:
        """From the unit interval to [low, high]."""
        if self.high == self.low:
            return np.full_like(unit, self.low)
        if self.log:
            return self.low * np.exp(unit * math.log(self.high / self.low))
        return self.low + unit * (self.high - self.low)

    def unit(self, value: Array) -> Array:
        """From [low, high] to the unit interval."""
        if self.high == self.low:
            return np.zeros_like(value)
        if self.log:
            return np.clip(np.log(value / self.low) / math.log(self.high / self.low), 0.0, 1.0)
        return np.clip((value - self.low) / (self.high - self.low), 0.0, 1.0)

    def index(self, unit: Array) -> Codes:
        """The nearest grid value's index; only on a grid."""
        if self.step is None or self.count is None:
            raise TypeError("an axis without a step has no grid")
        nearest = np.rint((self.value(unit) - self.low) / self.step)
        return np.clip(nearest, 0, self.count - 1).astype(np.int64)

    def at(self, index: Codes) -> Array:
        """The unit coordinate of the grid value with that index; only on a grid."""
        if self.step is None:
            raise TypeError("an axis without a step has no grid")
        return self.unit(np.asarray(self.low + index * self.step, dtype=np.float64))

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
        """Which points satisfy the constraint (calls it once a row: keep the rows few)."""
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

    def sample(self, n: int, rng: np.random.Generator) -> Points:
        """n feasible points, uniform over the domain; raises InfeasibleError when the constraint is too tight."""
        if self.feasible is None:
            return self.draw(n, rng)
        kept: list[Points] = []
        found = tries = 0
        while found < n:
            batch = self.draw(min(64, MAX_TRIES), rng)
            good = batch[self.feasible(batch)][: n - found]
            kept.append(good)
            found += len(good)
            tries = 0 if len(good) else tries + len(batch)
            if tries >= MAX_TRIES:
                raise InfeasibleError(
                    f"no feasible point among {tries} random ones: the constraint forbids (nearly) the whole space. "
                    "Loosen it, or express it by the variables' choices and bounds"
                )
        return stack(kept) if kept else no_points(self.d_h, self.d_x)
