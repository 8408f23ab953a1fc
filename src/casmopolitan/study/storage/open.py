"""Opening databases and the studies in them, with the settings that many workers need."""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Sequence
from contextlib import closing, suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import optuna
from optuna.exceptions import ExperimentalWarning
from optuna.pruners import BasePruner
from optuna.samplers import BaseSampler
from optuna.storages import BaseStorage, RetryHeartbeatStaleTrialCallback
from optuna.study import Study
from optuna.trial import FrozenTrial
from sqlalchemy.engine import make_url

from casmopolitan.errors import DataError
from casmopolitan.scalars import Scalar
from casmopolitan.study.compat import CONSTRAINT
from casmopolitan.study.sampler.records import NOTE, OUTCOMES, PARTIAL
from casmopolitan.study.storage.retry import RetryingStorage, is_transient, retry, tables_exist
from casmopolitan.study.storage.url import DEFAULT_URL, backend, completed_url, journal_mode, redacted
from casmopolitan.trial import Direction

BUSY_TIMEOUT = 60.0
"""Seconds for which SQLite waits for another worker's lock."""

LONGEST_NAME = 512
"""Characters of a study's name that Optuna's tables hold."""

OPENING_TIME_LIMIT = 10.0
"""Seconds for which opening a database is retried."""


def ensure_valid(name: object, directions: Sequence[object]) -> None:
    """Raise DataError if the name or a direction of a study is not valid."""
    if not isinstance(name, str) or not name:
        raise DataError(f"a study's name must be a non-empty string; got {name!r}")
    if len(name) > LONGEST_NAME:
        raise DataError(f"a study's name has at most {LONGEST_NAME} characters; {name[:20]!r}... has {len(name)}")
    if "\0" in name:
        raise DataError(f"a study's name must not contain null characters; got {name!r}")
    for direction in directions:
        if direction not in ("minimize", "maximize"):
            raise DataError(f"direction is {direction!r}; it must be 'minimize' or 'maximize'")


def load_or_create_study(
    name: str,
    storage: BaseStorage,
    *,
    directions: Sequence[Direction],
    sampler: BaseSampler,
    pruner: BasePruner | None = None,
    load_if_exists: bool = True,
) -> Study:
    """Return the study with that name; create it if it does not exist. Raise DataError if it has other directions."""
    ensure_valid(name, directions)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        study = optuna.create_study(
            storage=storage,
            study_name=name,
            directions=list(directions),
            sampler=sampler,
            pruner=pruner,
            load_if_exists=load_if_exists,
        )
    found = [one.name.lower() for one in study.directions]
    if found != list(directions):
        wanted = ", ".join(directions)
        raise DataError(f"study {name!r} exists with direction {', '.join(found)}, not {wanted}; use another name")
    return study


def open_storage(url: str | None = None, *, heartbeat: int | None = 60, max_retry: int | None = 3) -> RetryingStorage:
    """Open a database as a storage for Optuna, with the settings of `open_study`.

    Args:
        url: The database URL; an SQLite file in the working directory by default. See `open_study`.
        heartbeat: Seconds between two heartbeats of a running trial, or None for none. See `open_study`.
        max_retry: How often a trial whose worker died is tried again; None for no limit.

    Returns:
        A storage that retries operations on a database that is locked or unreachable.

    Raises:
        DataError: The URL is not that of a supported database, or its driver is not installed.
        StorageError: The database cannot be opened.
    """
    location = completed_url(DEFAULT_URL if url is None else url)
    settings: dict[str, Any] = {"pool_pre_ping": True}
    if backend(make_url(location)) == "sqlite":
        settings = {"connect_args": {"timeout": BUSY_TIMEOUT}}
        location, mode = journal_mode(location)
        refuse_foreign_file(make_url(location).database)
        _set_journal_mode(make_url(location).database, mode)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        requeue = None if heartbeat is None else RequeueStaleTrial(max_retry=max_retry)

        def create() -> RetryingStorage:
            return RetryingStorage(location, settings, heartbeat_interval=heartbeat, heartbeat_stale_trial_callback=requeue)

        try:
            return retry(create, location, OPENING_TIME_LIMIT, lambda error: is_transient(error) or tables_exist(error))
        except ImportError as error:
            raise DataError(
                f"{redacted(location)}: its driver is not installed ({error.__cause__ or error}). Install it, or use SQLite, "
                "which needs none, or PostgreSQL with the extra 'postgres'"
            ) from None


class RequeueStaleTrial(RetryHeartbeatStaleTrialCallback):
    """Queues a trial again if its worker died, without the note of that worker, and without any result that it recorded.

    Its parameters are fixed in advance instead of set: ranges and choices may have changed when it is tried again.
    """

    def __call__(self, study: Study, trial: FrozenTrial) -> None:
        """Queue the trial."""
        bare = deepcopy(trial)
        bare.user_attrs = {name: value for name, value in trial.user_attrs.items() if name not in (NOTE, OUTCOMES)}
        told = (PARTIAL, *(name for name in trial.system_attrs if name.startswith(CONSTRAINT)))
        bare.system_attrs = {name: value for name, value in trial.system_attrs.items() if name not in told}
        if trial.params and all(
            isinstance(value, Scalar) and value == value for value in trial.params.values()
        ):  # JSON holds them
            bare.system_attrs["fixed_params"] = {**trial.system_attrs.get("fixed_params", {}), **trial.params}
            bare.params, bare.distributions = {}, {}
        super().__call__(study, bare)


def refuse_foreign_file(database: str | None) -> None:
    """Raise DataError if an SQLite file belongs to another application: it has tables, but none of Optuna's.

    Opening a study creates tables. The check opens the file read-only, so a foreign file stays as it is.
    """
    file = Path(database or ":memory:")
    if not file.is_file():
        return
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and not tables & {"studies", "version_info"}:
            shown = ", ".join(sorted(tables)[:3])
            raise DataError(f"{file} is a database of another application (it has the tables {shown}); name another file")


def _set_journal_mode(database: str | None, mode: str) -> None:
    """Set how SQLite protects its writes; in the mode 'wal' readers and writers do not block each other."""
    if not database or database == ":memory:" or database.startswith("file:"):
        return
    with suppress(sqlite3.Error), closing(sqlite3.connect(database, timeout=10.0)) as connection:
        connection.execute(f"PRAGMA journal_mode={mode}")
