"""A range of numbers that a `Forbid` names: {"from": 80, "to": 120}, both ends included; one of them may be missing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from casmopolitan.formatting import did_you_mean, short_repr
from casmopolitan.scalars import Scalar, is_finite, is_number, native
from casmopolitan.space.variables import Categorical, Ordinal, Variable

ENDS = ("from", "to")
EXAMPLE = "e.g. {'from': 80, 'to': 120}"


@dataclass(frozen=True, repr=False)
class Interval:
    """The numbers from one end to the other."""

    ends: tuple[tuple[str, object], ...]

    @classmethod
    def of(cls, ends: Mapping[str, object]) -> Interval:
        """Return the interval with these ends, valid or not."""
        return cls(tuple((name, native(end) if is_number(end) else end) for name, end in ends.items()))

    @property
    def low(self) -> float:
        """The smallest number."""
        low = dict(self.ends).get("from", -math.inf)
        return low if is_number(low) else math.nan

    @property
    def high(self) -> float:
        """The largest number."""
        high = dict(self.ends).get("to", math.inf)
        return high if is_number(high) else math.nan

    def __contains__(self, value: object) -> bool:
        return is_number(value) and self.low <= value <= self.high

    def problems(self, name: str, variable: Variable) -> list[str]:
        """Return everything wrong with the interval as a range of a variable."""
        kind = f"{type(variable).__name__} {name!r}"
        unknown = [end for end, _ in self.ends if end not in ENDS]
        if unknown or not self.ends:
            got = f"has {unknown[0]!r}.{did_you_mean(unknown[0], ENDS)}" if unknown else "has no end."
            return [f"{kind}: a range {got} Give 'from', 'to' or both, {EXAMPLE}"]
        wrong = [f"{end} {short_repr(bound)}" for end, bound in self.ends if not is_finite(bound)]
        if wrong:
            return [f"{kind}: a range has {wrong[0]}; both ends are finite numbers, {EXAMPLE}"]
        if self.low > self.high:
            return [f"{kind}: the range from {self.low!r} to {self.high!r} is empty; the smaller number is 'from'"]
        if not is_numeric(variable):
            return [f"{kind}: has choices that are not numbers, so it has no ranges; list the values"]
        return []

    def covers(self, variable: Variable) -> bool:
        """Return whether every value of a variable lies in the interval."""
        if isinstance(variable, Categorical | Ordinal):
            return all(variable.at(k) in self for k in range(variable.count))
        return variable.low in self and variable.high in self

    def to_dict(self) -> dict[str, object]:
        """Return the ends by name, ready for JSON."""
        return dict(self.ends)

    def __repr__(self) -> str:
        return f"{{{', '.join(f'{name!r}: {short_repr(end)}' for name, end in self.ends)}}}"


def is_numeric(variable: Variable) -> bool:
    """Return whether all values of a variable are numbers."""
    if isinstance(variable, Categorical | Ordinal):
        return all(is_number(variable.at(k)) for k in range(variable.count))
    return True


def numbers_of(variable: Variable) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the values of a variable with finitely many values, all of them numbers."""
    return np.array([_number(variable.at(k)) for k in range(int(variable.count))])


def _number(value: Scalar) -> float:
    if not is_number(value):
        raise TypeError(f"{value!r} is not a number")
    return float(value)
