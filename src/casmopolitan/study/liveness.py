"""Trials whose process is gone: find them and release them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from optuna.exceptions import UpdateFinishedTrialError
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from casmopolitan.execution.process import is_dead
from casmopolitan.study.compat import read_trial, stale_trial_ids, storage_of, trial_id
from casmopolitan.study.sampler.records import NOTE

ASKING = "ask"
"""The owner of a trial that `casmopolitan ask` is reserving and that has not got all its values yet."""

ABANDONED = timedelta(minutes=10)
"""Age at which a running trial without a note and without parameters is considered abandoned."""


def stale_trials(study: Study) -> list[FrozenTrial]:
    """Return the trials that count as running although their process is gone.

    A process of this machine is looked up by its PID; one of another machine is gone if its heartbeat has stopped.
    """
    silent = stale_trial_ids(study)
    return [
        trial
        for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
        if is_dead(str(_note(trial).get("worker", ""))) or _is_abandoned(trial) or trial_id(trial) in silent
    ]


def _note(trial: FrozenTrial) -> dict[str, Any]:
    note = trial.user_attrs.get(NOTE)
    return note if isinstance(note, dict) else {}


def _is_abandoned(trial: FrozenTrial) -> bool:
    """Return whether a trial was created long ago and its process was killed before it wrote a note or a parameter."""
    if _note(trial) or trial.params or trial.datetime_start is None:
        return False
    return datetime.now() - trial.datetime_start > ABANDONED


def release_stale_trials(study: Study) -> list[int]:
    """End the stale trials so that they do not count, queue those of a run again, and return their numbers."""
    storage = storage_of(study)
    queue_again = getattr(storage, "get_heartbeat_stale_trial_callback", lambda: None)()
    numbers = []
    for trial in stale_trials(study):
        try:
            storage.set_trial_state_values(trial_id(trial), TrialState.FAIL)
        except UpdateFinishedTrialError:  # another process released it first
            continue
        numbers.append(trial.number)
        if queue_again is not None and _note(trial).get("by") != ASKING:
            queue_again(study, read_trial(study, trial))
    return numbers
