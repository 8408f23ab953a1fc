"""Defaults: the values that trials had before a parameter was added. They are recorded with the study, for all workers."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from optuna.study import Study

from casmopolitan.errors import DataError, SpaceError
from casmopolitan.formatting import did_you_mean, short_repr
from casmopolitan.scalars import Scalar, native
from casmopolitan.study.compat import contains, storage_of, study_id
from casmopolitan.study.sampler.search_space import Translation
from casmopolitan.study.sampler.settings import SettingsWarning

KEY = "casmo:defaults"


def read_defaults(defaults: object, declared: Translation | None) -> dict[str, Scalar]:
    """Return defaults as native values; raise an error that lists all problems."""
    if not isinstance(defaults, Mapping) or not all(isinstance(name, str) for name in defaults):
        raise DataError(f"defaults is {short_repr(defaults)}; give a dict, e.g. {{'momentum': 0.9}}")
    found, problems = dict[str, Scalar](), []
    for name, value in defaults.items():
        try:
            found[name] = native(value)
        except TypeError:
            problems.append(f"the default of {name!r} is {short_repr(value)}; it must be a number, a text, True, False or None")
            continue
        if declared is not None and name not in declared.distributions:
            hint = did_you_mean(name, declared.distributions)
            problems.append(f"defaults names {name!r}, which is not in the search space.{hint}")
        elif declared is not None and not contains(declared.distributions[name], found[name]):
            problems.append(f"the default {found[name]!r} of {name!r} does not fit {declared.distributions[name]}")
    if problems:
        raise SpaceError(problems)
    return found


def load_or_record_defaults(study: Study, own: Mapping[str, Scalar]) -> dict[str, Any]:
    """Return the defaults that the study has recorded; record those of the worker that are new.

    A different default of the worker is not used, with a warning.
    """
    storage, number = storage_of(study), study_id(study)
    recorded = storage.get_study_system_attrs(number).get(KEY, {})
    if not own.keys() <= recorded.keys():
        storage.set_study_system_attr(number, KEY, recorded := {**own, **recorded})
    other = [f"{name}={own[name]!r} (recorded: {recorded[name]!r})" for name in own if own[name] != recorded[name]]
    if other:
        warnings.warn(
            f"study {study.study_name!r} has recorded other defaults, which all its workers use; not used: {', '.join(other)}. "
            "Pass the recorded values, or start a new study",
            SettingsWarning,
            stacklevel=2,
        )
    return dict(recorded)
