"""The source of a figure: a result, an optimiser, or a list of trials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from casmopolitan.errors import DataError
from casmopolitan.optimizer import Optimizer
from casmopolitan.run.result import Result
from casmopolitan.trial import Direction, Trial

Source = Result | Optimizer | Sequence[Trial]


def trials_of(source: Source) -> list[Trial]:
    """Return the trials of a source, sorted by number."""
    rule = "a figure is drawn from a Result, an Optimizer or a list of trials"
    if not isinstance(source, Result | Optimizer | Sequence):
        raise DataError(f"{rule}; got a {type(source).__name__}")
    trials = list(source if isinstance(source, Sequence) else source.trials)
    if not all(isinstance(trial, Trial) for trial in trials):
        odd = next(type(trial).__name__ for trial in trials if not isinstance(trial, Trial))
        raise DataError(f"{rule}; got a list that contains a {odd}")
    return sorted(trials, key=lambda trial: trial.number)


def optimizer_of(source: Result | Optimizer) -> Optimizer:
    """Return the optimiser of a source, for figures that need its model or its space."""
    if isinstance(source, Result):
        return source.optimizer
    if isinstance(source, Optimizer):
        return source
    raise DataError(f"this figure needs the model: give a Result or an Optimizer, not a {type(source).__name__}")


def direction_of(source: Source, direction: Direction | None) -> Direction:
    """Return the given direction, else the optimiser's; a plain list of trials is minimised by default."""
    if direction is not None:
        if direction not in get_args(Direction):
            raise DataError(f"direction is {direction!r}; it must be 'minimize' or 'maximize'")
        return direction
    return "minimize" if isinstance(source, Sequence) else optimizer_of(source).direction
