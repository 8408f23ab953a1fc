"""A study file and its study in the database: opening, comparing, and reading the trials as rows."""

from __future__ import annotations

import math
import os
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np
import optuna
from optuna.storages import BaseStorage
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy.engine import URL, make_url

from casmopolitan.config import Config
from casmopolitan.errors import CasmopolitanError, DataError
from casmopolitan.optimizer import Optimizer
from casmopolitan.space import Space
from casmopolitan.study.compat import database_of, storage_of, study_id, trial_id
from casmopolitan.study.file.diff import ChangedError, space_differences, words_differences, words_of
from casmopolitan.study.file.schema import Spec
from casmopolitan.study.sampler import records
from casmopolitan.study.sampler.explain import explain
from casmopolitan.study.sampler.records import NOTE
from casmopolitan.study.sampler.replay import known_params
from casmopolitan.study.sampler.sampler import CasmopolitanSampler
from casmopolitan.study.sampler.search_space import distributions_of
from casmopolitan.study.sampler.settings import recorded_settings
from casmopolitan.study.storage.open import open_storage, open_study
from casmopolitan.study.storage.url import completed_url, in_memory, redacted
from casmopolitan.study.trials.row import Row, State, ranked
from casmopolitan.trial import Direction, sign_of

BEGUN = "casmo:begun"
"""The user attribute of a study that holds what its file said when it was begun, to tell when it has changed."""


class MissingStudyError(CasmopolitanError):
    """There is no such study in the database yet."""


@dataclass(frozen=True, eq=False)
class Opened:
    """A study file with its study."""

    spec: Spec
    study: Study
    url: str

    @property
    def space(self) -> Space:
        """The search space of the file."""
        return self.spec.space

    def rows(self) -> list[Row]:
        """Every trial by number."""
        return rows_of(self.study, self.space)

    def best_first(self, rows: Sequence[Row]) -> list[Row]:
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


def open_spec(spec: Spec, *, create: bool = False, heartbeat: int | None = None, changed: bool = False) -> Opened:
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
        study = open_study(spec.name, storage, direction=direction, sampler=sampler)
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
    return Opened(spec, study, url)


def open_as_begun(spec: Spec) -> tuple[Opened, list[str]]:
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


def ensure_not_replaced(opened: Opened) -> None:
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


def rows_of(study: Study, space: Space) -> list[Row]:
    """A study's trials as rows, by number."""
    trials = study.get_trials(deepcopy=False)
    explained = {row["number"]: row for row in explain(study)}
    return [_row(trial, explained.get(trial.number, {}), space) for trial in trials]


def state_of(trial: FrozenTrial) -> State:
    """What has become of a trial."""
    if trial.state == TrialState.RUNNING:
        return "asked" if note_of(trial).get("by") == "hand" else "running"
    if trial.state == TrialState.WAITING:
        return "waiting"
    if trial.state == TrialState.FAIL:
        return "failed" if trial.system_attrs.get(records.FAILED) is True else "cancelled"
    value = trial.value
    return "complete" if value is not None and math.isfinite(value) else "failed"


def note_of(trial: FrozenTrial) -> dict[str, Any]:
    """What is recorded of a trial's run; nothing when it is damaged."""
    note = trial.user_attrs.get(NOTE)
    return note if isinstance(note, dict) else {}


def _row(trial: FrozenTrial, explained: dict[str, Any], space: Space) -> Row:
    note, state = note_of(trial), state_of(trial)
    explanation = {k: v for k, v in explained.items() if k not in ("number", "state", "value", "params") and v is not None}
    params = known_params(trial)
    seconds = note.get("seconds")
    if not isinstance(seconds, int | float):
        seconds = trial.duration.total_seconds() if trial.duration is not None and note.get("by") == "run" else None
    return Row(
        trial.number,
        state,
        trial.value if state == "complete" else None,
        {name: params[name] for name in space if name in params},
        explanation,
        known=note.get("by") == "known",
        seconds=seconds,
        error=_text(note, "error"),
        ending=_text(note, "ending"),
        tail=_text(note, "tail") or "",
        attempts=note["attempts"] if isinstance(note.get("attempts"), int) else 1,
        began=trial.datetime_start.timestamp() if trial.datetime_start is not None else None,
        worker=_text(note, "worker"),
    )


def _text(note: dict[str, Any], name: str) -> str | None:
    return note[name] if isinstance(note.get(name), str) else None


class Outside(NamedTuple):
    """A result from outside (None is a failure), and where it stands."""

    configuration: Mapping[str, Any]
    value: float | None
    where: str = ""


class Contradiction(NamedTuple):
    """A result from outside that an exact objective cannot have: its configuration has another value already."""

    outside: Outside
    value: float
    trial: int | None

    def __str__(self) -> str:
        where = f"{self.outside.where}: " if self.outside.where else ""
        other = "a line before it" if self.trial is None else f"trial {self.trial}"
        says = "failed" if self.outside.value is None else repr(self.outside.value)
        return f"{where}says {says}, but {other} has {self.value!r} at the same configuration"


def sorted_out(opened: Opened, results: Iterable[Outside]) -> tuple[list[Outside], list[Contradiction]]:
    """Of results from outside those that the study does not have yet, and those that contradict what it has.

    A noisy objective may have any number of results at a configuration, equal ones too; of those that are given, as many are
    new as there are more of than the study has. SpaceError where a configuration is none of the space.
    """
    ended = [row for row in opened.rows() if row.state in ("complete", "failed")]
    there = Counter((_identity(row.configuration), row.value) for row in ended)
    valued: dict[tuple[Any, ...], tuple[float, int | None]] = {
        _identity(row.configuration): (row.result, row.number) for row in ended if row.value is not None
    }
    new: list[Outside] = []
    against: list[Contradiction] = []
    for given in results:
        outside = given._replace(configuration=opened.space.read(given.configuration))
        key = _identity(outside.configuration)
        if there[key, outside.value]:
            if opened.config.noisy:
                there[key, outside.value] -= 1  # an equal one after it is a replicate
        elif not opened.config.noisy and key in valued:
            against.append(Contradiction(outside, *valued[key]))
        else:
            new.append(outside)
            if not opened.config.noisy:
                there[key, outside.value] += 1
            if outside.value is not None:
                valued[key] = (outside.value, None)
    return new, against


def add_known(opened: Opened, results: Iterable[Outside]) -> int:
    """Record results from outside that the study does not have; how many those were. What contradicts it is left alone."""
    new = sorted_out(opened, results)[0]
    record_known(opened, new)
    return len(new)


def record_known(opened: Opened, new: Sequence[Outside]) -> None:
    """Record results from outside as trials of their own, which cost no budget."""
    distributions = distributions_of(opened.space)
    for outside in new:
        failed = outside.value is None
        opened.study.add_trial(
            optuna.trial.create_trial(
                state=TrialState.FAIL if failed else TrialState.COMPLETE,
                value=outside.value,
                params=dict(outside.configuration),
                distributions=distributions,
                user_attrs={NOTE: {"by": "known"}},
                system_attrs={records.FAILED: True} if failed else {},
            )
        )


def _identity(configuration: Mapping[str, Any]) -> tuple[Any, ...]:
    """A configuration, such that 1, 1.0 and True are three different values."""
    return tuple((name, type(word), word) for name, word in sorted(configuration.items()))


def counts(trial: FrozenTrial) -> bool:
    """Whether a trial counts against the budget; as `Row.counts`, without reading the rest of it."""
    return state_of(trial) in ("complete", "failed", "running", "asked") and note_of(trial).get("by") != "known"


def repeats(opened: Opened, trial: FrozenTrial) -> bool:
    """Whether no new point was found for a trial; about a space of one point the sampler is not even asked."""
    if (records.read(trial.system_attrs) or {}).get("exhausted") is True:
        return True
    if opened.space.size > 1 or opened.config.noisy:
        return False
    others = [other for other in opened.study.get_trials(deepcopy=False) if other.number != trial.number]
    out = any(state_of(other) in ("running", "asked") and other.number < trial.number for other in others)
    states = [state_of(other) for other in others]
    return out or "complete" in states or states.count("failed") > 1


def queued_in_vain(opened: Opened, trial: FrozenTrial) -> bool:
    """Whether the point of a trial from the queue has its value meanwhile, or is at work in a trial before it."""
    if "fixed_params" not in trial.system_attrs or opened.config.noisy:
        return False
    mine = _identity(known_params(trial))
    return any(
        _identity(known_params(other)) == mine
        for other in opened.study.get_trials(deepcopy=False)
        if state_of(other) == "complete" or (state_of(other) in ("running", "asked") and other.number < trial.number)
        if other.number != trial.number
    )


def cancelled(study: Study, trial: FrozenTrial) -> None:
    """Give a trial back: it neither counts nor is avoided."""
    if trial.state.is_finished():
        raise DataError(f"trial {trial.number} has ended already")
    storage_of(study).set_trial_state_values(trial_id(trial), TrialState.FAIL)
