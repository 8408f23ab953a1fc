"""A storage that retries: operations on a database that is locked or unreachable are repeated for a limited time."""

from __future__ import annotations

import random
import threading
import weakref
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import wraps
from typing import Any, TypeVar

from optuna.exceptions import StorageInternalError, UpdateFinishedTrialError
from optuna.storages import RDBStorage
from optuna.trial import TrialState
from sqlalchemy import insert, update
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, PendingRollbackError, SQLAlchemyError
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_delay

from casmopolitan.errors import CasmopolitanError
from casmopolitan.study.compat import RDB_OPERATIONS, ChangeableStorage, TrialModel, TrialValueModel
from casmopolitan.study.storage.damage import UNREADABLE, damaged_rows
from casmopolitan.study.storage.url import redacted

Result = TypeVar("Result")

TIME_LIMIT = 60.0
"""Seconds for which an operation is retried."""

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0
"""Seconds between two attempts. Pauses double, and each is shortened at random by up to half."""

PERMANENT = ("authentication failed", "no password supplied", "translate host name", "name or service", "resolve host")
"""Parts of error messages of databases and drivers after which a retry is useless."""

DAMAGED = "The file is damaged. Restore it from a backup (`sqlite3 FILE .recover` may save a part of it), or start a new study"


class StorageError(CasmopolitanError, StorageInternalError):
    """A database cannot be used any more; the message says which one, why, and what to do. Completed trials are safe."""


def storage_error(error: BaseException | None) -> StorageError | None:
    """Return the StorageError that caused an error.

    Optuna raises an AssertionError if it cannot store the state of a trial; the reason is in its context.

    Args:
        error: Any exception, for example one that `study.optimize` has raised.

    Returns:
        The StorageError, or None if the error has another cause.
    """
    while error is not None and not isinstance(error, StorageError):
        error = error.__cause__ or error.__context__
    return error


def database_error(error: BaseException | None) -> SQLAlchemyError | None:
    """Return the SQLAlchemy error that caused an Optuna error, if there is one."""
    while error is not None and not isinstance(error, SQLAlchemyError):
        error = error.__cause__ or error.__context__
    return error


def is_transient(error: SQLAlchemyError) -> bool:
    """Return whether a retry may help: the database is locked, or the connection is broken.

    A connection that breaks between two statements of a transaction shows as a pending rollback.
    """
    text = str(getattr(error, "orig", error)).lower()
    if any(part in text for part in PERMANENT):
        return False
    locked = "database is locked" in text or "table is locked" in text or "deadlock" in text
    broken = isinstance(error, DBAPIError) and error.connection_invalidated
    unreachable = isinstance(error, OperationalError) and "sqlite3" not in type(error.orig).__module__
    return locked or broken or unreachable or isinstance(error, PendingRollbackError)


def tables_exist(error: SQLAlchemyError) -> bool:
    """Return whether another worker created the same tables at the same time; a retry finds them."""
    return isinstance(error, IntegrityError) or "already exists" in str(error)


def explained(error: SQLAlchemyError, url: str) -> StorageError:
    """Return the error that tells the user in one line why a database cannot be used."""
    reason = " ".join(str(getattr(error, "orig", None) or error).split())
    text, shown = reason.lower(), redacted(url)
    if "locked" in text:
        advice = "Too many workers write at once for SQLite: use PostgreSQL, e.g. storage='postgresql://user@host/database'"
    elif "disk is full" in text or "disk i/o" in text or "no space" in text:
        advice = "Make room on the disk and start again: the study continues from its completed trials"
    elif "readonly" in text:
        advice = (
            "SQLite writes even if a study is only read: the file, its -wal and -shm and their folder must be writable; "
            "or copy them to a folder of your own"
        )
    elif "unable to open" in text:
        advice = "Check that the folder exists and is writable"
    elif "malformed" in text or "not a database" in text:
        advice = DAMAGED
    else:
        advice = (
            "Check that the database runs and can be reached, and start again: the study continues from its completed trials"
        )
    return StorageError(f"{shown}: {reason}. {advice}")


def retry(
    operation: Callable[[], Result],
    url: str,
    seconds: float | None = None,
    retryable: Callable[[SQLAlchemyError], bool] = is_transient,
) -> Result:
    """Call an operation on a database; retry errors that are `retryable` for up to `seconds`, then raise StorageError."""

    def may_pass(error: BaseException) -> bool:
        if isinstance(error, StorageError) or not isinstance(error, SQLAlchemyError | StorageInternalError):
            return False
        cause = database_error(error)
        return cause is not None and retryable(cause)

    limit = TIME_LIMIT if seconds is None else seconds
    attempts = Retrying(retry=retry_if_exception(may_pass), stop=stop_after_delay(limit), wait=_pause, reraise=True)
    try:
        return attempts(operation)
    except StorageError:
        raise
    except (SQLAlchemyError, StorageInternalError) as error:
        cause = database_error(error)
        if cause is None or (isinstance(cause, IntegrityError) and not retryable(cause)):
            raise
        raise explained(cause, url) from None


def _pause(state: RetryCallState) -> float:
    """Return the seconds before the next attempt."""
    doubled = min(FIRST_PAUSE * 2.0 ** min(state.attempt_number - 1, 30), LONGEST_PAUSE)
    return doubled * random.uniform(0.5, 1.0)


class RetryingStorage(ChangeableStorage):
    """Optuna's storage for databases; operations on a database that is locked or unreachable are retried.

    Connections are closed when the storage is garbage collected.
    """

    _retrying = threading.local()

    def __init__(self, url: str, engine_kwargs: dict[str, Any] | None = None, **settings: Any) -> None:
        super().__init__(url, engine_kwargs, **settings)
        weakref.finalize(self, self.engine.dispose)

    def __setstate__(self, state: dict[Any, Any]) -> None:
        super().__setstate__(state)
        weakref.finalize(self, self.engine.dispose)

    def set_trial_state_values(self, trial_id: int, state: TrialState, values: Sequence[float] | None = None) -> bool:
        """Store the state and values of a trial, as Optuna's storage does.

        If the first attempt stored the state but its answer was lost, the second attempt succeeds. A trial is started, or
        ended, by one SQL statement. SQLite does not lock rows that it reads, so with two statements two workers could do it.
        """
        if state == TrialState.RUNNING:
            return retry(lambda: self._start_trial(trial_id), self.url)
        attempts = 0

        def store() -> bool:
            nonlocal attempts
            attempts += 1
            try:
                return self._end_trial(trial_id, state, values or ())
            except UpdateFinishedTrialError:
                if attempts > 1 and RDBStorage.get_trial(self, trial_id).state == state:
                    return True
                raise

        return retry(store, self.url)

    def _end_trial(self, trial_id: int, state: TrialState, values: Sequence[float]) -> bool:
        """End a live trial and store its values; raise UpdateFinishedTrialError if another worker has ended it."""
        live = (TrialModel.trial_id == trial_id) & TrialModel.state.in_([TrialState.RUNNING, TrialState.WAITING])
        completed = {"datetime_complete": datetime.now()} if state.is_finished() else {}
        with self.engine.begin() as connection:
            if connection.execute(update(TrialModel).where(live).values(state=state, **completed)).rowcount != 1:
                raise UpdateFinishedTrialError(f"trial {trial_id} has already ended, or does not exist")
            for objective, value in enumerate(values):
                stored, kind = TrialValueModel.value_to_stored_repr(value)
                row = {"trial_id": trial_id, "objective": objective, "value": stored, "value_type": kind}
                connection.execute(insert(TrialValueModel).values(**row))
        return True

    def _start_trial(self, trial_id: int) -> bool:
        """Start a waiting trial; return False if another worker has taken it."""
        waiting = (TrialModel.trial_id == trial_id) & (TrialModel.state == TrialState.WAITING)
        with self.engine.begin() as connection:
            running = update(TrialModel).where(waiting).values(state=TrialState.RUNNING, datetime_start=datetime.now())
            return connection.execute(running).rowcount == 1


def _with_retries(name: str) -> Callable[..., Any]:
    """Return a method of Optuna's storage that is retried; a method that it calls is not retried on its own."""
    plain = getattr(ChangeableStorage, name)

    @wraps(plain)
    def method(self: RetryingStorage, *args: Any, **kwargs: Any) -> Any:
        if getattr(self._retrying, "now", False):
            return plain(self, *args, **kwargs)
        self._retrying.now = True
        try:
            return retry(lambda: plain(self, *args, **kwargs), self.url)
        except UNREADABLE:
            if damage := list(damaged_rows(self.engine)):
                raise _damage_error(self.url, damage) from None
            raise
        finally:
            self._retrying.now = False

    return method


def _damage_error(url: str, damage: list[tuple[str, str]]) -> StorageError:
    """Return the error that names damaged rows, at most three of them, and says how to repair them."""
    named = ", ".join(what for what, _ in damage[:3]) + (f" and {len(damage) - 3} more" if len(damage) > 3 else "")
    statements = "; ".join(statement for _, statement in damage[:3])
    return StorageError(
        f"{redacted(url)} has damaged rows: {named} cannot be read. Restore a backup, or repair the rows and start again: "
        f"{statements}"
    )


for _name in RDB_OPERATIONS:
    setattr(RetryingStorage, _name, _with_retries(_name))
