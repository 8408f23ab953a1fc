"""Which process runs a trial, and whether it is still alive."""

from __future__ import annotations

import contextlib
import hashlib
import os
import socket
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
from optuna.exceptions import UpdateFinishedTrialError
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from casmopolitan.study.compat import read_trial, stale_trial_ids, storage_of, trial_id
from casmopolitan.study.sampler.records import NOTE

ASKING = "ask"
"""The owner of a trial that `casmopolitan ask` is reserving and that has not got all its values yet."""

ABANDONED = timedelta(minutes=10)
"""Age at which a running trial without a note and without parameters is considered abandoned."""

CLOCK_ERROR = 60.0
"""Seconds by which the start of a process may seem to change when the clock of its machine is set."""


def machine() -> str:
    """Return a name for this machine, equal for two processes that can look each other up by PID."""
    parts = [socket.gethostname()]
    with contextlib.suppress(OSError):  # two containers may have the same host name
        parts += [Path("/proc/sys/kernel/random/boot_id").read_text("utf-8").strip(), os.readlink("/proc/self/ns/pid")]
    return f"{parts[0]}/{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:8]}"


def started(process: psutil.Process) -> float:
    """Return when a process started, in seconds since the machine booted."""
    return process.create_time() - psutil.boot_time()


def signature() -> str:
    """Return a name for this process: its machine, its PID and its start."""
    return f"{machine()}:{os.getpid()}:{started(psutil.Process()):.2f}"


def is_dead(worker: str) -> bool:
    """Return whether a worker was a process of this machine that no longer runs; False if it ran on another machine."""
    where, pid, start = [*worker.rsplit(":", 2), "", ""][:3]
    if where != machine() or not pid.isdecimal():
        return False
    try:
        process = psutil.Process(int(pid))
        return process.status() == psutil.STATUS_ZOMBIE or abs(started(process) - float(start)) > CLOCK_ERROR
    except psutil.NoSuchProcess:
        return True
    except (psutil.AccessDenied, ValueError):
        return False


def stale_trials(study: Study) -> list[FrozenTrial]:
    """Return the trials that count as running although their process is gone.

    A process of this machine is looked up. One of another machine is gone if its heartbeat has stopped.
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
