"""Constraints that a function computes from finished trials, as Optuna's samplers take it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from optuna.study import Study
from optuna.trial import FrozenTrial

from casmopolitan.errors import DataError
from casmopolitan.formatting import short_repr
from casmopolitan.scalars import is_number
from casmopolitan.study.compat import CONSTRAINT, storage_of, trial_id

ConstraintsFunction = Callable[[FrozenTrial], Sequence[float]]


def record_constraints(function: ConstraintsFunction, study: Study, trial: FrozenTrial) -> None:
    """Record the constraints of a finished trial under the names "0", "1", ..., as Optuna reads those of its own samplers."""
    values = function(trial)
    if not isinstance(values, Sequence) or not all(is_number(value) and not math.isnan(value) for value in values):
        raise DataError(
            f"constraints_func returned {short_repr(values)} for trial {trial.number}; "
            "return a list with a number per constraint, at most 0 if it is met"
        )
    for k, value in enumerate(values):
        storage_of(study).set_trial_system_attr(trial_id(trial), f"{CONSTRAINT}{k}", float(value))
