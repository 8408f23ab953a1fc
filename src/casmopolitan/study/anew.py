"""A study in another's place: begun anew because its file has changed, or corrected. The one before is kept.

The successor is made under a name of its own and takes the other's in one transaction, so that a process killed at any moment
leaves the study as it was, or as it shall be.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping

import optuna
from optuna.trial import FrozenTrial, TrialState

from casmopolitan.errors import DataError
from casmopolitan.study import attributes
from casmopolitan.study.opened import Opened, add_known, open_spec
from casmopolitan.study.spec import Spec
from casmopolitan.study.storage import open_storage


def begun_anew(spec: Spec) -> tuple[str, int] | None:
    """Begin the study anew with what the file says now; the old one's new name, and how many trials were carried over.

    None where another process was quicker.
    """
    old = open_spec(spec, changed=True)
    rows = [row for row in old.rows() if row.state in ("complete", "failed") and old.space.allows(row.configuration)]
    made = open_spec(spec.model_copy(update={"name": _successor(spec, "changed")}), create=True)
    carried = add_known(made, [(row.configuration, row.value) for row in rows])
    kept = _succeeded(old, made.spec.name, "before change")
    return (kept, carried) if kept else None


def corrected(opened: Opened, values: Mapping[int, float | None]) -> tuple[Opened, str]:
    """The study with other values for trials that have ended (None is a failure), and what the one before is called now."""
    if any(row.state == "running" for row in opened.rows()):
        raise DataError("a run is under way; values can be corrected when it has ended")
    study, storage = opened.study, opened.study._storage
    made = optuna.create_study(study_name=_successor(opened.spec, "corrected"), storage=storage, direction=study.direction)
    for name, record in storage.get_study_system_attrs(study._study_id).items():
        storage.set_study_system_attr(made._study_id, name, record)
    for name, record in study.user_attrs.items():
        made.set_user_attr(name, record)
    for trial in study.get_trials():
        storage.create_new_trial(made._study_id, template_trial=_valued(trial, values) if trial.number in values else trial)
    kept = _succeeded(opened, made.study_name, "before correction")
    if not kept:
        raise DataError("somebody else has corrected or changed the study meanwhile; nothing was recorded, try again")
    return open_spec(opened.spec), kept


def _valued(trial: FrozenTrial, values: Mapping[int, float | None]) -> FrozenTrial:
    """The trial with another value; None is a failure."""
    value = values[trial.number]
    trial.state = TrialState.FAIL if value is None else TrialState.COMPLETE
    trial.values = None if value is None else [value]
    others = {name: record for name, record in trial.system_attrs.items() if name != attributes.FAILED}
    trial._system_attrs = others | ({attributes.FAILED: True} if value is None else {})
    return trial


def _successor(spec: Spec, what: str) -> str:
    """The name of the successor while it is being made, which no other process gives."""
    return f"{spec.name} being {what} {secrets.token_hex(4)}"


def _succeeded(old: Opened, successor: str, how: str) -> str:
    """Let the successor take the study's place; what the study is called now, or nothing where another took it before."""
    storage = open_storage(old.url, heartbeat=None)
    names = optuna.get_all_study_names(storage)
    kept = next(name for k in range(1, 10**6) if (name := f"{old.spec.name} {how} {k}") not in names)
    if storage.exchange_names(old.study._study_id, old.spec.name, successor, kept):
        return kept
    optuna.delete_study(study_name=successor, storage=storage)
    return ""
