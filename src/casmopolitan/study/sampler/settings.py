"""The settings of a study's sampler, recorded with the study: all workers use the same, also after an update."""

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
    """A sampler was made with other settings than those that its study has recorded; the recorded ones are used."""


@dataclass(frozen=True)
class Settings:
    """What every worker on a study must agree about; seed None is one yet to be drawn."""

    seed: int | None
    config: Config
    ordinal: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON: of the config only what differs from the paper."""
        paper = Config().to_dict()
        config = {name: value for name, value in self.config.to_dict().items() if value != paper[name]}
        return {"version": VERSION, "seed": self.seed, "config": config, "ordinal": list(self.ordinal)}

    @cached_property
    def fingerprint(self) -> str:
        """Equal for equal settings: who wrote a record."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()[:16]

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Settings:
        """The settings that `to_dict` wrote; DataError for anything else."""
        try:
            if record["version"] != VERSION:
                raise DataError(f"the study's settings have version {record['version']!r}; this casmopolitan reads {VERSION}")
            seed, ordinal = record["seed"], record["ordinal"]
            if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
                raise DataError(f"the study has recorded the seed {seed!r}; a seed is a whole number of at least 0")
            if not isinstance(ordinal, list) or not all(isinstance(name, str) for name in ordinal):
                raise DataError(f"the study has recorded {ordinal!r} as its ordinal parameters; they are a list of names")
            return cls(seed, Config.from_dict(record["config"]), tuple(ordinal))
        except CasmopolitanError as error:
            raise DataError(f"{error}. Update casmopolitan, or start a new study") from None
        except (KeyError, TypeError) as error:
            raise DataError(f"the study's recorded settings are damaged ({error!r}); start a new study") from None

    def differences(self, recorded: Settings) -> list[str]:
        """A phrase for each setting that differs from the recorded one; a seed left open differs from none."""
        found = []
        if self.seed not in (None, recorded.seed):
            found.append(f"seed={self.seed} (recorded: {recorded.seed})")
        mine, theirs = self.config.to_dict(), recorded.config.to_dict()
        found += [f"{name}={mine[name]!r} (recorded: {theirs[name]!r})" for name in mine if mine[name] != theirs[name]]
        if self.ordinal != recorded.ordinal:
            found.append(f"ordinal={list(self.ordinal)} (recorded: {list(recorded.ordinal)})")
        return found


def agreed(study: Study, own: Settings) -> tuple[Settings, int]:
    """The settings that the study has recorded, and their seed; its first worker records its own.

    Of two workers that start together the later writer's stand, which both read from their next trial on.
    """
    recorded = recorded_settings(study)
    if recorded is None:
        drawn = own if own.seed is not None else replace(own, seed=secrets.randbits(32))
        storage_of(study).set_study_system_attr(study_id(study), KEY, drawn.to_dict())
        recorded = recorded_settings(study) or drawn
    return recorded, recorded.seed or 0


def warned(study: Study, own: Settings, recorded: Settings) -> None:
    """Say once which of the sampler's settings are not used."""
    differences = own.differences(recorded)
    if differences:
        warnings.warn(
            f"study {study.study_name!r} was begun with other settings, and they are used, so that all its workers agree; "
            f"not used: {', '.join(differences)}. Pass the recorded ones, or start a new study",
            SettingsWarning,
            stacklevel=2,
        )


def recorded_settings(study: Study) -> Settings | None:
    """What the study's first worker recorded."""
    record = storage_of(study).get_study_system_attrs(study_id(study)).get(KEY)
    return None if record is None else Settings.from_dict(record)


def writer_of(study: Study) -> str | None:
    """The fingerprint of the study's recorded settings; empty where there are none, None where they cannot be read."""
    try:
        recorded = recorded_settings(study)
    except DataError:
        return None
    return "" if recorded is None else recorded.fingerprint
