"""What a finished trial of an Optuna study counts as: values to minimise, constraints as limits, a failure, or nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median_high
from typing import Final

from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from casmopolitan.core.outcomes import Limit, Outcomes
from casmopolitan.core.state import Value
from casmopolitan.study.sampler import records


class Killed:
    """The type of KILLED."""


KILLED: Final = Killed()
"""The outcome of a trial that was interrupted, or whose worker died: it neither counts nor is avoided."""


@dataclass(frozen=True)
class StudyGoals:
    """The signs of a study's objectives, which the core minimises, and the names of its constraints, which are at most 0."""

    signs: tuple[float, ...] = (1.0,)
    constraints: tuple[str, ...] = ()

    @cached_property
    def outcomes(self) -> Outcomes:
        """The goals as the core sees them: each constraint is an outcome with a limit."""
        first, count = len(self.signs), len(self.constraints)
        return Outcomes(first, count, tuple(Limit(first + j, 1.0, 0.0) for j in range(count)))


MINIMISE: Final = StudyGoals()
"""One objective to minimise, and no constraints."""


def signs_of(study: Study) -> tuple[float, ...]:
    """Return +1 for each direction that is minimised, and -1 for each that is maximised."""
    return tuple(-1.0 if direction == StudyDirection.MAXIMIZE else 1.0 for direction in study.directions)


def outcome(trial: FrozenTrial, goals: StudyGoals, before: Sequence[FrozenTrial] = ()) -> Value | Killed:
    """Return the result of a finished trial: a value to minimise, all values if there are several outcomes, None, or KILLED.

    None is a failure: a trial without finite values, unless it says by how much it violates a constraint. A trial that failed
    counts only if the sampler recorded its failure: a worker that died recorded nothing. It is not a failure if some of its
    objectives are known, or all are unknown and a constraint is known. `before` holds the trials that finished before it; see
    `pruned_value`.
    """
    if trial.state == TrialState.FAIL:
        if trial.system_attrs.get(records.FAILED) is not True:
            return KILLED
        return (*_partial(trial, goals.signs), *_slacks(trial, goals.constraints)) if is_partial(trial) else None
    values, met = _objectives(trial, goals.signs, before), feasible(trial)
    if math.inf in trial.constraints.values() or (not met and not goals.constraints):
        return None
    if values is None:
        return None if met else (*(None for _ in goals.signs), *_slacks(trial, goals.constraints))
    return values[0] if goals.outcomes.plain else (*values, *_slacks(trial, goals.constraints))


def is_partial(trial: FrozenTrial) -> bool:
    """Return whether a trial is stored as failed because some of its objectives are unknown."""
    return trial.state == TrialState.FAIL and isinstance(trial.system_attrs.get(records.PARTIAL), list)


def _partial(trial: FrozenTrial, signs: Sequence[float]) -> list[float | None]:
    """Return the values to minimise of a trial with unknown objectives, None for those."""
    values = trial.system_attrs[records.PARTIAL]
    return [None if value is None else sign * value for sign, value in zip(signs, values, strict=True)]


def _objectives(trial: FrozenTrial, signs: Sequence[float], before: Sequence[FrozenTrial]) -> list[float] | None:
    """Return the values to minimise; None if one is not finite. Optuna prunes trials with one objective only."""
    values = trial.values
    if values is None or not all(map(math.isfinite, values)):
        return None
    if trial.state != TrialState.PRUNED:
        return [sign * value for sign, value in zip(signs, values, strict=True)]
    value = pruned_value(trial, signs[0], before) if len(signs) == 1 else None
    return None if value is None else [value]


def _slacks(trial: FrozenTrial, names: Sequence[str]) -> list[float | None]:
    """Return the values of a trial's constraints; 0 for those that are met without saying by how much.

    As for Optuna, a complete trial meets the constraints that it has not set. Those of a pruned trial are then unknown, and so
    are those of a trial of a study file.
    """
    unknown = trial.state == TrialState.PRUNED or not {records.OUTCOMES, records.NOTE}.isdisjoint(trial.user_attrs)
    found, unset = trial.constraints, None if unknown else 0.0
    return [0.0 if (value := found.get(name, unset)) == -math.inf else value for name in names]


def feasible(trial: FrozenTrial) -> bool:
    """Return whether every constraint value that the trial has set is at most 0."""
    return all(value <= 0 for value in trial.constraints.values())


def pruned_value(trial: FrozenTrial, sign: float, before: Sequence[FrozenTrial]) -> float | None:
    """Return the value to minimise that a pruned trial counts with; None if there is nothing to compare it with.

    Its last value is not a final one: a loss is higher in early epochs, a sum of seconds is lower. So it counts with the worse
    of that value and the median of the final values of complete trials that were at least as good at that step. If there are
    none, the median is that of all complete trials. Only trials that finished before it are compared, so its value never
    changes later.
    """
    ended = [one for one in before if one.state == TrialState.COMPLETE and math.isfinite(one.values[0])]
    ended = [one for one in ended if feasible(one)] or ended
    if not ended or trial.value is None:
        return None
    last = sign * trial.value
    alike = [one for one in ended if sign * _reported(one, trial.last_step) <= last]
    finals: list[float] = [sign * one.values[0] for one in alike or ended]
    return max(last, median_high(finals))


def _reported(trial: FrozenTrial, step: int | None) -> float:
    """Return the last value that a trial has reported up to a step; nan if there is none."""
    steps = [one for one in trial.intermediate_values if step is not None and one <= step]
    return trial.intermediate_values[max(steps)] if steps else math.nan
