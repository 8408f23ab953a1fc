"""The earlier studies of related tasks that a study file names: CSV files, and studies in databases."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import optuna
from optuna.exceptions import OptunaError
from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial
from sqlalchemy.exc import SQLAlchemyError

from casmopolitan.errors import DataError
from casmopolitan.formatting import did_you_mean
from casmopolitan.goals import Goals
from casmopolitan.past import PastStudy, read_past
from casmopolitan.space import Space
from casmopolitan.spreadsheet.files import TableError
from casmopolitan.spreadsheet.table import read
from casmopolitan.study.file.schema import PastSpec
from casmopolitan.study.storage.url import completed_url, has_database, journal_mode, located_url, redacted


def read_past_studies(
    parts: Mapping[str, Any], space: Space | None, goals: Goals | None, folder: Path
) -> tuple[list[PastStudy], list[str]]:
    """Return the earlier studies of a file with their trials that fit the space, and all problems."""
    entries: Sequence[PastSpec] = parts.get("past", [])
    names = [entry.name for entry in entries]
    problems = [f"past.{i}.name: {name!r} is used twice; rename it" for i, name in enumerate(names) if name in names[:i]]
    if entries and goals is not None and not goals.outcomes.plain:
        return [], [*problems, "past: needs a single objective without limits; remove it, or the limits and other objectives"]
    studies: list[PastStudy] = []
    for i, entry in enumerate(entries):
        path, own = f"past.{i}", list(_entry_problems(entry, folder))
        problems += [path + text for text in own]
        if own or space is None or goals is None or "storage" not in parts:
            continue
        try:
            if entry.file is not None:
                studies.append(_from_csv(entry.name, folder / entry.file, space, goals))
            else:
                path += ".study"
                trials = _trials_of(entry, str(entry.storage or parts["storage"]), folder, goals)
                studies += read_past(space, {entry.name: trials})
        except TableError as error:
            problems += [f"{path}.file: {entry.file}: {text}" for text in error.problems]
        except DataError as error:
            problems += [f"{path}: {text.strip()}" for text in str(error).splitlines()]
    return studies, problems


def _entry_problems(entry: PastSpec, folder: Path) -> Iterator[str]:
    """Yield what is wrong with an entry alone."""
    if (entry.file is None) == (entry.study is None):
        yield ": give either file = 'results.csv' or study = 'the name of a study'"
    elif entry.file is not None and entry.storage is not None:
        yield ".storage: has no effect with file; remove it"
    elif entry.file is not None and not (folder / entry.file).is_file():
        yield f".file: the file {entry.file!r} does not exist; give a CSV file, relative to the study file"


def _from_csv(name: str, path: Path, space: Space, goals: Goals) -> PastStudy:
    """Return the results in a CSV file; TableError lists every cell that cannot be read."""
    left_out: list[str] = []
    lines = read(path, space, goals=goals, misfits=left_out).lines
    problems = []
    for line in lines:  # a line that names a trial need not have every variable
        missing = space.activity.active(line.configuration) - set(line.configuration)
        problems += [f"row {line.row}, column {column!r}: is empty" for column in space if column in missing]
    if problems:
        raise TableError(str(path), problems)
    valued = [(line.configuration, goals.value_of(line.value)) for line in lines]
    kept = [(configuration, value) for configuration, value in valued if value is not None]
    if not kept:
        why = f": {left_out[0]}" if left_out else ""
        raise TableError(str(path), [f"has no result that fits the space{why}"])
    return PastStudy(name, tuple(kept), tuple(f"{path.name}, {text}" for text in left_out))


def _trials_of(entry: PastSpec, storage: str, folder: Path, goals: Goals) -> list[FrozenTrial]:
    """Return the trials of a study in a database, which stays as it is; DataError says why it cannot be read."""
    try:
        url = journal_mode(completed_url(located_url(storage, folder)))[0]
    except KeyError as error:
        raise DataError(f"the environment variable {error.args[0]} is not set; set it before you start") from None
    if not has_database(url):
        raise DataError(f"there is no database {redacted(url)}; give its URL as storage")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            database = RDBStorage(url, skip_table_creation=True)
        try:
            known = optuna.get_all_study_names(database)
            if entry.study not in known:
                raise DataError(f"{redacted(url)} has no study {entry.study!r}.{did_you_mean(entry.study, known)}")
            study = optuna.load_study(study_name=str(entry.study), storage=database)
            directions = [one.name.lower() for one in study.directions]
            if directions != [goals.direction]:
                raise DataError(f"{entry.study!r} has direction {', '.join(directions)}, this study {goals.direction}")
            return study.get_trials(deepcopy=False)
        finally:
            database.engine.dispose()
    except (OptunaError, SQLAlchemyError, RuntimeError, ImportError) as error:
        reason = str(error.__cause__ or error).splitlines()[0]
        raise DataError(f"{redacted(url)} cannot be read: {redacted(reason)}") from None
