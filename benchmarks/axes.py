"""A space in the form that every peer understands: choices and integers are whole numbers, reals are numbers.

Peers see a choice by its index, never by its label, so that `True`, `None` or mixed types are no problem for any of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import casmopolitan as cas

Configuration = dict[str, Any]


@dataclass(frozen=True)
class Axis:
    """low, high: both included. counted: the variable whose values the numbers 0, 1, ..., high count, if they do."""

    name: str
    kind: Literal["choice", "integer", "real"]
    low: float
    high: float
    log: bool = False
    counted: Any = None

    @property
    def size(self) -> int:
        return int(self.high - self.low) + 1

    def number(self, value: Any) -> float:
        return value if self.counted is None else self.counted.index(value)

    def value(self, number: float) -> Any:
        if self.counted is not None:
            return self.counted.at(round(number))
        return round(number) if self.kind == "integer" else min(max(float(number), self.low), self.high)


def axes_of(space: cas.Space) -> list[Axis]:
    return [axis_of(name, space[name]) for name in space.names]


def axis_of(name: str, variable: Any) -> Axis:
    if isinstance(variable, cas.Categorical):
        return Axis(name, "choice", 0, variable.count - 1, counted=variable)
    if isinstance(variable, cas.Real) and variable.step is None:
        return Axis(name, "real", variable.low, variable.high, variable.log)
    if isinstance(variable, cas.Integer) and variable.step == 1:
        return Axis(name, "integer", variable.low, variable.high, variable.log)
    return Axis(name, "integer", 0, variable.count - 1, counted=variable)


def numbers_of(axes: list[Axis], configuration: Configuration) -> dict[str, float]:
    return {axis.name: axis.number(configuration[axis.name]) for axis in axes}


def configuration_of(axes: list[Axis], numbers: Mapping[str, float]) -> Configuration:
    return {axis.name: axis.value(numbers[axis.name]) for axis in axes}
