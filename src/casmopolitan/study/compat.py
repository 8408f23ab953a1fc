"""Optuna's private names: only this module uses them, so that only it must be checked for a new version of Optuna."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from optuna.distributions import BaseDistribution
from optuna.storages import BaseStorage, RDBStorage
from optuna.storages._cached_storage import _CachedStorage
from optuna.storages._heartbeat import BaseHeartbeat, get_heartbeat_thread
from optuna.storages._rdb.models import (
    StudyModel,
    StudySystemAttributeModel,
    StudyUserAttributeModel,
    TrialModel,
    TrialSystemAttributeModel,
    TrialUserAttributeModel,
    TrialValueModel,
)
from optuna.study import Study
from optuna.study._constrained_optimization import _CONSTRAINTS_KEY
from optuna.study._frozen import FrozenStudy
from optuna.trial import FrozenTrial, Trial, TrialState, create_trial

__all__ = [
    "StudyModel",
    "StudySystemAttributeModel",
    "StudyUserAttributeModel",
    "TrialModel",
    "TrialSystemAttributeModel",
    "TrialUserAttributeModel",
    "TrialValueModel",
]

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

CONSTRAINT = f"{_CONSTRAINTS_KEY}:"
"""The prefix of the system attributes in which Optuna keeps the constraints of a trial, by name."""

RDB_OPERATIONS = (
    "create_new_study",
    "set_study_user_attr",
    "set_study_system_attr",
    "get_study_id_from_name",
    "get_study_name_from_id",
    "get_study_directions",
    "get_study_user_attrs",
    "get_study_system_attrs",
    "get_all_studies",
    "_create_new_trial",
    "_set_trial_param",
    "set_trial_intermediate_value",
    "set_trial_user_attr",
    "set_trial_system_attr",
    "get_trial_id_from_study_id_trial_number",
    "get_trial",
    "_get_trials",
    "_get_best_trial_id",
    "record_heartbeat",
    "_get_stale_trial_ids",
)
"""The methods of RDBStorage that read or write the database, other than `set_trial_state_values`."""


class ChangeableStorage(RDBStorage):
    """Optuna's storage for databases, in which the distribution of a parameter may differ from that of earlier trials.

    Optuna refuses, for example, new choices of a categorical parameter. Each trial records its own distributions, so the
    values of earlier trials keep their meaning.
    """

    def _set_trial_param_without_commit(
        self,
        session: Session,
        trial_id: int,
        param_name: str,
        param_value_internal: float,
        distribution: BaseDistribution,
        previous_distribution: BaseDistribution | None = None,
    ) -> None:
        """Store a parameter; a distribution is always compatible with itself."""
        super()._set_trial_param_without_commit(
            session, trial_id, param_name, param_value_internal, distribution, previous_distribution=distribution
        )

    def _build_frozen_trial_from_trial_model(self, trial: TrialModel) -> FrozenTrial:
        """Read a trial; raise TypeError if its number or a value is not a number, which SQLite does not prevent."""
        read = super()._build_frozen_trial_from_trial_model(trial)
        if not all(isinstance(found, int | float) for found in (read.number, *(read.values or ()))):
            raise TypeError(f"trial {read.number} has a number or a value that is not a number")
        return read


def storage_of(study: Study) -> BaseStorage:
    """Return the storage that a study uses, with Optuna's cache around it."""
    return study._storage


def database_of(study: Study) -> BaseStorage:
    """Return a study's storage without Optuna's cache: it reads what other processes have written."""
    backend: BaseStorage = getattr(study._storage, "_backend", study._storage)
    return backend


def study_id(study: Study | FrozenStudy) -> int:
    """Return the id of a study in its storage."""
    return study._study_id


def trial_id(trial: Trial | FrozenTrial) -> int:
    """Return the id of a trial in its storage; trial numbers are per study, ids are per database."""
    return trial._trial_id


def read_trial(study: Study, trial: Trial | FrozenTrial) -> FrozenTrial:
    """Return a trial as the storage has it now."""
    return study._storage.get_trial(trial._trial_id)


def read_trials(study: Study) -> list[FrozenTrial]:
    """Return all trials as the storage has them now, not copied: do not change them."""
    return study._get_trials(deepcopy=False, use_cache=False)


def trials_of_ask(study: Study, number: int) -> list[FrozenTrial]:
    """Return all trials as Optuna has read them in the `study.ask` that made trial `number`, not copied.

    Optuna looks for waiting trials there, and keeps what it reads in the cache around a database. A trial that is not in
    the cache was not made by this process, and other storages have no cache: then the trials are read.
    """
    storage = study._storage
    if isinstance(storage, _CachedStorage) and study._study_id in storage._studies:
        with storage._lock:
            cached = dict(storage._studies[study._study_id].trials)
        if number in cached:
            return [cached[one] for one in sorted(cached)]
    return read_trials(study)


def ask_with_attribute(study: Study, name: str, value: Any, fixed: Mapping[str, Any] | None = None) -> Trial:
    """Ask for a trial that has a user attribute from the start: a process killed at any moment leaves no trial without it.

    Only a trial that was queued gets its attribute afterwards. A trial with `fixed` parameters is never taken from the queue.
    """
    study._thread_local.cached_all_trials = None  # as `study.ask` does: read what other processes have written
    queued = None if fixed else study._pop_waiting_trial_id()
    if queued is not None:
        trial = Trial(study, queued)
        trial.set_user_attr(name, value)
        return trial
    attributes = {"fixed_params": dict(fixed)} if fixed else {}  # as `study.enqueue_trial` records them
    template = create_trial(state=TrialState.RUNNING, user_attrs={name: value}, system_attrs=attributes)
    return Trial(study, study._storage.create_new_trial(study._study_id, template_trial=template))


def suggest_parameter(trial: Trial, name: str, distribution: BaseDistribution) -> Any:
    """Suggest one parameter with a given distribution."""
    return trial._suggest(name, distribution)


def accepts_changes(study: Study) -> bool:
    """Return whether the distribution of a parameter may differ from that of earlier trials in every way."""
    return isinstance(database_of(study), ChangeableStorage)


def contains(distribution: BaseDistribution, value: Any) -> bool:
    """Return whether a distribution has a value."""
    try:
        return bool(distribution._contains(distribution.to_internal_repr(value)))
    except (ValueError, TypeError):
        return False


def stale_trial_ids(study: Study) -> list[int]:
    """Return the ids of running trials whose heartbeat has stopped; none if the storage records no heartbeat."""
    storage = study._storage
    if isinstance(storage, BaseHeartbeat) and storage.get_heartbeat_interval() is not None:
        return storage._get_stale_trial_ids(study._study_id)
    return []


def enter_worker_thread(study: Study) -> None:
    """Declare that this thread records heartbeats itself, as `study.optimize` does; otherwise `study.ask` warns."""
    study._thread_local.in_optimize_loop = True


@contextmanager
def heartbeat(study: Study, trial: Trial) -> Iterator[None]:
    """Record the heartbeat of a running trial, if the storage uses heartbeats."""
    with get_heartbeat_thread(trial._trial_id, study._storage):
        yield


def was_interrupted() -> bool:
    """Return whether the trial that Optuna is about to store was ended by Ctrl-C.

    Optuna stores an interrupted trial as failed and passes only the state to samplers. The exception is a local variable of
    the running `study.optimize`. If it is not found, the trial counts as failed.
    """
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_code.co_name == "_run_trial" and frame.f_globals.get("__name__") == "optuna.study._optimize":
            return isinstance(frame.f_locals.get("func_err"), KeyboardInterrupt)
        frame = frame.f_back
    return False
