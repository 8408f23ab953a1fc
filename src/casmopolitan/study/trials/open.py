"""A study file and its study in the database: open it, compare the two, accept changes, read the trials."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import optuna
from optuna.storages import RDBStorage
from optuna.study import Study
from optuna.trial import FrozenTrial

from casmopolitan.analysis.ranking import best_by_model
from casmopolitan.analysis.row import TrialRow, leading
from casmopolitan.config import Config
from casmopolitan.errors import CasmopolitanError, DataError, MissingExtraError
from casmopolitan.goals import Goals
from casmopolitan.space import Space
from casmopolitan.study.compat import database_of, study_id
from casmopolitan.study.file.diff import (
    ChangedError,
    goal_differences,
    past_differences,
    record_of,
    recorded_goals,
    settings_differences,
    space_differences,
)
from casmopolitan.study.file.schema import Spec
from casmopolitan.study.liveness import release_stale_trials
from casmopolitan.study.sampler.sampler import CasmopolitanSampler
from casmopolitan.study.sampler.settings import KEY as SETTINGS
from casmopolitan.study.sampler.settings import recorded_settings
from casmopolitan.study.storage.corrections import CHANGE, replace_record
from casmopolitan.study.storage.open import load_or_create_study, open_storage
from casmopolitan.study.storage.retry import StorageError
from casmopolitan.study.storage.url import has_database, in_memory, located_url, redacted
from casmopolitan.study.trials.goals import directions_in, directions_of, existing_directions, new_constraints, pruner_of
from casmopolitan.study.trials.status import rows_of

RECORD = "casmo:begun"
"""The user attribute of a study that holds its space and settings as the study file last had them."""


COMMA = "casmopolitan:decimal-comma"
"""The user attribute of a study that says whether the CSV file that was read last has semicolons and decimal commas."""


class MissingStudyError(CasmopolitanError):
    """The database has no such study yet."""


@dataclass(frozen=True, eq=False)
class OpenStudy:
    """A study file with its study in the database."""

    spec: Spec
    study: Study
    url: str

    @property
    def space(self) -> Space:
        """The search space of the file."""
        return self.spec.space

    @property
    def record(self) -> Any:
        """The space and settings that the study has recorded; None for a study that no file has opened yet."""
        return self.study.user_attrs.get(RECORD)

    @cached_property
    def goals(self) -> Goals:
        """The objectives and limits of the file."""
        return self.spec.goals

    @property
    def differences(self) -> list[str]:
        """A line for each difference between the file and the study's record."""
        record = self.record
        found = [*space_differences(record, self.space), *settings_differences(record, self.spec)]
        found += past_differences(record, self.spec)
        return [*found, *self.goal_differences]

    @property
    def goal_differences(self) -> list[str]:
        """A line for each objective and limit that differs between the file and the study."""
        found = goal_differences(self.record, self.spec)
        before, now = directions_in(self.study.directions), directions_of(self.spec)
        if before == now or len(before) != len(now) or any(" objective " in line for line in found):
            return found
        return [*found, f"~ direction: {', '.join(before)} became {', '.join(now)}"]

    @cached_property
    def was_changed(self) -> bool:
        """Whether changes of the file were ever accepted, so that some trials may lie outside the current space."""
        return any(key.startswith(CHANGE) for key in self.study.user_attrs)

    @property
    def comma(self) -> bool:
        """Whether the CSV file that was read last has semicolons and decimal commas."""
        return self.study.user_attrs.get(COMMA) is True

    def remember_comma(self, comma: bool | None) -> None:
        """Record the form of a CSV file, so that files are written in the same form; None if it has none."""
        if comma is not None and comma != self.comma:
            self.study.set_user_attr(COMMA, comma)

    @property
    def database(self) -> RDBStorage:
        """The database, without Optuna's cache."""
        return cast(RDBStorage, database_of(self.study))

    def trials(self) -> list[FrozenTrial]:
        """Read every trial, by number: a snapshot for the functions that look at several trials."""
        return self.study.get_trials(deepcopy=False)

    def rows(self, trials: Sequence[FrozenTrial] | None = None) -> list[TrialRow]:
        """Return a snapshot of the trials, by default a new one, as rows by number."""
        found = self.trials() if trials is None else trials
        return rows_of(self.study, found, self.space, self.goals, changed=self.was_changed)

    def best_first(self, rows: Sequence[TrialRow]) -> list[TrialRow]:
        """Return the rows in the current space that meet all limits, best first; in a noisy study by the model's predictions.

        With several objectives the front comes first; see `analysis.front.best_first`.
        """
        plain = self.goals.outcomes.plain  # a changed file may have limits
        past = {study.name: study for study in self.spec.past_studies if plain}
        return best_by_model(rows, self.space, self.config, self.seed, self.goals, past)

    def front(self, rows: Sequence[TrialRow]) -> list[TrialRow]:
        """Return the rows on the front; in a noisy study on that of the model's predictions."""
        return leading(self.best_first(rows), self.goals)

    @property
    def config(self) -> Config:
        """The settings that the study runs with: those recorded with it, also after an update of casmopolitan."""
        recorded = recorded_settings(self.study)
        return self.spec.config if recorded is None else recorded.config

    @property
    def seed(self) -> int:
        """The seed recorded with the study."""
        recorded = recorded_settings(self.study)
        return (recorded.seed if recorded is not None else self.spec.seed) or 0


def database_url(spec: Spec) -> str:
    """Return the database URL of a study file: secrets from the environment, SQLite files relative to the study file."""
    return located_url(spec.storage, spec.folder)


def open_spec(spec: Spec, *, create: bool = False, heartbeat: int | None = None) -> OpenStudy:
    """Open the study of a file; raise ChangedError if the file has changed since the study recorded it.

    If there is no study, `create` it or raise MissingStudyError.
    """
    opened = _open(spec, create, heartbeat)
    if opened.record is None:
        opened.study.set_user_attr(RECORD, record_of(spec))
    elif differences := opened.differences:
        raise ChangedError(spec.name, differences)
    return opened


def open_recorded(spec: Spec) -> tuple[OpenStudy, list[str]]:
    """Open a study with the space and settings it has recorded; return it, and how the file differs from them."""
    opened = _open(spec)
    record, differences = opened.record, opened.differences
    if record is None or not differences:
        return opened, []
    space = Space.from_dict(record["space"]) if isinstance(record, dict) else spec.space
    goals = recorded_goals(record)
    direction = "minimize" if len(opened.study.directions) > 1 else directions_in(opened.study.directions)[0]
    before = spec.placed(spec.folder, opened.config, space).model_copy(update={"direction": direction, **goals})
    return _open(before), differences


def accept_changes(spec: Spec, heartbeat: int | None = None) -> tuple[OpenStudy, list[str]]:
    """Record the space and settings of a changed file with its study; return the study, and the changes.

    Every trial keeps its number and state. The former record stays with the study, with the time of the change. The model
    does not use trials outside the new space, nor those with a variable that has been removed. If limits have changed, each
    trial is compared with the new ones. Raises DataError if an objective has changed, or a run is under way.
    """
    opened = _open(spec, heartbeat=heartbeat)
    fixed = [line for line in opened.goal_differences if " limit " not in line]
    if fixed:
        raise DataError(
            f"study {spec.name!r}: {'; '.join(line.removeprefix('~ ') for line in fixed)}. The objectives of a study and their "
            "directions cannot change; restore them, or give the study another name"
        )
    record, differences = opened.record, opened.differences
    if not differences:
        return opened, []
    release_stale_trials(opened.study)
    settings = recorded_settings(opened.study)
    changed = {}
    if settings is not None and settings_differences(record, spec):
        seed = settings.seed if spec.seed is None else spec.seed
        changed = {SETTINGS: replace(settings, seed=seed, config=spec.config).to_dict()}
    limits = new_constraints(opened.trials(), opened.goals) if opened.goal_differences else {}
    if not replace_record(opened.database, study_id(opened.study), RECORD, record, record_of(spec), changed, limits):
        return open_spec(spec, heartbeat=heartbeat), []  # another process has accepted the same changes
    return _open(spec, heartbeat=heartbeat), differences


def _open(spec: Spec, create: bool = False, heartbeat: int | None = None) -> OpenStudy:
    """Open the study of a file without comparing the two."""
    url = database_url(spec)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    missing = MissingStudyError(
        f"there is no study {spec.name!r} in {redacted(url)} yet; `casmopolitan run` or `casmopolitan ask` creates it"
    )
    if in_memory(url):  # the file may name it by an environment variable
        raise StorageError(
            "a database in memory is lost when the command ends; name a file, e.g. storage = 'sqlite:///study.db'"
        )
    try:
        if not create and not has_database(url):
            raise missing
        storage = open_storage(url, heartbeat=heartbeat)
    except (DataError, MissingExtraError) as error:
        raise StorageError(str(error)) from None
    if not create and spec.name not in optuna.get_all_study_names(storage):
        raise missing
    past = {study.name: study for study in spec.past_studies}
    sampler = CasmopolitanSampler(spec.space, seed=spec.seed, config=spec.config, past=past)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        directions = existing_directions(spec, storage)
        directions_now = directions or directions_of(spec)
        study = load_or_create_study(spec.name, storage, directions=directions_now, sampler=sampler, pruner=pruner_of(spec))
        if directions is None and spec.goals.named:
            study.set_metric_names(list(spec.goals.names[: len(spec.goals.objectives)]))
    return OpenStudy(spec, study, url)
