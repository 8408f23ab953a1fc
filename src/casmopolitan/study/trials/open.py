"""A study file and its study in the database: opening, comparing, and reading the trials as rows."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

import numpy as np
import optuna
from optuna.storages import BaseStorage
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial
from sqlalchemy.engine import URL, make_url

from casmopolitan.config import Config
from casmopolitan.errors import CasmopolitanError, DataError
from casmopolitan.optimizer import Optimizer
from casmopolitan.space import Space
from casmopolitan.study.compat import database_of, study_id
from casmopolitan.study.file.diff import ChangedError, space_differences, words_differences, words_of
from casmopolitan.study.file.schema import Spec
from casmopolitan.study.sampler.sampler import CasmopolitanSampler
from casmopolitan.study.sampler.settings import recorded_settings
from casmopolitan.study.storage.open import load_or_create_study, open_storage
from casmopolitan.study.storage.url import completed_url, in_memory, redacted
from casmopolitan.study.trials.row import TrialRow, ranked
from casmopolitan.study.trials.status import rows_of
from casmopolitan.trial import Direction, sign_of

BEGUN = "casmo:begun"
"""The user attribute of a study that holds what its file said when it was begun, to tell when it has changed."""


class MissingStudyError(CasmopolitanError):
    """There is no such study in the database yet."""


@dataclass(frozen=True, eq=False)
class OpenStudy:
    """A study file with its study."""

    spec: Spec
    study: Study
    url: str

    @property
    def space(self) -> Space:
        """The search space of the file."""
        return self.spec.space

    def trials(self) -> list[FrozenTrial]:
        """Read every trial, by number: a snapshot for the functions that look at several trials."""
        return self.study.get_trials(deepcopy=False)

    def rows(self, trials: Sequence[FrozenTrial] | None = None) -> list[TrialRow]:
        """Return a snapshot of the trials, by default a new one, as rows by number."""
        return rows_of(self.study, self.trials() if trials is None else trials, self.space)

    def best_first(self, rows: Sequence[TrialRow]) -> list[TrialRow]:
        """The rows that have a value, the best first; where values are noisy, by what the model predicts at each."""
        done = ranked(rows, self.spec.direction)
        usable = [row for row in done if self.space.allows(row.configuration)]
        if not self.config.noisy or not usable:
            return done
        optimizer = Optimizer(self.space, seed=self.seed, config=self.config, direction=self.spec.direction)
        for row in sorted(usable, key=lambda row: row.number):
            optimizer.tell(row.configuration, row.result)
        means = optimizer.predict([row.configuration for row in usable])[0]
        if not np.isfinite(means).all():  # ranks have no magnitudes
            return done
        sign = sign_of(self.spec.direction)
        foreseen = [replace(row, predicted=float(mean)) for row, mean in zip(usable, means, strict=True)]
        return sorted(foreseen, key=lambda row: (sign * (row.predicted or 0.0), row.number))

    @property
    def config(self) -> Config:
        """The settings recorded with the study: those it runs with, also after an update."""
        recorded = recorded_settings(self.study)
        return self.spec.config if recorded is None else recorded.config

    @property
    def seed(self) -> int:
        """The seed recorded with the study."""
        recorded = recorded_settings(self.study)
        return (recorded.seed if recorded is not None else self.spec.seed) or 0


def address(spec: Spec) -> str:
    """The database of a study file: secrets from the environment, files of SQLite seen from the study file's folder."""
    whole = re.fullmatch(r"\$\{(\w+)\}", spec.storage)
    if whole:
        url = os.environ[whole[1]]
    else:  # a part of an address, where the letters of a password may mean something else
        url = re.sub(r"\$\{(\w+)\}", lambda match: quote(os.environ[match[1]], safe=""), spec.storage)
    if url.startswith("sqlite:///"):
        file, mark, query = url.removeprefix("sqlite:///").partition("?")
        if file and file != ":memory:":
            place = URL.create("sqlite", database=str(spec.folder / file)).render_as_string(hide_password=False)
            return f"{place}{mark}{query}"
    return url


def open_spec(spec: Spec, *, create: bool = False, heartbeat: int | None = None, changed: bool = False) -> OpenStudy:
    """The study of a file; made when `create`, else MissingStudyError where there is none.

    ChangedError when space or settings are not those the study was begun with, unless `changed` lets that pass.
    """
    url = address(spec)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    missing = MissingStudyError(
        f"there is no study {spec.name!r} in {redacted(url)} yet; `casmopolitan run` or `casmopolitan ask` begins it"
    )
    if in_memory(url):  # the file may have named it by an environment variable
        raise DataError("a database in memory is gone when the command ends; name a file, e.g. storage = 'sqlite:///study.db'")
    if not create and not has_database(url):
        raise missing
    storage = open_storage(url, heartbeat=heartbeat)
    if not create and spec.name not in optuna.get_all_study_names(storage):
        raise missing
    sampler = CasmopolitanSampler(spec.space, seed=spec.seed, config=spec.config)
    direction = _direction(spec, storage)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = load_or_create_study(spec.name, storage, direction=direction, sampler=sampler)
    begun = study.user_attrs.get(BEGUN)
    if begun is None:
        study.set_user_attr(BEGUN, {"space": spec.space.to_dict(), "words": words_of(spec)})
    elif not changed:
        known = begun if isinstance(begun, dict) else {}
        differences = [*space_differences(known.get("space"), spec.space), *words_differences(known.get("words"), spec)]
        if direction != spec.direction:
            differences.append(f"~ direction: {direction} became {spec.direction}")
        if differences:
            raise ChangedError(spec.name, differences)
    return OpenStudy(spec, study, url)


def open_as_begun(spec: Spec) -> tuple[OpenStudy, list[str]]:
    """The study as it was begun, whatever its file says by now, and how the file differs: to look at it, or to tell results."""
    try:
        return open_spec(spec), []
    except ChangedError as error:
        found = open_spec(spec, changed=True)
        begun = found.study.user_attrs.get(BEGUN)
        record = begun.get("space") if isinstance(begun, dict) else None
        space = Space.from_dict(record) if isinstance(record, dict) else spec.space
        direction: Direction = "maximize" if found.study.direction == StudyDirection.MAXIMIZE else "minimize"
        before = spec.placed(spec.folder, found.config, space).model_copy(update={"direction": direction})
        return open_spec(before, changed=True), error.differences


def ensure_not_replaced(opened: OpenStudy) -> None:
    """DataError where the study was corrected or begun anew by somebody else: what was written since is in the one before."""
    if database_of(opened.study).get_study_name_from_id(study_id(opened.study)) != opened.spec.name:
        raise DataError(
            f"study {opened.spec.name!r} was corrected or begun anew by somebody else meanwhile, and what you said is in the "
            "one before; give the command again"
        )


def has_database(url: str) -> bool:
    """Whether there is a database to look at; of one that is no file nobody knows before it is opened."""
    parsed = make_url(completed_url(url))
    return not parsed.drivername.startswith("sqlite") or Path(parsed.database or "").exists()


def _direction(spec: Spec, storage: BaseStorage) -> Direction:
    """The direction of the file's study as it was begun; the file's where there is none yet."""
    if spec.name not in optuna.get_all_study_names(storage):
        return spec.direction
    found = storage.get_study_directions(storage.get_study_id_from_name(spec.name))
    if len(found) > 1:
        raise DataError(f"study {spec.name!r} exists with {len(found)} objectives; use another name")
    return "maximize" if found[0] == StudyDirection.MAXIMIZE else "minimize"
