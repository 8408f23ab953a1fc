"""Predictions around the best point: one variable changes, all others stay."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from casmopolitan.errors import DataError
from casmopolitan.optimizer import Optimizer
from casmopolitan.space import Categorical, Integer, Ordinal, Variable
from casmopolitan.trial import Configuration

MOST_CHOICES = 24
"""Maximum number of choices in a slice. If there are more, it has the first ones and the one at the best point."""

STEPS = 32
"""Steps from one end of a number's range to the other."""


@dataclass(frozen=True)
class Slice:
    """Predictions along one variable; `at` is its value at the best point."""

    name: str
    at: Any
    values: list[Any]
    mean: list[float]
    deviation: list[float]


def slice_around(optimizer: Optimizer, best: Configuration, name: str, *, objective: str | None = None) -> Slice | None:
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
    mean, deviation = predict_one(optimizer, [{**best, name: value} for value in values], objective)
    if not all(map(math.isfinite, [*mean, *deviation])):
        return None
    return Slice(name, at, values, mean, deviation)


def predict_one(
    optimizer: Optimizer, configurations: Sequence[Configuration], objective: str | None = None
) -> tuple[list[float], list[float]]:
    """Return mean and deviation of one objective at each configuration; DataError unless it is named if there are several."""
    names = list(optimizer.goals.objectives)
    if objective not in ([None, *names] if len(names) == 1 else names):
        raise DataError(f"objective is {objective!r}; give the name of one objective: {', '.join(map(repr, names))}")
    mean, deviation = optimizer.predict(configurations)
    if len(names) > 1:
        mean, deviation = (numbers[:, names.index(str(objective))] for numbers in (mean, deviation))
    return mean.tolist(), deviation.tolist()


def slice_values(variable: Variable, at: Any, steps: int = STEPS) -> list[Any]:
    """Return the values at which the model is evaluated, including `at`; numbers in this many steps."""
    if isinstance(variable, Categorical | Ordinal):
        choices = list(variable.choices if isinstance(variable, Categorical) else variable.values)
        if len(choices) <= MOST_CHOICES:
            return choices
        first = choices[: MOST_CHOICES - 1]
        return first if at in first else [*first, at]
    grid = variable if isinstance(variable, Integer) else variable.grid
    if grid is not None:
        last = grid.count - 1
        return [variable.at(k) for k in sorted({*(round(i * last / steps) for i in range(steps + 1)), variable.index(at)})]
    ratio, span = variable.high / variable.low if variable.log else 1.0, variable.high - variable.low
    shares = [i / steps for i in range(steps + 1)]
    line = [variable.low * ratio**share if variable.log else variable.low + span * share for share in shares]
    return sorted({*(min(max(value, variable.low), variable.high) for value in line), at})
