"""What a finished trial of an Optuna study counts as: values to minimise, constraints as limits, a failure, or nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median_high
from typing import Final

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
    """The sign of a study's objective, which the core minimises, and the names of its constraints, which are at most 0."""

    sign: float = 1.0
    constraints: tuple[str, ...] = ()

    @cached_property
    def outcomes(self) -> Outcomes:
        """The goals as the core sees them: each constraint is an outcome with a limit."""
        count = len(self.constraints)
        return Outcomes(1, count, tuple(Limit(1 + j, 1.0, 0.0) for j in range(count)))


MINIMISE: Final = StudyGoals()
"""One objective to minimise, and no constraints."""


def outcome(trial: FrozenTrial, goals: StudyGoals, before: Sequence[FrozenTrial] = ()) -> Value | Killed:
    """Return the result of a finished trial: a value to minimise, all values if there are constraints, None, or KILLED.

    None is a failure: a trial without a finite value, unless it says by how much it violates a constraint. A trial that failed
    counts only if the sampler recorded its failure: a worker that died recorded nothing. `before` holds the trials that
    finished before it; see `pruned_value`.
    """
    if trial.state == TrialState.FAIL:
        return None if trial.system_attrs.get(records.FAILED) is True else KILLED
    value = _objective(trial, goals.sign, before)
    met = feasible(trial)
    if not goals.constraints:
        return value if met else None
    if math.inf in trial.constraints.values() or (value is None and met):
        return None
    return (value, *_slacks(trial, goals.constraints))


def _objective(trial: FrozenTrial, sign: float, before: Sequence[FrozenTrial]) -> float | None:
    """Return the value to minimise; None if it is not finite."""
    value = trial.value
    if value is None or not math.isfinite(value):
        return None
    return pruned_value(trial, sign, before) if trial.state == TrialState.PRUNED else sign * value


def _slacks(trial: FrozenTrial, names: Sequence[str]) -> list[float | None]:
    """Return the values of a trial's constraints; 0 for those that are met without saying by how much.

    As for Optuna, a complete trial meets the constraints that it has not set. Those of a pruned trial are then unknown.
    """
    found, unset = trial.constraints, None if trial.state == TrialState.PRUNED else 0.0
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
