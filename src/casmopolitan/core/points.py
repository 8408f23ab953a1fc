"""Points z = [h, x] (Sec. 3), the axes of their continuous coordinates, and the types of arrays.

h: (n, d_h) integer codes of the discrete variables, 0 <= h_j < n_j
x: (n, d_x) coordinates of the continuous variables in the unit cube
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from casmopolitan.core.significant_digits import SignificantDigits

Array = NDArray[np.float64]
"""Real numbers."""

Codes = NDArray[np.int64]
"""Integer codes of discrete values, or indices."""

Mask = NDArray[np.bool_]
"""True or false, entry by entry."""


MANY = 64
"""Points with at least this many codes have short identities, if they can."""


@dataclass(frozen=True, eq=False)
class Points:
    """n points, row by row: their discrete codes and their continuous coordinates."""

    h: Codes
    x: Array

    def __len__(self) -> int:
        return len(self.h)

    def __getitem__(self, rows: int | slice | NDArray[np.generic] | list[int]) -> Points:
        """Return the chosen rows; a single row is Points of length one."""
        if isinstance(rows, int | np.integer):
            rows = slice(int(rows), None if rows == -1 else int(rows) + 1)
        if isinstance(rows, np.ndarray) and rows.dtype == bool and rows.all():
            return self
        return Points(self.h[rows], self.x[rows])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Points) and np.array_equal(self.h, other.h) and np.array_equal(self.x, other.x)

    def __hash__(self) -> int:
        return hash(tuple(self.identities()))

    def within(self, point: Points, distance: float) -> Mask:
        """Return which rows have the h of one point, and every coordinate of x within `distance` of its x."""
        near: Mask = (self.h == point.h).all(axis=1) & (np.abs(self.x - point.x) <= distance).all(axis=1)
        return near

    def identities(self) -> list[bytes]:
        """Return one hashable identity per row; equal points have equal identities.

        Of many codes, a row without one above 255 needs one byte for each, any other row eight: no two rows are confused.
        """
        h, x = np.ascontiguousarray(self.h), np.ascontiguousarray(self.x + 0.0)  # -0.0 becomes 0.0
        if h.shape[1] < MANY:
            return _joined(h, x)
        short, small = h.astype(np.uint8), h.max(axis=1) < 256
        return [s if fits else a for a, s, fits in zip(_joined(h, x), _joined(short, x), small.tolist(), strict=True)]


def _joined(h: NDArray[np.integer], x: Array) -> list[bytes]:
    """Return the bytes of each row of h, followed by those of x."""
    parts = [part.view(np.uint8) for part in (h, x) if part.shape[1]]
    if not parts or not len(h):
        return [b""] * len(h)
    rows = np.ascontiguousarray(parts[0] if len(parts) == 1 else np.hstack(parts))
    return rows.view(f"V{rows.shape[1]}").ravel().tolist()


def occurring(h: Codes, levels: Codes) -> Mask:
    """Return which levels occur in h, those of all variables one after the other: (Σ levels,)."""
    first, seen = np.cumsum(levels) - levels, np.zeros(int(levels.sum()), dtype=bool)
    rows = max(1, 100_000 // max(1, len(levels)))  # at a time: few enough for the processor's cache
    for start in range(0, len(h), rows):
        seen[first + h[start : start + rows]] = True
    return seen


def no_points(d_h: int, d_x: int) -> Points:
    """Return zero rows of the given widths."""
    return Points(np.empty((0, d_h), dtype=np.int64), np.empty((0, d_x)))


def stack(parts: Iterable[Points]) -> Points:
    """Return the rows of all parts, one below the other; at least one part is needed."""
    parts = list(parts)
    return Points(np.concatenate([p.h for p in parts]), np.concatenate([p.x for p in parts]))


def linear_value(unit: Array, low: Array | float, high: Array | float) -> Array:
    """Map the unit interval to [low, high]; 0 and 1 give exactly the bounds. Bounds may be vectors: one entry per column."""
    return _cut(low + unit * (high - low), unit, low, high)


def linear_unit(value: Array, low: Array | float, high: Array | float) -> Array:
    """Map [low, high] to the unit interval. Bounds may be vectors: one entry per column."""
    unit: Array = np.minimum(np.maximum((value - low) / (high - low), 0.0), 1.0)
    return unit


def _cut(inner: Array, unit: Array, low: Array | float, high: Array | float) -> Array:
    """Return values cut at their bounds, which 0 and 1 give exactly."""
    return np.where(unit >= 1.0, high, np.where(unit <= 0.0, low, np.minimum(np.maximum(inner, low), high)))


@dataclass(frozen=True)
class Axis:
    """One coordinate of x: the unit interval mapped to [low, high], on a grid if it has a step or significant digits."""

    low: float
    high: float
    step: float | None = None
    log: bool = False
    digits: int | None = None
    """Significant digits of the values. Then the bounds are values, and there is no step."""

    @property
    def gridded(self) -> bool:
        """Whether it is a grid."""
        return self.step is not None or self.digits is not None

    @cached_property
    def steps(self) -> float:
        """The length of the range in steps, rounded if it is nearly a whole number; only with a step."""
        if self.step is None:
            raise TypeError("an axis without a step has no grid")
        steps = (self.high - self.low) / self.step
        rounding = max(1e-6, 1e-15 * max(abs(self.low), abs(self.high)) / self.step)
        return float(round(steps)) if abs(steps - round(steps)) <= rounding else steps

    @cached_property
    def decimals(self) -> SignificantDigits | None:
        """The values with the given number of significant digits."""
        return None if self.digits is None else SignificantDigits(self.low, self.high, self.digits)

    @cached_property
    def count(self) -> int | None:
        """The number of grid values; None without a grid."""
        if self.decimals is not None:
            return self.decimals.count
        return None if self.step is None else math.floor(self.steps) + 1

    @cached_property
    def logs(self) -> tuple[float, float]:
        """log low, and log high - log low; only on a log scale."""
        return math.log(self.low), math.log(self.high) - math.log(self.low)

    def value(self, unit: Array) -> Array:
        """Map the unit interval to [low, high]; 0 and 1 give exactly the bounds."""
        if not self.log:
            return linear_value(unit, self.low, self.high)
        low, span = self.logs
        return _cut(np.exp(low + unit * span), unit, self.low, self.high)

    def unit(self, value: Array) -> Array:
        """Map [low, high] to the unit interval."""
        if self.high == self.low:
            return np.zeros_like(value)
        if self.log:
            low, span = self.logs
            return np.clip((np.log(value) - low) / span, 0.0, 1.0)
        return linear_unit(value, self.low, self.high)

    def index(self, unit: Array) -> Codes:
        """Return the index of the nearest grid value; only on a grid."""
        if self.decimals is not None:
            return self.decimals.index(self.value(unit))
        share = (self.value(unit) - self.low) / ((self.high - self.low) or 1.0) if self.log else unit
        return np.clip(np.rint(share * self.steps), 0, math.floor(self.steps)).astype(np.int64)

    def at(self, index: Codes) -> Array:
        """Return the unit coordinate of the grid value with this index; only on a grid."""
        if self.decimals is not None:
            return self.unit(self.decimals.at(index))
        share = np.asarray(index / max(self.steps, 1.0), dtype=np.float64)
        return self.unit(self.low + share * (self.high - self.low)) if self.log else share

    def snapped(self, unit: Array) -> Array:
        """Return the nearest grid point, or the coordinate itself if there is no grid."""
        return self.at(self.index(unit)) if self.gridded else unit
