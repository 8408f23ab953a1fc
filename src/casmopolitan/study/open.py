"""Opening a study with this package's sampler."""

from __future__ import annotations

from typing import Literal

from optuna.samplers import BaseSampler
from optuna.storages import BaseStorage
from optuna.study import Study

from casmopolitan.study.sampler.sampler import CasmopolitanSampler
from casmopolitan.study.storage.open import ensure_valid, load_or_create_study, open_storage


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
    """Open a study by name; create it if it does not exist.

    Operations on a database that is locked or unreachable are retried for up to a minute. Unlike with Optuna's own storages,
    the choices of a categorical parameter may change while a study runs. Passwords are never shown.

    SQLite keeps a write-ahead log (`PRAGMA journal_mode=WAL`), which works on local disks only. For a file on a network
    file system use `sqlite:///study.db?journal_mode=delete`, or better PostgreSQL.

    Args:
        name: The name of the study, up to 512 characters.
        storage: A database URL, e.g. `sqlite:///study.db` or `postgresql://user@host/database`, or an Optuna storage.
            `sqlite:///casmopolitan.db` by default.
        direction: 'minimize' or 'maximize'.
        sampler: `CasmopolitanSampler()` by default.
        load_if_exists: If False, it is an error if the study exists.
        heartbeat: Seconds between two heartbeats of a running trial. A trial without a heartbeat for twice as long is stale:
            it is released when the next trial starts, and queued again. None switches this off. Use None if you call
            `study.ask` and `study.tell` yourself: only `study.optimize` records heartbeats.
        max_retry: How often a stale trial is queued again; None for no limit.

    Returns:
        An Optuna study.

    Raises:
        DataError: The name, the URL or the direction is not valid, or the study exists with another direction.
        StorageError: The database cannot be used; the message says what to do.
        DuplicatedStudyError: Optuna's error for a study that exists if `load_if_exists` is False.
    """
    ensure_valid(name, [direction])
    opened = storage if isinstance(storage, BaseStorage) else open_storage(storage, heartbeat=heartbeat, max_retry=max_retry)
    sampler = CasmopolitanSampler() if sampler is None else sampler
    return load_or_create_study(name, opened, directions=[direction], sampler=sampler, load_if_exists=load_if_exists)
