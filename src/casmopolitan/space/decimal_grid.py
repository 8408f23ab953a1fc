"""Equally spaced decimal values, and the limits of floats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from casmopolitan.core.points import Array
from casmopolitan.core.significant_digits import SignificantDigits
from casmopolitan.formatting import counted, short_repr
from casmopolitan.scalars import is_finite, is_whole

LINEAR_LIMIT = 2**48
"""The largest bound of a grid, in steps: up to here every value survives scaling to the unit interval and back."""

LOG_LIMIT = 2**40
"""The same for a grid on a log scale."""

MOST_DIGITS, SMALLEST = 15, 1e-290
"""The most significant digits, and the smallest size of a bound with digits: floats represent all decimals in between."""

OFF_GRID = 1e-6
"""How far, in steps, a value may be from a grid value to count as that value."""


@dataclass(frozen=True)
class DecimalGrid:
    """The values (first + k pace) / unit, k = 0 ... count - 1, in whole numbers: each float is the nearest to its decimal."""

    first: int
    pace: int
    unit: int
    count: int

    @classmethod
    def of(cls, low: float, high: float, step: float) -> DecimalGrid:
        """Return the grid from low to high at most; bounds and step have the decimals that Python prints."""
        start, span, pace = Fraction(repr(low)), Fraction(repr(high)) - Fraction(repr(low)), Fraction(repr(step))
        steps = round(span / pace)
        if steps and abs(span / pace - steps) < Fraction(1, 10**9):
            pace = span / steps  # 1/3 prints as 0.3333333333333333: three such steps should reach 1
        else:
            steps = math.floor(span / pace)
        unit = math.lcm(start.denominator, pace.denominator)
        return cls(int(start * unit), int(pace * unit), unit, steps + 1)

    @property
    def step(self) -> float:
        """The distance between neighbouring values."""
        return self.pace / self.unit

    def at(self, index: int) -> float:
        """Return the value with an index."""
        return (self.first + index * self.pace) / self.unit

    def nearest(self, value: float) -> int | None:
        """Return the index of a value, or None if it is not on the grid."""
        index = round((value - self.at(0)) / self.step)
        near = 0 <= index < self.count and abs(value - self.at(index)) <= OFF_GRID * self.step
        return index if near else None


def resolution_problems(low: float, high: float, step: float, log: bool) -> list[str]:
    """Return the problem, if any, that floats cannot distinguish the values of the grid."""
    limit, name = (LOG_LIMIT, "2**40") if log else (LINEAR_LIMIT, "2**48")
    if is_finite(low) and is_finite(high) and max(abs(low), abs(high)) <= limit * step:
        return []
    scale = " on a log scale" if log else ""
    return [
        f"has bounds {short_repr(low)} and {short_repr(high)} in steps of {step!r}, finer than floats can represent: "
        f"bounds are at most {name} steps from zero{scale}. Take a longer step, other units, or a Real without a step"
    ]


def digits_problems(low: float, high: float, step: object, digits: object, *, whole: bool) -> list[str]:
    """Return the problems with significant digits; the range is looked at only if it is sound (`whole`)."""
    problems = []
    if step is not None:
        problems.append(f"has a step and digits={short_repr(digits)}; give one of the two")
    if not is_whole(digits) or not 1 <= digits <= MOST_DIGITS:
        problems.append(f"has digits={short_repr(digits)}; it must be a whole number from 1 to {MOST_DIGITS}")
    elif whole:
        sizes = [abs(bound) for bound in (low, high) if bound]
        if any(not SMALLEST <= size <= 1 / SMALLEST for size in sizes):
            problems.append(
                f"has bounds {low!r} and {high!r} with digits={digits}; take units without such extreme powers of ten"
            )
        elif low < high and SignificantDigits(low, high, digits).count < 2:
            problems.append(
                f"has fewer than two values with {counted(digits, 'significant digit')} between {low!r} and "
                f"{high!r}; raise digits, or widen the range"
            )
    return problems


def log_problems(log: object) -> list[str]:
    """Return the problem, if any, that `log` is neither True nor False."""
    return [] if isinstance(log, bool) else [f"has log={short_repr(log)}; it must be True or False"]


def positions(values: Sequence[float], log: bool) -> Array:
    """Return the places of increasing numbers in [0, 1]: (v - min) / (max - min), of logarithms on a log scale.

    Whole numbers are subtracted before they are rounded, so that large ones keep their distances.
    """
    low, high = values[0], values[-1]
    if not log:
        return np.array([(value - low) / (high - low) for value in values])
    span = _log_ratio(high, low)
    return np.array([_log_ratio(value, low) / span for value in values])


def ranks(count: int) -> Array:
    """Return the places of labels in [0, 1]: rank / (count - 1)."""
    return np.arange(count) / (count - 1)


def _log_ratio(value: float, low: float) -> float:
    """Return log(value / low), exact for near values and without overflow for distant ones."""
    return math.log1p((value - low) / low) if value < 2 * low else math.log(value) - math.log(low)
