"""Finds the rows of a database that Optuna cannot read, for example because they were edited by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime

from optuna.distributions import json_to_distribution
from optuna.trial import TrialState
from sqlalchemy import text
from sqlalchemy.engine import Connection, Engine

UNREADABLE = (ArithmeticError, AssertionError, LookupError, TypeError, ValueError)
"""Errors that a damaged row causes in Optuna."""

ATTRIBUTES = {
    "trial_user_attributes": "trial_user_attribute_id",
    "trial_system_attributes": "trial_system_attribute_id",
    "study_user_attributes": "study_user_attribute_id",
    "study_system_attributes": "study_system_attribute_id",
}
"""The key columns of the tables of attributes."""


def damaged_rows(engine: Engine) -> Iterator[tuple[str, str]]:
    """Yield each row that cannot be read: what it is, and the SQL statement that repairs or removes it.

    Its trial is kept, but lacks the parameter or the attribute, or counts as failed.
    """
    with engine.connect() as connection:
        yield from _damaged_trials(connection)
        yield from _damaged_values(connection)
        columns = "t.number, p.param_id, p.param_name, p.param_value, p.distribution_json"
        joined = text(f"SELECT {columns} FROM trial_params p JOIN trials t ON t.trial_id = p.trial_id ORDER BY p.param_id")
        for number, row, name, value, distribution in connection.execute(joined):
            try:
                json_to_distribution(distribution).to_external_repr(value)
            except UNREADABLE:
                yield f"parameter {name!r} of trial {number}", f"DELETE FROM trial_params WHERE param_id = {row}"
        for table, key in ATTRIBUTES.items():
            for row, name, value in connection.execute(text(f"SELECT {key}, key, value_json FROM {table} ORDER BY {key}")):
                try:
                    json.loads(value)
                except UNREADABLE:
                    yield f"attribute {name!r} in the table {table}", f"DELETE FROM {table} WHERE {key} = {row}"


def _damaged_trials(connection: Connection) -> Iterator[tuple[str, str]]:
    """Yield the trials without a number or with an unknown state, and dates that cannot be read."""
    columns = "trial_id, study_id, number, state, datetime_start, datetime_complete"
    placed: dict[int, int] = {}
    for row, study, number, state, *dates in connection.execute(text(f"SELECT {columns} FROM trials ORDER BY trial_id")):
        place = placed[study] = placed.get(study, -1) + 1
        repair, where = "UPDATE trials SET", f"WHERE trial_id = {row}"
        if not isinstance(number, int):
            yield f"the number of the trial with trial_id {row}", f"{repair} number = {place} {where}"
        if state not in TrialState.__members__:
            yield f"state {state!r} of trial {number}", f"{repair} state = 'FAIL' {where}"
        for name, date in zip(("datetime_start", "datetime_complete"), dates, strict=True):
            if isinstance(date, datetime | None):
                continue
            try:
                datetime.fromisoformat(date)
            except UNREADABLE:
                yield f"{name} of trial {number}", f"{repair} {name} = NULL {where}"


def _damaged_values(connection: Connection) -> Iterator[tuple[str, str]]:
    """Yield the values that are not numbers; their trials then count as failed."""
    columns = "t.number, t.trial_id, v.trial_value_id, v.value, v.value_type"
    joined = text(f"SELECT {columns} FROM trial_values v JOIN trials t ON t.trial_id = v.trial_id ORDER BY v.trial_value_id")
    for number, trial, row, value, kind in connection.execute(joined):
        sound = isinstance(value, int | float) if kind == "FINITE" else kind in ("INF_POS", "INF_NEG") and value is None
        if not sound:
            removed = f"DELETE FROM trial_values WHERE trial_value_id = {row}"
            yield f"the value of trial {number}", f"UPDATE trials SET state = 'FAIL' WHERE trial_id = {trial}; {removed}"
