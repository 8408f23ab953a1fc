"""Equally spaced values and what a float can carry of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from casmopolitan.core.arrays import Array
from casmopolitan.formatting import short_repr
from casmopolitan.scalars import is_finite

LINEAR_LIMIT = 2**48
"""A grid's largest bound, counted in steps: up to here every grid value survives the way through the unit interval."""

LOG_LIMIT = 2**40
"""The same for a grid on a log scale."""

OFF_GRID = 1e-6
"""A value this near to a grid value, in steps, is that value; further away it is off the grid."""


@dataclass(frozen=True)
class DecimalGrid:
    """The values (first + k pace) / unit, k = 0 ... count - 1, in whole numbers: each float is the nearest to its decimal."""

    first: int
    pace: int
    unit: int
    count: int

    @classmethod
    def of(cls, low: float, high: float, step: float) -> DecimalGrid:
        """The grid from low in steps, the last value not above high; bounds and step are read as they print."""
        start, span, pace = Fraction(repr(low)), Fraction(repr(high)) - Fraction(repr(low)), Fraction(repr(step))
        steps = round(span / pace)
        if steps and abs(span / pace - steps) < Fraction(1, 10**9):
            pace = span / steps  # 1/3 prints as 0.3333333333333333: three of them are meant to reach 1
        else:
            steps = math.floor(span / pace)
        unit = math.lcm(start.denominator, pace.denominator)
        return cls(int(start * unit), int(pace * unit), unit, steps + 1)

    @property
    def step(self) -> float:
        """The distance of two neighbours."""
        return self.pace / self.unit

    def at(self, index: int) -> float:
        """The value with that number."""
        return (self.first + index * self.pace) / self.unit

    def nearest(self, value: float) -> int | None:
        """The number of a value, or None when the value is off the grid."""
        index = round((value - self.at(0)) / self.step)
        near = 0 <= index < self.count and abs(value - self.at(index)) <= OFF_GRID * self.step
        return index if near else None


def carried(low: float, high: float, step: float, log: bool) -> list[str]:
    """The problem, if any, that a float cannot tell the values of the grid apart."""
    limit, name = (LOG_LIMIT, "2**40") if log else (LINEAR_LIMIT, "2**48")
    if is_finite(low) and is_finite(high) and max(abs(low), abs(high)) <= limit * step:
        return []
    scale = " on a log scale" if log else ""
    return [
        f"has bounds {short_repr(low)} and {short_repr(high)} in steps of {step!r}: finer than floats can carry, "
        f"which is {name} steps from zero{scale}. Take a longer step, other units, or a Real without a step"
    ]


def log_problems(log: object) -> list[str]:
    """The problem, if any, of a scale that is neither log nor not."""
    return [] if isinstance(log, bool) else [f"has log={short_repr(log)}; it must be True or False"]


def positions(values: Sequence[float], log: bool) -> Array:
    """Where increasing numbers lie in [0, 1]: (v - min) / (max - min), of logarithms on a log scale.

    Whole numbers are subtracted before they are rounded, so that large ones keep their distances.
    """
    low, high = values[0], values[-1]
    if not log:
        return np.array([(value - low) / (high - low) for value in values])
    span = _log_ratio(high, low)
    return np.array([_log_ratio(value, low) / span for value in values])


def ranks(count: int) -> Array:
    """Where labels lie in [0, 1]: rank / (count - 1)."""
    return np.arange(count) / (count - 1)


def _log_ratio(value: float, low: float) -> float:
    """log(value / low), exact for near values and without overflow for distant ones."""
    return math.log1p((value - low) / low) if value < 2 * low else math.log(value) - math.log(low)
