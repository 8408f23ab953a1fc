"""The numbers with a given count of significant digits in a range, numbered from the smallest: 0.098, 0.099, 0.10, 0.11, ..."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class SignificantDigits:
    """The numbers m 10^e in [low, high] with |m| < 10^digits.

    In a range that contains 0 there would be infinitely many. There the smallest decade is that of the larger bound times
    10^-digits, and numbers below it have the spacing of that decade. The rank of a number is 0 at 0, and one more for each next
    number.
    """

    low: float
    high: float
    digits: int

    @cached_property
    def decade(self) -> int:
        """The exponent of the smallest decade in which numbers have all their digits."""
        least, most = sorted((abs(self.low), abs(self.high)))
        return _exponent(least) if self.low * self.high > 0 else (_exponent(most) if most else 0) - self.digits

    @cached_property
    def _first(self) -> int:
        return self._bound(self.low, up=True)

    @cached_property
    def count(self) -> int:
        """How many numbers there are; 0 if the range lies between two of them."""
        return max(self._bound(self.high, up=False) - self._first + 1, 0)

    def _bound(self, value: float, *, up: bool) -> int:
        """Return the rank of a bound, or of the next number above (`up`) or below it."""
        exact, rank = Fraction(repr(value)), self._ranks(np.array([value])).item()
        found = Fraction(*self._exact(rank))
        if up:
            return rank + (found < exact)
        return rank - (found > exact)

    def _ranks(self, values: Array) -> Codes:
        """Return the rank of the number nearest to each value."""
        size = np.abs(values)
        least, unit = 10 ** (self.digits - 1), _power(self.decade)
        above = size >= unit
        with np.errstate(divide="ignore"):
            e = np.where(above, np.floor(np.log10(np.where(above, size, 1.0))), self.decade)
        e += _powers(e + 1) <= size  # logarithms are rounded
        e -= above & (_powers(e) > size)
        e = np.maximum(e, self.decade)
        m = np.rint(size / _powers(e) * least).astype(np.int64)
        ranks: Codes = (m + (e - self.decade).astype(np.int64) * (9 * least)) * np.sign(values).astype(np.int64)
        return ranks

    def index(self, values: Array) -> Codes:
        """Return the index of the number nearest to each value, from 0."""
        found: Codes = np.clip(self._ranks(values) - self._first, 0, self.count - 1)
        return found

    def at(self, index: Codes) -> Array:
        """Return the numbers with these indices, to the last digits of a float."""
        rank, least = np.asarray(index, dtype=np.int64) + self._first, 10 ** (self.digits - 1)
        size = np.abs(rank)
        shift = np.maximum((size - least) // (9 * least), 0)
        m, e = size - shift * (9 * least), shift + self.decade - self.digits + 1
        values: Array = np.sign(rank) * m * _powers(e)
        return values

    def nearest(self, value: float) -> int:
        """Return the index of the number nearest to a value, from 0."""
        return int(self.index(np.array([value])).item())

    def exactly_at(self, index: int) -> float:
        """Return the number with an index: the float nearest to its decimal."""
        top, bottom = self._exact(index + self._first)
        return top / bottom

    def _exact(self, rank: int) -> tuple[int, int]:
        """Return the numerator and the denominator of the number with a rank."""
        least = 10 ** (self.digits - 1)
        shift = max((abs(rank) - least) // (9 * least), 0)
        m, e = abs(rank) - shift * 9 * least, shift + self.decade - self.digits + 1
        return int(math.copysign(1, rank)) * m * 10 ** max(e, 0), 10 ** max(-e, 0)


def _exponent(value: float) -> int:
    """Return e with 10^e <= value < 10^(e + 1), exactly."""
    exact, e = Fraction(repr(value)), math.floor(math.log10(value))
    e += Fraction(10) ** (e + 1) <= exact
    return e - (Fraction(10) ** e > exact)


def _power(exponent: int) -> float:
    return float(f"1e{exponent}")


def _powers(exponents: Array | Codes) -> Array:
    """Return the powers of ten: negative ones as quotients, which are rounded once."""
    e = np.asarray(exponents, dtype=np.float64)
    with np.errstate(over="ignore", divide="ignore"):
        powers: Array = np.where(e < 0, 1.0 / 10.0 ** np.maximum(-e, 0.0), 10.0 ** np.maximum(e, 0.0))
    return powers
