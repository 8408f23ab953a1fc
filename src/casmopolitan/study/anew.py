"""A study begun anew because its file has changed: the old one is kept, and what still fits is carried over."""

from __future__ import annotations

import optuna

from casmopolitan.study.opened import Opened, add_known, open_spec, rows_of
from casmopolitan.study.spec import Spec

CARRYING = "casmo:carrying"
"""The user attribute of a kept study whose trials have not all been carried over yet."""


def begun_anew(spec: Spec) -> tuple[str, int]:
    """Begin the study anew with what the file says now; the old one's new name, and how many trials were carried over."""
    old = open_spec(spec, changed=True)
    storage = old.study._storage
    names = optuna.get_all_study_names(storage)
    kept = next(name for k in range(1, 10**6) if (name := f"{_kept(spec)}{k}") not in names)
    optuna.copy_study(from_study_name=spec.name, from_storage=storage, to_storage=storage, to_study_name=kept)
    optuna.load_study(study_name=kept, storage=storage).set_user_attr(CARRYING, True)
    optuna.delete_study(study_name=spec.name, storage=storage)
    return kept, carried_over(open_spec(spec, create=True))


def carried_over(opened: Opened) -> int:
    """Add the trials of kept studies that are still to be carried over; how many were.

    A process that is killed while it begins a study anew leaves some: whoever opens the study next goes on with them.
    """
    storage, carried = opened.study._storage, 0
    for name in optuna.get_all_study_names(storage):
        if name.startswith(_kept(opened.spec)):
            kept = optuna.load_study(study_name=name, storage=storage)
            if kept.user_attrs.get(CARRYING) is True:
                rows = [row for row in rows_of(kept, opened.space) if row.state in ("complete", "failed")]
                fitting = [(row.configuration, row.value) for row in rows if opened.space.allows(row.configuration)]
                carried += add_known(opened, fitting)
                kept.set_user_attr(CARRYING, False)
    return carried


def _kept(spec: Spec) -> str:
    """What the names of studies that this one took the place of begin with."""
    return f"{spec.name} before change "
