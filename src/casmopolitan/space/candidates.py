"""Lists of candidates: rows from dicts, a data frame or a CSV file, and the variables that their columns suggest."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from casmopolitan.core.candidates import Candidates, distinct
from casmopolitan.core.points import Points
from casmopolitan.errors import MisfitError, SpaceError
from casmopolitan.formatting import did_you_mean, short_repr
from casmopolitan.scalars import Key, Scalar, is_number, is_whole, key, native
from casmopolitan.space.codec import Codec
from casmopolitan.space.constraint import misfits
from casmopolitan.space.ranges import NARROW, Integer, Real
from casmopolitan.space.variables import Categorical, Ordinal, Variable
from casmopolitan.space.when import When

Columns = dict[str, list[Scalar]]
"""The values of each variable, one per row; None where it does not exist."""

MOST = 1_000_000
"""The most rows of a list."""

SHOWN = 20
"""How many problems of one column an error lists."""

KINDS = "give a list of dicts, a data frame, or the path of a CSV file"


def columns_of(rows: object, conditional: Collection[str] = ()) -> Columns:
    """Return the columns of a list of dicts, of a data frame, or of a CSV file; SpaceError lists all problems.

    Values of `conditional` variables may be missing, as None, NaN, empty cells or missing keys.
    """
    if isinstance(rows, str | os.PathLike):
        found = _read_csv(Path(rows), conditional)
    elif hasattr(rows, "columns") and hasattr(rows, "__getitem__"):
        found = {str(name): list(rows[name]) for name in rows.columns}
    elif isinstance(rows, Mapping):
        found = {name: list(values) for name, values in rows.items()}
    elif isinstance(rows, Iterable):
        found = _from_dicts(list(rows), conditional)
    else:
        raise SpaceError(f"the candidates are {short_repr(rows)}; {KINDS}")
    lengths = {len(values) for values in found.values()}
    if not found or lengths == {0}:
        raise SpaceError(f"the list of candidates is empty; {KINDS}")
    if len(lengths) > 1:
        rows = ", ".join(f"{name!r} has {len(values):,}" for name, values in found.items())
        raise SpaceError(f"the columns of the candidates differ in length: {rows}; give each one value per candidate")
    if max(lengths) > MOST:
        raise SpaceError(
            f"the list has {max(lengths):,} candidates; at most {MOST:,} are allowed. Leave out those that are certainly bad, "
            "or describe the space by variables and rules"
        )
    read, problems = {}, []
    for name, values in found.items():
        read[name], wrong = _native(name, values, may_lack=name in conditional)
        problems += wrong
    if problems:
        raise SpaceError(problems)
    return read


def _from_dicts(rows: list[object], conditional: Collection[str]) -> dict[str, list[Any]]:
    if not all(isinstance(row, Mapping) for row in rows):
        wrong = next(i for i, row in enumerate(rows) if not isinstance(row, Mapping))
        raise SpaceError(f"candidate {wrong} is {short_repr(rows[wrong])}; {KINDS}")
    names = list(dict.fromkeys(name for row in rows[: None if conditional else 1] for name in row))  # type: ignore[attr-defined]
    problems = [
        f"candidate {i} has {', '.join(map(repr, row)) or 'no values'}; every candidate needs {', '.join(map(repr, names))}"
        for i, row in enumerate(rows)
        if isinstance(row, Mapping) and row.keys() != set(names) and not set(names) - row.keys() <= set(conditional)
    ]
    if problems:
        raise SpaceError(problems)
    return {name: [row.get(name) for row in rows] for name in names}  # type: ignore[attr-defined]


def _read_csv(path: Path, conditional: Collection[str]) -> dict[str, list[Any]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            names = [name.strip() for name in next(reader, [])]
            lines = [line for line in reader if line]
    except OSError as error:
        raise SpaceError(f"the candidates {str(path)!r} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise SpaceError(f"the candidates {str(path)!r} are not a CSV file in UTF-8: {error}") from None
    short = [
        f"row {i + 2} of {path} has {len(line)} cells instead of {len(names)}"
        for i, line in enumerate(lines)
        if len(line) != len(names)
    ]
    repeated = sorted({name for name in names if names.count(name) > 1 or not name})
    if short or repeated:
        raise SpaceError(
            short[:SHOWN] + [f"{path} has the column {name!r} more than once, or without a name" for name in repeated]
        )
    return {name: _cells([line[j] for line in lines], may_lack=name in conditional) for j, name in enumerate(names)}


def _cells(texts: list[str], *, may_lack: bool = False) -> list[Any]:
    """Return the cells of a column: whole numbers if all are, numbers if all are, else text; an empty cell is None."""
    for read in (int, float):
        try:
            numbers = [None if may_lack and not text.strip() else read(text) for text in texts]
        except ValueError:
            continue
        if all(number is None or math.isfinite(number) for number in numbers) and not any("_" in text for text in texts):
            return numbers
    return [text.strip() or None for text in texts]


def _native(name: str, values: Sequence[object], *, may_lack: bool = False) -> tuple[list[Scalar], list[str]]:
    """Return the values of a column as plain Python values, floats if some are floats; and one text per problem.

    If it `may_lack` values, they are None.
    """
    if may_lack:
        kept = [i for i, value in enumerate(values) if value is not None and value == value]
        read, problems = _native(name, [values[i] for i in kept])
        found = dict(zip(kept, read, strict=True))
        return [found.get(i) for i in range(len(values))], problems
    types = set(map(type, values))
    if types <= {str, int, bool} or (types == {float} and np.isfinite(np.array(values)).all()):
        return list(values), []  # type: ignore[arg-type]
    read, problems = [], []
    for i, value in enumerate(values):
        try:
            read.append(native(value))
            missing = read[-1] is None or (isinstance(read[-1], float) and not math.isfinite(read[-1]))
        except TypeError:
            missing = True
        if missing and len(problems) < SHOWN:
            problems.append(f"{name!r} is {short_repr(value)} in candidate {i}; give a string, a number, True or False")
    if any(isinstance(value, float) for value in read) and all(is_number(value) for value in read):
        read = [float(value) for value in read if is_number(value)]
    return read, problems


def as_declared(variable: object, values: list[Scalar], *, from_file: bool) -> list[Scalar]:
    """Return the values of a column as a given variable lists them: 90 for 90.0, and from a file also "1" for 1.

    Values that the variable does not list stay as they are, and so does None, which stands for no value.
    """
    if not isinstance(variable, Categorical | Ordinal):
        return values
    listed = [variable.at(k) for k in range(variable.count)]
    exact = set(map(key, listed))
    numbers = {value: value for value in listed if is_number(value)}
    texts = {value: value for value in listed if isinstance(value, str)} if from_file else {}
    switches = {str(value).lower(): value for value in listed if isinstance(value, bool)} if from_file else {}

    def as_listed(value: Scalar) -> Scalar:
        if value is None or key(value) in exact:
            return value
        if str(value) in texts:
            return texts[str(value)]
        if str(value).lower() in switches:
            return switches[str(value).lower()]
        return numbers.get(value, value) if is_number(value) else value

    found = {known: as_listed(known[1]) for known in set(map(key, values))}
    return [found[key(value)] for value in values]


def inferred(values: Sequence[Scalar]) -> Variable:
    """Return the variable that a column suggests: numbers have an order, anything else has none.

    Up to 20 different numbers are the values of an ordinal; more are a range, since neighbours then inform each other.
    """
    one_type = len(set(map(type, values))) == 1
    found = list(dict.fromkeys(values) if one_type else {key(value): value for value in values}.values())
    if not all(is_number(value) for value in found):
        return Categorical(found)
    numbers = sorted(value for value in found if is_number(value))
    if len(numbers) <= NARROW:
        return Ordinal(numbers)
    whole = all(is_whole(value) for value in numbers)
    return Integer(int(numbers[0]), int(numbers[-1])) if whole else Real(numbers[0], numbers[-1])


def variables_of(columns: Columns, given: Mapping[str, Variable] | None) -> dict[str, Variable]:
    """Return the variables of the columns: the given ones, and what the others suggest; SpaceError lists all problems."""
    given = dict(given or {})
    unknown = [name for name in given if name not in columns]
    if unknown:
        raise SpaceError([f"{name!r} is not a column of the candidates.{did_you_mean(name, columns)}" for name in unknown])
    return {name: given[name] if name in given else inferred(values) for name, values in columns.items()}


def candidates_of(codec: Codec, columns: Columns) -> tuple[Candidates, Columns]:
    """Return the distinct candidates as points, and their columns; SpaceError lists values that do not fit their variables."""
    try:
        points = _points(codec, columns)
    except MisfitError:
        problems = [text for name, values in columns.items() for text in _misfits(name, codec.variables[name], values)]
        raise SpaceError(problems) from None
    if codec.conditional:
        points = points if codec.conditions is None else codec.conditions.canonical(points)
        problems = _presence_problems(codec, points, columns)
        if problems:
            raise SpaceError(problems)
    kept = distinct(points)
    return Candidates(points[kept]), {name: [values[i] for i in kept.tolist()] for name, values in columns.items()}


def _presence_problems(codec: Codec, points: Points, columns: Columns) -> list[str]:
    """Return one text per value that is missing although its variable exists, or given although it does not."""
    exist, problems = codec.exist(points, columns), list[str]()
    for k, (name, values) in enumerate(columns.items()):
        given = np.array([value is not None for value in values])
        when = codec.variables[name].when
        for i in np.flatnonzero(given != exist[:, k])[:SHOWN].tolist():
            if given[i]:
                problems.append(f"candidate {i} has {name!r}, which exists only when {when}; leave the cell empty")
            else:
                problems.append(f"candidate {i} has no {name!r}, which exists when {when}; give a value")
    return problems


def _misfits(name: str, variable: Variable, values: Sequence[Scalar]) -> list[str]:
    """Return one text per value that the variable does not take, with the first candidate that has it."""
    first: dict[Key, int] = {}
    for i, value in enumerate(values):
        if value is not None or not isinstance(variable.when, When):
            first.setdefault(key(value), i)
    found = []
    for (_, value), i in first.items():
        try:
            variable.read(value)
        except MisfitError:
            found += [f"candidate {i}: {text}" for text in misfits(name, variable, [value])]
        if len(found) >= SHOWN:
            break
    return found


def _points(codec: Codec, columns: Columns) -> Points:
    """Return the points of all rows, column by column; MisfitError if a value does not fit."""
    n, spare = len(next(iter(columns.values()))), codec.first_values if codec.conditional else {}
    lacking = {name for name in spare if isinstance(codec.variables[name].when, When)}
    filled = {name: [spare[name] if v is None else v for v in columns[name]] for name in lacking if name in columns}
    columns = {**columns, **filled}
    h, x = np.empty((n, len(codec.discrete)), dtype=np.int64), np.empty((n, len(codec.continuous)))
    for j, (name, discrete) in enumerate(codec.discrete.items()):
        h[:, j] = discrete.indices(columns[name])
    for k, (name, (ranged, axis)) in enumerate(codec.continuous.items()):
        if axis.gridded:
            x[:, k] = axis.at(np.array(ranged.indices(columns[name]), dtype=np.int64))
            continue
        numeric = set(map(type, columns[name])) <= {int, float}
        numbers = np.array(columns[name] if numeric else [math.nan], dtype=np.float64)
        if not ((numbers >= ranged.low) & (numbers <= ranged.high)).all():
            raise MisfitError(f"has values outside {ranged!r}")
        x[:, k] = axis.unit(numbers)
    for name in codec.constants:
        for value in {key(value): value for value in columns[name]}.values():
            codec.variables[name].read(value)
    return Points(h, x)


def digest(columns: Columns) -> dict[str, Any]:
    """Return how many candidates there are, and a hash of them, in place of a long list."""
    text = json.dumps(columns, sort_keys=True)
    return {"rows": len(next(iter(columns.values()))), "sha256": hashlib.sha256(text.encode()).hexdigest()[:16]}
