"""What a trial was told, as Optuna stores it: values, constraints and attributes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from optuna.study import Study
from optuna.trial import FrozenTrial, Trial, TrialState

from casmopolitan.goals import Goals, Outcome, parsed_limit
from casmopolitan.scalars import is_number
from casmopolitan.study.compat import CONSTRAINT, storage_of, trial_id
from casmopolitan.study.sampler import records


@dataclass(frozen=True)
class Stored:
    """A result as Optuna stores it.

    Optuna has no state for a trial with some objectives unknown. Such a trial is stored as failed, with the known objectives in
    an attribute that the sampler reads.
    """

    state: TrialState
    values: list[float] | None
    user_attrs: dict[str, Any]
    system_attrs: dict[str, Any]


def stored(told: Outcome, goals: Goals) -> Stored:
    """Return how a result is stored."""
    if told is None:
        return Stored(TrialState.FAIL, None, {}, {records.FAILED: True})
    if isinstance(told, float):
        return Stored(TrialState.COMPLETE, [told], {}, {})
    values = goals.values_of(told)
    known = [value for value in values if value is not None]
    constraints = constraints_of(told, goals)
    if len(known) == len(values):
        return Stored(TrialState.COMPLETE, known, {records.OUTCOMES: told}, constraints)
    partial = {records.FAILED: True, records.PARTIAL: values}
    return Stored(TrialState.FAIL, None, {records.OUTCOMES: told}, {**constraints, **partial})


def constraints_of(told: dict[str, float | None], goals: Goals) -> dict[str, float]:
    """Return the attributes of Optuna's constraints: by how much each known limit is exceeded."""
    return {f"{CONSTRAINT}{name}": excess for name, excess in goals.excesses_of(told).items()}


def record_result(
    study: Study, trial: Trial | FrozenTrial, told: Outcome, goals: Goals, *, skip_if_finished: bool = False
) -> bool:
    """Record the result of a running trial; return whether the trial has it now.

    The attributes are written first: a trial that is complete has all of them. Raises ValueError or UpdateFinishedTrialError if
    the trial has ended already, unless `skip_if_finished`.
    """
    result, storage = stored(told, goals), storage_of(study)
    for name, value in result.user_attrs.items():
        storage.set_trial_user_attr(trial_id(trial), name, value)
    for name, value in result.system_attrs.items():
        if name != records.FAILED:  # the sampler writes it
            storage.set_trial_system_attr(trial_id(trial), name, value)
    ours = trial if isinstance(trial, Trial) else trial.number
    return study.tell(ours, result.values, result.state, skip_if_finished=skip_if_finished).state == result.state


def told_of(trial: FrozenTrial, goals: Goals) -> Outcome:
    """Return the result of a finished trial: a value, a dict of outcomes, or None for a failure."""
    finished = trial.state == TrialState.COMPLETE and all(map(math.isfinite, trial.values))
    if goals.outcomes.plain:
        return trial.values[0] if finished else None
    if not finished and records.PARTIAL not in trial.system_attrs:
        return None
    found = trial.user_attrs.get(records.OUTCOMES)
    recorded = found if isinstance(found, dict) else _derived(trial, goals)
    told = {name: float(value) if is_number(value := recorded.get(name)) else None for name in goals.order}
    return None if all(value is None for value in told.values()) else told


def _derived(trial: FrozenTrial, goals: Goals) -> dict[str, float]:
    """Return the outcomes of a trial that was not recorded by this package, from its values and constraints."""
    told = {}
    for name, excess in trial.constraints.items():
        if name in goals.limits:
            relation, bound = parsed_limit(goals.limits[name])
            told[name] = bound + excess if relation == "<=" else bound - excess
    return told | dict(zip(goals.names, trial.values or (), strict=False))
