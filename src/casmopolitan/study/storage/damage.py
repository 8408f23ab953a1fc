"""Finds the rows of a database that Optuna cannot read, for example because they were edited by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator

from optuna.distributions import json_to_distribution
from sqlalchemy import text
from sqlalchemy.engine import Engine

UNREADABLE = (ArithmeticError, LookupError, TypeError, ValueError)
"""Errors that a damaged row causes in Optuna."""

ATTRIBUTES = {
    "trial_user_attributes": "trial_user_attribute_id",
    "trial_system_attributes": "trial_system_attribute_id",
    "study_user_attributes": "study_user_attribute_id",
    "study_system_attributes": "study_system_attribute_id",
}
"""The key columns of the tables of attributes."""


def damaged_rows(engine: Engine) -> Iterator[tuple[str, str]]:
    """Yield each row that cannot be read: what it is, and the SQL statement that removes it.

    Without the row its trial is kept, but lacks the parameter or the attribute.
    """
    with engine.connect() as connection:
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
