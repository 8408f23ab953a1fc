"""A study in another's place: begun anew because its file has changed, or corrected. The one before is kept.

The successor is made under a name of its own and takes the other's in one transaction, so that a process killed at any moment
leaves the study as it was, or as it shall be.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from enum import Enum

import optuna
from optuna.trial import FrozenTrial, TrialState

from casmopolitan.errors import DataError
from casmopolitan.study.compat import storage_of, study_id, trial_id
from casmopolitan.study.execution.liveness import release_stale_trials
from casmopolitan.study.file.schema import Spec
from casmopolitan.study.sampler import records
from casmopolitan.study.sampler.records import NOTE
from casmopolitan.study.sampler.replay import known_params
from casmopolitan.study.storage.open import open_storage
from casmopolitan.study.trials.known import KnownResult, add_known
from casmopolitan.study.trials.open import OpenStudy, open_spec
from casmopolitan.study.trials.status import note_of, state_of


@dataclass(frozen=True)
class BegunAnew:
    """What became of a study whose file has changed."""

    kept: str
    """What the study so far is called now."""
    carried: int
    """Its results that still fit, known results of the new one."""
    left: int
    """Its results that do not."""


def begun_anew(spec: Spec) -> BegunAnew | None:
    """Begin the study anew with what the file says now; None where another process was quicker.

    A result fits that has a value for every variable of the file, and for no other: what a variable that is gone has done to
    it nobody knows.
    """
    old = open_spec(spec, changed=True)
    trials = _idle_trials(old, "the study can be begun anew")
    found = [(trial_id(trial), trial.state) for trial in trials]
    ended = [trial for trial in trials if state_of(trial) in ("complete", "failed")]
    fitting = [trial for trial in ended if not spec.space.problems(known_params(trial))]
    made = open_spec(spec.model_copy(update={"name": _successor(spec, "changed")}), create=True)
    with _removed_if_unfinished(old, made.spec.name):
        carried = add_known(
            made, [KnownResult(known_params(t), t.value if state_of(t) == "complete" else None) for t in fitting]
        )[0]
        kept = _succeeded(old, made.spec.name, "before change", found)
    return BegunAnew(kept, carried, len(ended) - carried) if kept else None


class Withdrawn(Enum):
    """What stands for the value of a trial that is taken back."""

    WITHDRAWN = "withdrawn"


WITHDRAWN = Withdrawn.WITHDRAWN
"""The trial counts for nothing and may be suggested again."""

Correction = float | Withdrawn | None
"""Another value, WITHDRAWN, or None for a failure."""


def corrected(opened: OpenStudy, values: Mapping[int, Correction]) -> tuple[OpenStudy, str]:
    """The study with other values for trials that have ended, and what the one before is called now."""
    trials = [deepcopy(trial) for trial in _idle_trials(opened, "values can be corrected")]
    found = [(trial_id(trial), trial.state) for trial in trials]
    study, storage = opened.study, storage_of(opened.study)
    made = optuna.create_study(study_name=_successor(opened.spec, "corrected"), storage=storage, direction=study.direction)
    with _removed_if_unfinished(opened, made.study_name):
        for name, record in storage.get_study_system_attrs(study_id(study)).items():
            storage.set_study_system_attr(study_id(made), name, record)
        for name, record in study.user_attrs.items():
            made.set_user_attr(name, record)
        for trial in trials:
            template = _valued(trial, values) if trial.number in values else trial
            storage.create_new_trial(study_id(made), template_trial=template)
        kept = _succeeded(opened, made.study_name, "before correction", found)
    if not kept:
        raise DataError("somebody else has changed the study meanwhile; nothing was recorded, give the command again")
    return open_spec(opened.spec, changed=True), kept


@contextmanager
def _removed_if_unfinished(old: OpenStudy, successor: str) -> Iterator[None]:
    """Whatever ends the making of a successor, a signal too, it does not stay half made."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(KeyError):  # it has taken the study's place
            optuna.delete_study(study_name=successor, storage=storage_of(old.study))
        raise


def _idle_trials(opened: OpenStudy, what: str) -> list[FrozenTrial]:
    """The trials of a study that nobody runs; trials that a killed run left are freed, DataError while one is under way."""
    release_stale_trials(opened.study)
    trials = opened.study.get_trials(deepcopy=False)
    running = [trial.number for trial in trials if state_of(trial) == "running"]
    if running:
        numbers = ", ".join(map(str, running[:5])) + (", ..." if len(running) > 5 else "")
        raise DataError(f"a run is under way (trial {numbers}); {what} when it has ended")
    return trials


def _valued(trial: FrozenTrial, values: Mapping[int, Correction]) -> FrozenTrial:
    """The trial with another value."""
    value = values[trial.number]
    trial.state = TrialState.COMPLETE if isinstance(value, float) else TrialState.FAIL
    trial.values = [value] if isinstance(value, float) else None
    note = {name: word for name, word in note_of(trial).items() if name not in ("ending", "error", "tail")}
    trial.user_attrs = trial.user_attrs | ({NOTE: note} if NOTE in trial.user_attrs else {})  # what was wrong then is not now
    others = {name: record for name, record in trial.system_attrs.items() if name != records.FAILED}
    trial.system_attrs = others | ({records.FAILED: True} if value is None else {})
    return trial


def _successor(spec: Spec, what: str) -> str:
    """The name of the successor while it is being made, which no other process gives."""
    return f"{spec.name} being {what} {secrets.token_hex(4)}"


def _succeeded(old: OpenStudy, successor: str, how: str, trials: Sequence[tuple[int, TrialState]]) -> str:
    """Let the successor take the study's place; what the study is called now, or nothing where it changed meanwhile.

    `trials` are those that the successor was made from: a result told since would be lost.
    """
    storage = open_storage(old.url, heartbeat=None)
    names = optuna.get_all_study_names(storage)
    kept = next(name for k in range(1, 10**6) if (name := f"{old.spec.name} {how} {k}") not in names)
    if storage.exchange_names(study_id(old.study), old.spec.name, successor, kept, trials):
        return kept
    optuna.delete_study(study_name=successor, storage=storage)
    return ""
