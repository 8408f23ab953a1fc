"""The sampler's settings, recorded with the study: all workers use the same, also after an update of this package."""

from __future__ import annotations

import hashlib
import json
import secrets
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from optuna.study import Study

from casmopolitan.config import Config
from casmopolitan.errors import CasmopolitanError, DataError
from casmopolitan.study.compat import storage_of, study_id

KEY = "casmo:settings"
VERSION = 1


class SettingsWarning(UserWarning):
    """A sampler has other settings than its study has recorded; the recorded settings are used."""


@dataclass(frozen=True)
class Settings:
    """The settings that all workers of a study share; a seed of None has not been drawn yet."""

    seed: int | None
    config: Config
    ordinal: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON, with those fields of the config that differ from the paper."""
        paper = Config().to_dict()
        config = {name: value for name, value in self.config.to_dict().items() if value != paper[name]}
        return {"version": VERSION, "seed": self.seed, "config": config, "ordinal": list(self.ordinal)}

    @cached_property
    def fingerprint(self) -> str:
        """A hash that is equal for equal settings; it signs the records of trials."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()[:16]

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Settings:
        """Return the settings that `to_dict` wrote; raise DataError for anything else."""
        try:
            if record["version"] != VERSION:
                raise DataError(f"the study's settings have version {record['version']!r}; this casmopolitan reads {VERSION}")
            seed, ordinal = record["seed"], record["ordinal"]
            if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
                raise DataError(f"the study has recorded the seed {seed!r}; it must be a whole number of at least 0")
            if not isinstance(ordinal, list) or not all(isinstance(name, str) for name in ordinal):
                raise DataError(f"the study has recorded {ordinal!r} as its ordinal parameters; it must be a list of names")
            return cls(seed, Config.from_dict(record["config"]), tuple(ordinal))
        except CasmopolitanError as error:
            raise DataError(f"{error}. Update casmopolitan, or start a new study") from None
        except (KeyError, TypeError) as error:
            raise DataError(f"the study's recorded settings are damaged ({error!r}); start a new study") from None

    def differences(self, recorded: Settings) -> list[str]:
        """Return a text for each setting that differs from the recorded one; a seed of None never differs."""
        found = []
        if self.seed not in (None, recorded.seed):
            found.append(f"seed={self.seed} (recorded: {recorded.seed})")
        mine, theirs = self.config.to_dict(), recorded.config.to_dict()
        found += [f"{name}={mine[name]!r} (recorded: {theirs[name]!r})" for name in mine if mine[name] != theirs[name]]
        if self.ordinal != recorded.ordinal:
            found.append(f"ordinal={list(self.ordinal)} (recorded: {list(recorded.ordinal)})")
        return found


def load_or_record_settings(study: Study, own: Settings) -> tuple[Settings, int]:
    """Return the settings that the study has recorded, and their seed; record the worker's own if there are none.

    If two workers start together, the settings written last apply, and both workers read them for their next trial.
    """
    recorded = recorded_settings(study)
    if recorded is None:
        drawn = own if own.seed is not None else replace(own, seed=secrets.randbits(32))
        storage_of(study).set_study_system_attr(study_id(study), KEY, drawn.to_dict())
        recorded = recorded_settings(study) or drawn
    return recorded, recorded.seed or 0


def warn_about_settings(study: Study, own: Settings, recorded: Settings) -> None:
    """Warn about those of the sampler's settings that are not used."""
    differences = own.differences(recorded)
    if differences:
        warnings.warn(
            f"study {study.study_name!r} has recorded other settings, which all its workers use; "
            f"not used: {', '.join(differences)}. Pass the recorded settings, or start a new study",
            SettingsWarning,
            stacklevel=2,
        )


def recorded_settings(study: Study) -> Settings | None:
    """Return the settings that the study's first worker recorded; None if there are none."""
    record = storage_of(study).get_study_system_attrs(study_id(study)).get(KEY)
    return None if record is None else Settings.from_dict(record)


def writer_of(study: Study) -> str | None:
    """Return the fingerprint of the study's recorded settings: empty if there are none, None if they cannot be read."""
    try:
        recorded = recorded_settings(study)
    except DataError:
        return None
    return "" if recorded is None else recorded.fingerprint
