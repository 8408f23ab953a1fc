"""A storage that waits: operations on a database that is locked or away for a moment are tried again, within bounds."""

from __future__ import annotations

import random
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import wraps
from typing import Any, TypeVar

from optuna.exceptions import StorageInternalError, UpdateFinishedTrialError
from optuna.storages import RDBStorage
from optuna.trial import TrialState
from sqlalchemy import insert, select, update
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, PendingRollbackError, SQLAlchemyError

from casmopolitan.errors import CasmopolitanError
from casmopolitan.study.compat import RDB_OPERATIONS, StudyModel, TrialModel, TrialValueModel
from casmopolitan.study.storage.url import redacted

Answer = TypeVar("Answer")

PATIENCE = 60.0
"""Seconds for which an operation is tried again before it is given up."""

LONGEST_PAUSE = 2.0
"""Seconds between two tries, at most; the pauses double from 0.05 and are shortened at random."""


HOPELESS = ("authentication failed", "no password supplied", "translate host name", "name or service", "resolve host")
"""What a database or its driver says when trying again cannot help."""


DAMAGED = "The file is damaged. Restore it from a backup (`sqlite3 FILE .recover` may save what is left), or begin a new study"
"""The way out where no trying again helps and nothing of ours can read the file."""


class StorageError(CasmopolitanError, StorageInternalError):
    """A database cannot be used any more; the message says which, why, and what to do. Nothing completed is lost."""


def storage_error(error: BaseException | None) -> StorageError | None:
    """The StorageError behind an error, if there is one: Optuna hides it in an AssertionError when it cannot store a state."""
    while error is not None and not isinstance(error, StorageError):
        error = error.__cause__ or error.__context__
    return error


def database_error(error: BaseException | None) -> SQLAlchemyError | None:
    """The database's own error behind one of Optuna's."""
    while error is not None and not isinstance(error, SQLAlchemyError):
        error = error.__cause__ or error.__context__
    return error


def passing(error: SQLAlchemyError) -> bool:
    """Whether trying again may help: the database is locked, or the connection broke.

    A connection that breaks between two statements of a transaction is met as a rollback still to be done.
    """
    text = str(getattr(error, "orig", error)).lower()
    if any(word in text for word in HOPELESS):
        return False
    locked = "database is locked" in text or "table is locked" in text or "deadlock" in text
    broken = isinstance(error, DBAPIError) and error.connection_invalidated
    away = isinstance(error, OperationalError) and "sqlite3" not in type(error.orig).__module__
    return locked or broken or away or isinstance(error, PendingRollbackError)


def outrun(error: SQLAlchemyError) -> bool:
    """Whether another worker made the same tables at the same time: trying again finds them made."""
    return isinstance(error, IntegrityError) or "already exists" in str(error)


def explained(error: SQLAlchemyError, url: str) -> StorageError:
    """The one line that a user reads when a database cannot be used."""
    reason = " ".join(str(getattr(error, "orig", None) or error).split())
    text, shown = reason.lower(), redacted(url)
    if "locked" in text:
        advice = "Too many workers write at once for SQLite: use PostgreSQL, e.g. storage='postgresql://user@host/database'"
    elif "disk is full" in text or "disk i/o" in text or "no space" in text:
        advice = "Make room on the disk and start again: the study goes on from its completed trials"
    elif "readonly" in text:
        advice = (
            "SQLite writes even when it is looked at: the file, its -wal and -shm and their folder must be writable; "
            "or copy them to a folder of your own"
        )
    elif "unable to open" in text:
        advice = "Check that the folder exists and may be written to"
    elif "malformed" in text or "not a database" in text:
        advice = DAMAGED
    else:
        advice = "Check that the database runs and can be reached, and start again: the study goes on from its completed trials"
    return StorageError(f"{shown}: {reason}. {advice}")


def patiently(
    operation: Callable[[], Answer],
    url: str,
    patience: float | None = None,
    hopeful: Callable[[SQLAlchemyError], bool] = passing,
) -> Answer:
    """Do something with a database; while its errors are hopeful, again for up to `patience` seconds, then StorageError."""
    started, pause = time.monotonic(), 0.05
    limit = PATIENCE if patience is None else patience
    while True:
        try:
            return operation()
        except StorageError:
            raise
        except (SQLAlchemyError, StorageInternalError) as error:
            cause = database_error(error)
            if cause is None or (isinstance(cause, IntegrityError) and not hopeful(cause)):
                raise
            if not hopeful(cause) or time.monotonic() - started > limit:
                raise explained(cause, url) from None
        time.sleep(pause * (0.5 + 0.5 * random.random()))
        pause = min(2 * pause, LONGEST_PAUSE)


class PatientStorage(RDBStorage):
    """Optuna's storage for databases, patient: what is locked or away for a moment is tried again.

    Its connections are closed when it is no longer used.
    """

    _trying = threading.local()

    def __init__(self, url: str, engine_kwargs: dict[str, Any] | None = None, **settings: Any) -> None:
        super().__init__(url, engine_kwargs, **settings)
        weakref.finalize(self, self.engine.dispose)

    def __setstate__(self, state: dict[Any, Any]) -> None:
        super().__setstate__(state)
        weakref.finalize(self, self.engine.dispose)

    def set_trial_state_values(self, trial_id: int, state: TrialState, values: Sequence[float] | None = None) -> bool:
        """As Optuna's; a state that was stored although the answer got lost is no error at the second try.

        A trial is taken, and ended, by one statement: SQLite locks no row that is read, so two workers could both do it.
        """
        if state == TrialState.RUNNING:
            return patiently(lambda: self._taken(trial_id), self.url)
        tries = 0

        def store() -> bool:
            nonlocal tries
            tries += 1
            try:
                return self._ended(trial_id, state, values or ())
            except UpdateFinishedTrialError:
                if tries > 1 and RDBStorage.get_trial(self, trial_id).state == state:
                    return True
                raise

        return patiently(store, self.url)

    def exchange_names(
        self, study_id: int, name: str, successor: str, kept: str, trials: Sequence[tuple[int, TrialState]]
    ) -> bool:
        """The study of this id, name and trials is called `kept`, the successor takes its name: both, or neither and False."""

        def exchange() -> bool:
            with self.engine.connect() as connection, connection.begin() as transaction:
                own = (StudyModel.study_id == study_id) & (StudyModel.study_name == name)
                for which, new in ((own, kept), (StudyModel.study_name == successor, name)):
                    if connection.execute(update(StudyModel).where(which).values(study_name=new)).rowcount != 1:
                        transaction.rollback()
                        return False
                found = select(TrialModel.trial_id, TrialModel.state).where(TrialModel.study_id == study_id).with_for_update()
                if {(row.trial_id, row.state) for row in connection.execute(found)} != set(trials):
                    transaction.rollback()
                    return False
            return True

        return patiently(exchange, self.url)

    def _ended(self, trial_id: int, state: TrialState, values: Sequence[float]) -> bool:
        """End a trial that has not ended, with its values; UpdateFinishedTrialError where somebody else has ended it."""
        live = (TrialModel.trial_id == trial_id) & TrialModel.state.in_([TrialState.RUNNING, TrialState.WAITING])
        completed = {"datetime_complete": datetime.now()} if state.is_finished() else {}
        with self.engine.begin() as connection:
            if connection.execute(update(TrialModel).where(live).values(state=state, **completed)).rowcount != 1:
                raise UpdateFinishedTrialError(f"trial {trial_id} has ended already, or does not exist")
            for objective, value in enumerate(values):
                stored, kind = TrialValueModel.value_to_stored_repr(value)
                row = {"trial_id": trial_id, "objective": objective, "value": stored, "value_type": kind}
                connection.execute(insert(TrialValueModel).values(**row))
        return True

    def _taken(self, trial_id: int) -> bool:
        """Whether the trial was waiting and runs now, by this worker's doing."""
        waiting = (TrialModel.trial_id == trial_id) & (TrialModel.state == TrialState.WAITING)
        with self.engine.begin() as connection:
            running = update(TrialModel).where(waiting).values(state=TrialState.RUNNING, datetime_start=datetime.now())
            return connection.execute(running).rowcount == 1


def _patient(name: str) -> Callable[..., Any]:
    plain = getattr(RDBStorage, name)

    @wraps(plain)
    def tried(self: PatientStorage, *args: Any, **kwargs: Any) -> Any:
        if getattr(self._trying, "now", False):
            return plain(self, *args, **kwargs)
        self._trying.now = True
        try:
            return patiently(lambda: plain(self, *args, **kwargs), self.url)
        finally:
            self._trying.now = False

    return tried


for _name in RDB_OPERATIONS:
    setattr(PatientStorage, _name, _patient(_name))
