"""Corrections of recorded trials and settings: each is one transaction, and is refused while a run is under way."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy import Connection, delete, insert, select, update

from casmopolitan.errors import DataError
from casmopolitan.study.compat import (
    StudyModel,
    StudySystemAttributeModel,
    StudyUserAttributeModel,
    TrialModel,
    TrialSystemAttributeModel,
    TrialUserAttributeModel,
    TrialValueModel,
    trial_id,
)
from casmopolitan.study.sampler.records import NOTE, OUTCOMES
from casmopolitan.study.storage.retry import retry

CORRECTION = "casmo:correction:"
"""Prefix of the user attributes of a trial that record its corrections, one attribute each."""

CHANGE = "casmo:change:"
"""Prefix of the user attributes of a study that record earlier spaces and settings, one attribute per accepted change."""


@dataclass(frozen=True)
class TrialCorrection:
    """A new state and new values for a finished trial."""

    trial: FrozenTrial
    """The trial as it was read. The correction is refused if it has changed since."""
    state: TrialState
    values: Sequence[float] | None
    audit: Mapping[str, Any]
    """The record of the correction; `when` is added."""
    user_attrs: Mapping[str, Any] = field(default_factory=dict)
    """Attributes to set; None removes one."""
    system_attrs: Mapping[str, Any] = field(default_factory=dict)
    """Attributes to set; None removes one."""


def correct_trials(storage: RDBStorage, study_id: int, corrections: Sequence[TrialCorrection]) -> None:
    """Write all corrections; write none and raise DataError if a run is under way, or a trial has changed since it was read."""

    def correct(connection: Connection) -> None:
        for one in corrections:
            number, row = one.trial.number, trial_id(one.trial)
            if _stored(connection, row) != (one.trial.state, one.trial.values, one.trial.user_attrs.get(OUTCOMES)):
                raise DataError(
                    f"trial {number} was changed by another process since it was read. "
                    "Nothing was recorded; run the command again"
                )
            connection.execute(update(TrialModel).where(TrialModel.trial_id == row).values(state=one.state))
            connection.execute(delete(TrialValueModel).where(TrialValueModel.trial_id == row))
            for objective, value in enumerate(one.values or ()):
                stored, kind = TrialValueModel.value_to_stored_repr(value)
                entry = {"trial_id": row, "objective": objective, "value": stored, "value_type": kind}
                connection.execute(insert(TrialValueModel).values(**entry))
            audit = {_next_key(connection, TrialUserAttributeModel, row, CORRECTION): {**one.audit, "when": _now()}}
            _set_attributes(connection, TrialUserAttributeModel, row, {**one.user_attrs, **audit})
            _set_attributes(connection, TrialSystemAttributeModel, row, one.system_attrs)

    _in_transaction(storage, study_id, correct)


def set_trial_attributes(storage: RDBStorage, study_id: int, key: str, values: Mapping[int, Any]) -> None:
    """Set a user attribute of trials by id, also of those that have ended, and beside a run."""

    def write(connection: Connection) -> None:
        for trial, value in values.items():
            _set_attributes(connection, TrialUserAttributeModel, trial, {key: value})

    _in_transaction(storage, study_id, write, beside_run=True)


def replace_record(
    storage: RDBStorage,
    study_id: int,
    key: str,
    before: Any,
    after: Any,
    system_attrs: Mapping[str, Any],
    of_trials: Mapping[int, Mapping[str, Any]] | None = None,
) -> bool:
    """Replace a user attribute of a study, keep the former one under a `CHANGE` key, and set system attributes.

    `of_trials` are system attributes of trials by id; None removes one.

    Writes nothing and returns False if the attribute is no longer `before`: another process has replaced it. Raises DataError
    if a run is under way.
    """
    done = True

    def replace(connection: Connection) -> None:
        nonlocal done
        found = select(StudyUserAttributeModel.value_json).where(
            StudyUserAttributeModel.study_id == study_id, StudyUserAttributeModel.key == key
        )
        done = [json.loads(text) for text in connection.scalars(found)] == [before]
        if done:
            log = _next_key(connection, StudyUserAttributeModel, study_id, CHANGE)
            attributes = {key: after, log: {"before": before, "when": _now()}}
            _set_attributes(connection, StudyUserAttributeModel, study_id, attributes)
            _set_attributes(connection, StudySystemAttributeModel, study_id, system_attrs)
            for trial, own in (of_trials or {}).items():
                _set_attributes(connection, TrialSystemAttributeModel, trial, own)

    _in_transaction(storage, study_id, replace)
    return done


def _in_transaction(
    storage: RDBStorage, study_id: int, write: Callable[[Connection], None], *, beside_run: bool = False
) -> None:
    """Lock the study, check that no run is under way (not if `beside_run`), and write; retry while the database is locked."""

    def operation() -> None:
        with storage.engine.begin() as connection:
            # A write, not a read: SQLite takes its lock here, and PostgreSQL the row that `create_new_trial` locks too.
            own = StudyModel.study_id == study_id
            connection.execute(update(StudyModel).where(own).values(study_name=StudyModel.study_name))
            running = [] if beside_run else _running(connection, study_id)
            if running:
                numbers = ", ".join(map(str, running[:5])) + (", ..." if len(running) > 5 else "")
                raise DataError(f"a run is under way (trial {numbers}); wait until it has ended, or stop it")
            write(connection)

    retry(operation, storage.url)


def _running(connection: Connection, study_id: int) -> list[int]:
    """Return the numbers of the running trials that were not asked for by hand."""
    model, note = TrialModel, TrialUserAttributeModel
    joined = select(model.number, note.value_json).outerjoin(note, (note.trial_id == model.trial_id) & (note.key == NOTE))
    rows = connection.execute(
        joined.where(model.study_id == study_id, model.state == TrialState.RUNNING).order_by(model.number)
    )
    notes = [(number, json.loads(text) if text else None) for number, text in rows]
    return [number for number, found in notes if not (isinstance(found, dict) and found.get("by") == "hand")]


def _stored(connection: Connection, row: int) -> tuple[TrialState | None, list[float] | None, Any]:
    """Return the state, the values and the outcomes of a trial as they are now."""
    value, note = TrialValueModel, TrialUserAttributeModel
    state = connection.scalar(select(TrialModel.state).where(TrialModel.trial_id == row))
    columns = select(value.value, value.value_type).where(value.trial_id == row).order_by(value.objective)
    values = [value.stored_repr_to_value(found.value, found.value_type) for found in connection.execute(columns)]
    outcomes = connection.scalar(select(note.value_json).where(note.trial_id == row, note.key == OUTCOMES))
    return state, values or None, None if outcomes is None else json.loads(outcomes)


def _next_key(connection: Connection, model: Any, owner: int, prefix: str) -> str:
    """Return the first unused key with a prefix."""
    keys = connection.scalars(select(model.key).where(_owner(model) == owner, model.key.startswith(prefix, autoescape=True)))
    return f"{prefix}{len(list(keys))}"


def _set_attributes(connection: Connection, model: Any, owner: int, attributes: Mapping[str, Any]) -> None:
    for key, value in attributes.items():
        connection.execute(delete(model).where(_owner(model) == owner, model.key == key))
        if value is not None:
            row = {_owner(model).key: owner, "key": key, "value_json": json.dumps(value)}
            connection.execute(insert(model).values(**row))


def _owner(model: Any) -> Any:
    """Return the column with the id of the trial or the study that an attribute belongs to."""
    return model.study_id if model in (StudyUserAttributeModel, StudySystemAttributeModel) else model.trial_id


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
