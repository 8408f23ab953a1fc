"""All the studies of a database: the one of the file, those kept before a change or a correction, and others'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import optuna
from optuna.storages import BaseStorage
from optuna.trial import TrialState

from casmopolitan.errors import DataError
from casmopolitan.formatting import did_you_mean
from casmopolitan.study.compat import study_id
from casmopolitan.study.execution.liveness import stale_trials
from casmopolitan.study.file.schema import Spec
from casmopolitan.study.storage.open import open_storage
from casmopolitan.study.storage.retry import RetryingStorage
from casmopolitan.study.storage.url import redacted
from casmopolitan.study.trials.open import MissingStudyError, address, has_database
from casmopolitan.study.trials.status import state_of


@dataclass(frozen=True)
class Shelved:
    """One study of a database."""

    name: str
    trials: int
    complete: int
    best: float | None
    """None where no trial is complete, or there are several objectives."""


def shelved(spec: Spec) -> list[Shelved]:
    """Every study in the database of a study file, by name."""
    found = []
    storage = _storage(spec)
    for study in sorted(storage.get_all_studies(), key=lambda one: one.study_name):
        trials = storage.get_all_trials(study_id(study), deepcopy=False)
        values = [trial.value for trial in trials if len(study.directions) == 1 and state_of(trial) == "complete"]
        best = (max if study.directions[0].name == "MAXIMIZE" else min)((v for v in values if v is not None), default=None)
        complete = sum(trial.state == TrialState.COMPLETE for trial in trials)
        found.append(Shelved(study.study_name, len(trials), complete, best))
    return found


def removed(spec: Spec, names: Sequence[str]) -> None:
    """Delete studies from the database of a study file, all or none; DataError where one is not there, or is being run."""
    storage = _storage(spec)
    there = optuna.get_all_study_names(storage)
    problems = [f"there is no study {name!r}.{did_you_mean(name, there)}" for name in names if name not in there]
    problems += [f"study {name!r} is being run; end that first" for name in names if name in there and _at_work(storage, name)]
    if problems:
        raise DataError("; ".join(problems))
    for name in dict.fromkeys(names):
        optuna.delete_study(study_name=name, storage=storage)


def _storage(spec: Spec) -> RetryingStorage:
    """The database of a study file; it is not made by looking."""
    url = address(spec)
    if not has_database(url):
        raise MissingStudyError(f"there is no database {redacted(url)} yet; `casmopolitan run` or `casmopolitan ask` makes it")
    return open_storage(url, heartbeat=None)


def _at_work(storage: BaseStorage, name: str) -> bool:
    """Whether a living process has a trial of the study."""
    study = optuna.load_study(study_name=name, storage=storage)
    running = {trial.number for trial in study.get_trials(deepcopy=False) if trial.state == TrialState.RUNNING}
    return bool(running - {trial.number for trial in stale_trials(study)})
