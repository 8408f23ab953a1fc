"""What a finished trial of an Optuna study counts as: a value to minimise, a failure, or nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median_high
from typing import Final

from optuna.trial import FrozenTrial, TrialState

from casmopolitan.study.sampler import records


class Killed:
    """The type of KILLED."""


KILLED: Final = Killed()
"""The outcome of a trial that was interrupted, or whose worker died: it neither counts nor is avoided."""


def outcome(trial: FrozenTrial, sign: float, before: Sequence[FrozenTrial] = ()) -> float | Killed | None:
    """Return the result of a finished trial: a value to minimise, None for a failure, or KILLED.

    Infinite values and infeasible trials are failures. A failed trial counts only if the sampler recorded its failure: a worker
    that died recorded nothing. `before` holds the trials that finished before it; see `pruned_value`.
    """
    if trial.state == TrialState.FAIL:
        return None if trial.system_attrs.get(records.FAILED) is True else KILLED
    value = trial.value
    if value is None or not math.isfinite(value) or not feasible(trial):
        return None
    return pruned_value(trial, sign, before) if trial.state == TrialState.PRUNED else sign * value


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
