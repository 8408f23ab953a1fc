"""Who runs a trial: a name for this process that tells later whether it still lives."""

from __future__ import annotations

import hashlib
import os
import socket
import sys
from datetime import datetime, timedelta
from pathlib import Path

from optuna.exceptions import UpdateFinishedTrialError
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from casmopolitan.study.compat import read_trial, stale_trial_ids, storage_of, trial_id
from casmopolitan.study.trials.status import cancel_trial, note_of

ASKING = "ask"
"""Who has a trial that is being asked for by hand and has not all its values yet."""

NEVER_BEGUN = timedelta(minutes=10)
"""How long a trial may be without any trace of a worker before nobody is believed to be at it."""


def place() -> str:
    """This machine, as processes see it: equal for two processes that can look each other up by number."""
    parts = [socket.gethostname()]
    for path in ("/proc/sys/kernel/random/boot_id", "/proc/self/ns/pid"):
        try:
            parts.append(os.readlink(path) if path.endswith("pid") else Path(path).read_text("utf-8").strip())
        except OSError:
            parts.append("")
    return f"{parts[0]}/{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:8]}"


def started(pid: int) -> str:
    """When a process started, in the machine's own count; empty when there is no such process or no way to tell."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return ""


def signature() -> str:
    """This process: its machine, its number and its start."""
    return f"{place()}:{os.getpid()}:{started(os.getpid())}"


def dead(worker: str) -> bool:
    """Whether a worker was a process of this machine that lives no more; False for one of another machine."""
    where, _, rest = worker.rpartition(":")[0].rpartition(":")
    began = worker.rpartition(":")[2]
    if where != place() or not rest.isdigit() or sys.platform == "win32":
        return False  # on Windows os.kill would be no question but an act: signal 0 is Control-C to a whole console
    if Path("/proc/self/stat").exists():
        return started(int(rest)) != began
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def zombies(study: Study) -> list[FrozenTrial]:
    """Trials that count as running although the process that ran them is gone, or died before it began.

    A process of this machine is looked up; of one elsewhere the signs of life are missed, where the study's storage wants them.
    """
    silent = stale_trial_ids(study)
    running = [trial for trial in study.get_trials(deepcopy=False) if trial.state == TrialState.RUNNING]
    return [
        trial for trial in running if dead(str(note_of(trial).get("worker", ""))) or _orphan(trial) or trial_id(trial) in silent
    ]


def _orphan(trial: FrozenTrial) -> bool:
    """Whether a trial was begun and never got as far as a note or a parameter: its process was killed in between."""
    if note_of(trial) or trial.params or trial.datetime_start is None:
        return False
    return datetime.now() - trial.datetime_start > NEVER_BEGUN


def freed(study: Study) -> list[int]:
    """Give every zombie back and have it run again; the numbers of those freed."""
    callback = getattr(storage_of(study), "get_heartbeat_stale_trial_callback", lambda: None)()
    numbers = []
    for trial in zombies(study):
        try:
            cancel_trial(study, trial)
        except UpdateFinishedTrialError:  # another run was quicker
            continue
        numbers.append(trial.number)
        if callback is not None and note_of(trial).get("by") != ASKING:
            callback(study, read_trial(study, trial))
    return numbers
