"""The source of a figure: a result, an optimiser, a study of Optuna, or a list of trials."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias, get_args

from casmopolitan.errors import DataError
from casmopolitan.optimizer import Optimizer
from casmopolitan.run.result import Result
from casmopolitan.trial import Direction, Trial

if TYPE_CHECKING:
    from optuna.study import Study

Modelled: TypeAlias = "Result | Optimizer | Study"
"""Sources with a model and a space."""
Source: TypeAlias = "Modelled | Sequence[Trial]"


def loaded(source: Source) -> Optimizer | list[Trial]:
    """Return the optimiser of a source, or the trials of a list by number; for figures that need no model."""
    rule = "a figure is drawn from a Result, an Optimizer, a study of Optuna or a list of trials"
    if not isinstance(source, Sequence):
        return optimizer_of(source, rule)
    if odd := [type(trial).__name__ for trial in source if not isinstance(trial, Trial)]:
        raise DataError(f"{rule}; got a list that contains a {odd[0]}")
    return sorted(source, key=lambda trial: trial.number)


def optimizer_of(
    source: Modelled, rule: str = "this figure needs the model: give a Result, an Optimizer or a study of Optuna"
) -> Optimizer:
    """Return the optimiser of a source, for figures that need its model or its space; that of a study has its trials."""
    if isinstance(source, Result):
        return source.optimizer
    if isinstance(source, Optimizer):
        return source
    if "optuna" in sys.modules:
        from optuna.study import Study

        if isinstance(source, Study):
            from casmopolitan.study.sampler.as_optimizer import as_optimizer

            return as_optimizer(source)
    raise DataError(f"{rule}; got a {type(source).__name__}")


def direction_of(source: Optimizer | list[Trial], direction: Direction | None) -> Direction:
    """Return the given direction, else the optimiser's; a plain list of trials is minimised by default."""
    if direction is not None:
        if direction not in get_args(Direction):
            raise DataError(f"direction is {direction!r}; it must be 'minimize' or 'maximize'")
        return direction
    return source.direction if isinstance(source, Optimizer) else "minimize"
