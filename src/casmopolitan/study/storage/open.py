"""The one place where storage is opened, with the settings that many workers need."""

from __future__ import annotations

import warnings
from copy import deepcopy
from typing import Any, Literal

import optuna
from optuna.exceptions import ExperimentalWarning
from optuna.samplers import BaseSampler
from optuna.storages import BaseStorage, RetryHeartbeatStaleTrialCallback
from optuna.study import Study
from optuna.trial import FrozenTrial
from sqlalchemy.engine import make_url

from casmopolitan.errors import DataError
from casmopolitan.study.sampler.records import NOTE
from casmopolitan.study.sampler.sampler import CasmopolitanSampler
from casmopolitan.study.storage.retry import PatientStorage, outrun, passing, patiently
from casmopolitan.study.storage.url import DEFAULT_URL, backend, completed_url, redacted
from casmopolitan.study.storage.write_ahead import write_ahead

BUSY_TIMEOUT = 60.0
"""Seconds for which SQLite waits for another worker's lock."""

LONGEST_NAME = 512
"""Characters of a study's name that Optuna's tables hold."""

OPENING = 10.0
"""Seconds for which a database that cannot be reached is tried again when it is opened."""


def open_study(
    name: str,
    storage: str | BaseStorage | None = None,
    *,
    direction: Literal["minimize", "maximize"] = "minimize",
    sampler: BaseSampler | None = None,
    load_if_exists: bool = True,
    heartbeat: int | None = 60,
    max_retry: int | None = 3,
) -> Study:
    """The study of that name, made when there is none; `storage` is a database's address, or a storage of Optuna's.

    sampler: CasmopolitanSampler() unless given. heartbeat: seconds between two signs of life of a running trial; one that
    gives none for twice as long is freed when the next trial starts, and tried again up to `max_retry` times (None: without
    limit). heartbeat=None switches that off, for studies that are driven by ask and tell: only `study.optimize` gives signs.

    SQLite waits up to a minute for other workers' locks and writes ahead where the file system allows; PostgreSQL's
    connections are tested before use. Operations on a database that is locked or away are tried again for up to a minute;
    then StorageError says in one line what to do. Passwords are never shown.
    """
    problem = _name_problem(name)
    if problem:
        raise DataError(problem)
    if direction not in ("minimize", "maximize"):
        raise DataError(f"direction is {direction!r}; it must be 'minimize' or 'maximize'")
    opened = storage if isinstance(storage, BaseStorage) else open_storage(storage, heartbeat=heartbeat, max_retry=max_retry)
    sampler = CasmopolitanSampler() if sampler is None else sampler
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        study = optuna.create_study(
            storage=opened, study_name=name, direction=direction, sampler=sampler, load_if_exists=load_if_exists
        )
    if len(study.directions) > 1 or study.direction.name.lower() != direction:
        found = [one.name.lower() for one in study.directions]
        raise DataError(f"study {name!r} exists with direction {', '.join(found)}, not {direction}; use another name")
    return study


class Again(RetryHeartbeatStaleTrialCallback):
    """Queues a trial again whose worker died, without the note of that worker: it is nobody's yet."""

    def __call__(self, study: Study, trial: FrozenTrial) -> None:
        """Queue it."""
        bare = deepcopy(trial)
        bare.user_attrs = {name: value for name, value in trial.user_attrs.items() if name != NOTE}
        super().__call__(study, bare)


def open_storage(url: str | None = None, *, heartbeat: int | None = 60, max_retry: int | None = 3) -> PatientStorage:
    """The storage behind `open_study`: the same settings, without a study."""
    address = completed_url(DEFAULT_URL if url is None else url)
    parsed = make_url(address)
    settings: dict[str, Any] = {"pool_pre_ping": True}
    if backend(parsed) == "sqlite":
        settings = {"connect_args": {"timeout": BUSY_TIMEOUT}}
        write_ahead(parsed.database)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        again = None if heartbeat is None else Again(max_retry=max_retry)

        def create() -> PatientStorage:
            return PatientStorage(address, settings, heartbeat_interval=heartbeat, heartbeat_stale_trial_callback=again)

        try:
            return patiently(create, address, OPENING, lambda error: passing(error) or outrun(error))
        except ImportError as error:
            raise DataError(f"{redacted(address)}: its driver is not installed ({error.__cause__ or error})") from None


def _name_problem(name: object) -> str:
    if not isinstance(name, str) or not name:
        return f"a study's name is a string that is not empty; got {name!r}"
    if len(name) > LONGEST_NAME:
        return f"a study's name has at most {LONGEST_NAME} characters; {name[:20]!r}... has {len(name)}"
    if "\0" in name:
        return f"a study's name has no null characters; got {name!r}"
    return ""
