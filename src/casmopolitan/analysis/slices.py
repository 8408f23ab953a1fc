"""Predictions around the best point: one variable changes, all others stay."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from casmopolitan.optimizer import Optimizer
from casmopolitan.space import Categorical, Integer, Ordinal, Variable
from casmopolitan.trial import Configuration

MOST_CHOICES = 24
"""Maximum number of choices in a slice. If there are more, it has the first ones and the one at the best point."""


@dataclass(frozen=True)
class Slice:
    """Predictions along one variable; `at` is its value at the best point."""

    name: str
    at: Any
    values: list[Any]
    mean: list[float]
    deviation: list[float]


def slice_around(optimizer: Optimizer, best: Configuration, name: str) -> Slice | None:
    """Return the predictions along one variable, at allowed values only.

    None if the model predicts no magnitudes, or if only one value fits the others: the variable does not exist at the best
    point, or others depend on it.
    """
    if name not in best:
        return None
    variable = optimizer.space[name]
    at = variable.read(best[name])
    values = [value for value in slice_values(variable, at) if optimizer.space.allows({**best, name: value})]
    if len(values) < 2:
        return None
    mean, deviation = optimizer.predict([{**best, name: value} for value in values])
    if not all(map(math.isfinite, [*mean, *deviation])):
        return None
    return Slice(name, at, values, mean.tolist(), deviation.tolist())


def slice_values(variable: Variable, at: Any) -> list[Any]:
    """Return the values at which the model is evaluated, including `at`."""
    if isinstance(variable, Categorical | Ordinal):
        choices = list(variable.choices if isinstance(variable, Categorical) else variable.values)
        if len(choices) <= MOST_CHOICES:
            return choices
        first = choices[: MOST_CHOICES - 1]
        return first if at in first else [*first, at]
    grid = variable if isinstance(variable, Integer) else variable.grid
    if grid is not None:
        last = grid.count - 1
        return [variable.at(k) for k in sorted({*(round(i * last / 24) for i in range(25)), variable.index(at)})]
    ratio, span = variable.high / variable.low if variable.log else 1.0, variable.high - variable.low
    line = [variable.low * ratio ** (i / 32) if variable.log else variable.low + span * i / 32 for i in range(33)]
    return sorted({*(min(max(value, variable.low), variable.high) for value in line), at})
