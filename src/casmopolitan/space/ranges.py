"""Variables that span a range: `Integer` and `Real`, with a step or not, on a log scale or not."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property

from casmopolitan.core.significant_digits import SignificantDigits
from casmopolitan.errors import MisfitError
from casmopolitan.formatting import did_you_mean_number, short_repr
from casmopolitan.scalars import is_finite, is_number, is_whole
from casmopolitan.space.decimal_grid import DecimalGrid, digits_problems, log_problems, resolution_problems
from casmopolitan.space.when import Condition, read_when, when_problems, when_text

NARROW = 20
"""An `Integer` with at most this many values is narrow: it belongs to the discrete part, with the ordinal kernel.

A wider one belongs to the continuous part and is rounded to its grid.
"""


@dataclass(frozen=True, repr=False)
class Integer:
    """A whole number in a range.

    With at most 20 values it is treated as an ordinal variable, otherwise as a continuous one that is rounded.

    Args:
        low: The smallest value.
        high: The largest value. If the step does not divide the range, the last value is the largest one below.
        step: The distance between neighbouring values.
        log: Whether distances are those of logarithms; needs `low` above 0.
        when: The values of other variables that it needs to exist, e.g. `{"model": "svm"}`. By default it always exists.
    """

    low: int
    high: int
    step: int = 1
    log: bool = False
    _: KW_ONLY
    when: Condition | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "when", read_when(self.when))
        for field in ("low", "high", "step"):
            value = getattr(self, field)
            if is_whole(value):
                object.__setattr__(self, field, int(value))

    @property
    def count(self) -> int:
        """The number of values."""
        return (self.high - self.low) // self.step + 1

    @property
    def narrow(self) -> bool:
        """Whether it belongs to the discrete part."""
        return self.count <= NARROW

    def index(self, value: object) -> int:
        """Return the index of a value.

        Args:
            value: A value of this variable.

        Returns:
            Its index, from 0.

        Raises:
            MisfitError: If the variable does not take the value.
        """
        if not is_whole(value):
            hint = did_you_mean_number(value, whole=True)
            raise MisfitError(f"got {short_repr(value)} (a {type(value).__name__}); it takes an int{self._rule}.{hint}")
        index, off = divmod(int(value) - self.low, self.step)
        if off or not 0 <= index < self.count:
            nearest = min(max(index + (2 * off >= self.step), 0), self.count - 1)
            raise MisfitError(f"got {short_repr(value)}; it takes an int{self._rule}. The nearest is {self.at(nearest)}")
        return index

    def indices(self, values: Sequence[object]) -> list[int]:
        """Return the indices of many values.

        Args:
            values: Values of this variable.

        Returns:
            Their indices, from 0.

        Raises:
            MisfitError: If the variable does not take one of the values.
        """
        return [self.index(value) for value in values]

    def at(self, index: int) -> int:
        """Return the value with an index.

        Args:
            index: The index, from 0.

        Returns:
            The value.
        """
        return self.low + index * self.step

    def read(self, value: object) -> int:
        """Return a value as a plain Python value.

        Args:
            value: A value of this variable, which may be a NumPy scalar.

        Returns:
            The value itself, with a native type.

        Raises:
            MisfitError: If the variable does not take the value.
        """
        return self.at(self.index(value))

    @property
    def _rule(self) -> str:
        steps = "" if self.step == 1 else f" in steps of {self.step}"
        return f" from {self.low} to {self.at(self.count - 1)}{steps}"

    def problems(self) -> list[str]:
        """Return everything wrong with the declaration.

        Returns:
            One text per problem; empty if there is none.
        """
        problems, sound = log_problems(self.log) + when_problems(self.when), {"low", "high", "step"}
        for field in ("low", "high", "step"):
            value = getattr(self, field)
            if not isinstance(value, int) or isinstance(value, bool):
                sound.remove(field)
                problems.append(f"has {field} {short_repr(value)}; it must be an int. For fractions use Real")
        problems += _range_problems(self, sound)
        if not problems and not self.narrow:
            problems = resolution_problems(self.low, self.high, self.step, self.log)
        return problems

    def __repr__(self) -> str:
        step = "" if self.step == 1 else f", step={self.step!r}"
        return f"Integer({self.low!r}, {self.high!r}{step}{', log=True' if self.log else ''}{when_text(self.when)})"


@dataclass(frozen=True, repr=False)
class Real:
    """A number in a range: any number, or numbers with a step or with a few significant digits.

    Steps are counted in decimals: steps of 0.1 give 0.3 and not 0.30000000000000004. Without step and digits, encoding a value
    and decoding it again is exact up to the float resolution of the range (on a log scale, of the value).

    Args:
        low: The smallest value.
        high: The largest value. If the step does not divide the range, the last value is the largest one below.
        step: The distance between neighbouring values. None allows every number.
        log: Whether distances are those of logarithms; needs `low` above 0.
        digits: Significant digits: with 2, 0.45 and 0.046 are suggested, but not 0.453. A number with more digits is read as
            the nearest value.
        when: The values of other variables that it needs to exist, e.g. `{"model": "svm"}`. By default it always exists.
    """

    low: float
    high: float
    step: float | None = None
    log: bool = False
    digits: int | None = None
    _: KW_ONLY
    when: Condition | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "when", read_when(self.when))
        for field in ("low", "high", "step"):
            value = getattr(self, field)
            if is_finite(value):
                object.__setattr__(self, field, float(value) + 0.0)
        if is_whole(self.digits):
            object.__setattr__(self, "digits", int(self.digits))

    @cached_property
    def grid(self) -> DecimalGrid | SignificantDigits | None:
        """The values, if there is a step or a number of digits."""
        if self.digits is not None:
            return SignificantDigits(self.low, self.high, self.digits)
        return None if self.step is None else DecimalGrid.of(self.low, self.high, self.step)

    @property
    def count(self) -> int | float:
        """The number of values: an int, or inf."""
        if self.low == self.high:
            return 1
        return math.inf if self.grid is None else self.grid.count

    def index(self, value: object) -> int:
        """Return the index of a value; the variable must have a step or digits.

        Args:
            value: A value of this variable.

        Returns:
            Its index, from 0.

        Raises:
            TypeError: If the variable has neither a step nor digits.
            MisfitError: If the variable does not take the value.
        """
        if self.grid is None:
            raise TypeError("a Real without a step or digits has no grid")
        number = self._inside(value)
        if isinstance(self.grid, SignificantDigits):
            return self.grid.nearest(number)
        index = self.grid.nearest(number)
        if index is None:
            near = min(round((number - self.low) / self.grid.step), self.grid.count - 1)
            raise MisfitError(f"got {short_repr(value)}; {self._rule}. The nearest is {self.at(near)!r}")
        return index

    def indices(self, values: Sequence[object]) -> list[int]:
        """Return the indices of many values; the variable must have a step or digits.

        Args:
            values: Values of this variable.

        Returns:
            Their indices, from 0.

        Raises:
            TypeError: If the variable has neither a step nor digits.
            MisfitError: If the variable does not take one of the values.
        """
        return [self.index(value) for value in values]

    def at(self, index: int) -> float:
        """Return the value with an index; the variable must have a step or digits.

        Args:
            index: The index, from 0.

        Returns:
            The value.

        Raises:
            TypeError: If the variable has neither a step nor digits.
        """
        if self.grid is None:
            raise TypeError("a Real without a step or digits has no grid")
        return self.grid.exactly_at(index) if isinstance(self.grid, SignificantDigits) else self.grid.at(index)

    def read(self, value: object) -> float:
        """Return a value as a plain Python value, with the digits of the variable.

        Args:
            value: A value of this variable, which may be a NumPy scalar.

        Returns:
            The value itself, with a native type; if the variable has digits, the nearest value.

        Raises:
            MisfitError: If the variable does not take the value.
        """
        return self._inside(value) if self.grid is None or self.low == self.high else self.at(self.index(value))

    def _inside(self, value: object) -> float:
        if not is_number(value):
            hint = did_you_mean_number(value, whole=False)
            raise MisfitError(f"got {short_repr(value)} (a {type(value).__name__}); {self._rule}.{hint}")
        if not self.low <= value <= self.high:
            raise MisfitError(f"got {short_repr(value)}; {self._rule}")
        return float(value)

    @property
    def _rule(self) -> str:
        if not isinstance(self.grid, DecimalGrid):
            return f"it takes a number from {self.low!r} to {self.high!r}"
        return f"it takes a number from {self.low!r} to {self.at(self.grid.count - 1)!r} in steps of {self.step!r}"

    def problems(self) -> list[str]:
        """Return everything wrong with the declaration.

        Returns:
            One text per problem; empty if there is none.
        """
        problems, sound = log_problems(self.log) + when_problems(self.when), {"low", "high", "step"}
        for field in ("low", "high", "step"):
            value = getattr(self, field)
            if not (isinstance(value, float) and math.isfinite(value)) and not (field == "step" and value is None):
                sound.remove(field)
                comma = isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d+,\d+\s*", value)
                hint = f", with a decimal point: {value.strip().replace(',', '.')}" if comma else ""
                problems.append(f"has {field} {short_repr(value)}; it must be a finite number{hint}")
        problems += _range_problems(self, sound)
        if not problems and not math.isfinite(self.high - self.low):
            problems.append(f"has a range from {self.low!r} to {self.high!r}, too wide for a float; use other units")
        if self.digits is not None:
            return problems + digits_problems(self.low, self.high, self.step, self.digits, whole=not problems)
        if not problems and self.step is not None:
            problems = resolution_problems(self.low, self.high, self.step, self.log)
        return problems

    def __repr__(self) -> str:
        step = "" if self.step is None else f", step={self.step!r}"
        digits = "" if self.digits is None else f", digits={self.digits!r}"
        return f"Real({self.low!r}, {self.high!r}{step}{', log=True' if self.log else ''}{digits}{when_text(self.when)})"


def _range_problems(variable: Integer | Real, sound: set[str]) -> list[str]:
    """Return the problems common to Integer and Real, for fields with a valid type: order, step, log scale above 0."""
    low, high, step = variable.low, variable.high, variable.step
    problems = []
    if {"low", "high"} <= sound and low > high:
        problems.append(f"has low {low!r} above high {high!r}; low comes first. Did you mean low {high!r} and high {low!r}?")
    if "step" in sound and step is not None:
        shortest = step if isinstance(step, int) else step * (1 - 1e-9)
        if step <= 0:
            problems.append(f"has step {step!r}; a step must be above 0")
        elif {"low", "high"} <= sound and 0 < high - low < shortest:
            problems.append(
                f"has step {step!r}, longer than its range from {low!r} to {high!r}; take a shorter step, or "
                f"high {low!r} for a constant"
            )
    if "low" in sound and variable.log is True and low <= 0:
        problems.append(f"has low {low!r} on a log scale, which needs low above 0. Raise low or drop log")
    return problems
