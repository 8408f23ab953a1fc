"""Choices described by numbers, so that similar choices inform each other.

A description is a table with one row of numbers per choice, or a matrix of distances between choices. Both become distances t
of mean 1, and the kernel is exp(-w [a ≠ b] - v t(a, b)). It is a kernel for every v >= 0 if t is of negative type:
Σ_ab c_a c_b t(a, b) <= 0 for all c with sum 0. Euclidean distances are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from casmopolitan.core.points import Array
from casmopolitan.formatting import MANY, did_you_mean, join_values, short_repr
from casmopolitan.scalars import Scalar, key, native

CORRELATED = 0.7
"""A column that correlates with an earlier one by more than this is dropped. Tables of computed properties have hundreds of
columns that repeat a few properties, and would hide the others. BayBE uses the same number."""

MOST = 2000
"""The largest number of described choices: the distances between them are a matrix."""

ROUNDING = 1e-8
"""Differences that count as zero, relative to the largest distance."""

Numbers = tuple[tuple[float, ...], ...]
"""One row per choice, in the order of the choices."""

FORMS = "a dict {choice: [numbers]}, a data frame with the choices as its index, or a list of rows in the order of the choices"


def read_description(choices: Sequence[Scalar], descriptors: object, distances: object) -> tuple[object, object, list[str]]:
    """Return descriptors or distances as rows of numbers in the order of the choices, and all problems.

    What cannot be read stays as it is. Of the descriptors, `decorrelated` columns are kept.
    """
    if descriptors is not None and distances is not None:
        return descriptors, distances, ["has both descriptors and distances; give one of them"]
    if len(choices) > MOST:
        return descriptors, distances, [f"has {len(choices)} choices; at most {MOST} can be described"]
    if distances is None:
        rows, _, problems = read_table(descriptors, choices, "descriptors")
        if problems or len(rows) < 2:
            return rows or descriptors, None, problems
        kept = decorrelated(rows)
        return kept, None, [] if kept[0] else ["has descriptors that are the same for all choices; drop them"]
    rows, names, problems = read_table(distances, choices, "distances")
    if problems:
        return None, distances, problems
    columns = {key(native_or_text(name)): i for i, name in enumerate(names)}
    by_name = [columns[key(choice)] for choice in choices if key(choice) in columns]
    matrix = np.array(rows)[:, by_name if len(by_name) == len(choices) else slice(None)]
    return None, tuple(map(tuple, matrix.tolist())), matrix_problems(matrix)


def apart(descriptors: Numbers | None, distances: Numbers | None) -> Array | None:
    """Return the distances of mean 1 between at least two choices; None if they are not described."""
    if distances is not None:
        return of_mean_one(np.array(distances))
    return None if descriptors is None else euclidean(descriptors)


def read_table(table: object, choices: Sequence[Scalar], word: str) -> tuple[Numbers, list[object], list[str]]:
    """Return the rows of a table in the order of the choices, the names of its columns, and all problems."""
    if hasattr(table, "columns") and hasattr(table, "index") and hasattr(table, "to_numpy"):
        frame = cast(Any, table)
        named = (dict(zip(frame.columns, row, strict=True)) for row in frame.to_numpy())
        table = dict(zip(frame.index, named, strict=True))
    if isinstance(table, str | bytes) or not isinstance(table, Iterable):
        return (), [], [f"has the {word} {short_repr(table)}; give {FORMS}"]
    if not isinstance(table, Mapping):
        listed = list(table)
        if len(listed) != len(choices):
            return (), [], [f"has {word} in {len(listed)} rows for {len(choices)} choices; give {FORMS}"]
        found = dict(zip(map(key, choices), listed, strict=True))
    else:
        found = {key(native_or_text(choice)): row for choice, row in table.items()}
    known = [value for _, value in found]
    missing = [c for c in choices if key(c) not in found]
    problems = [f"has no {word} for {c!r}; give every choice a row.{did_you_mean(c, known)}" for c in missing]
    rows = [_named(found.get(key(c))) for c in choices]
    names = next(([*row] for row in rows if row), [])
    for choice, row in zip(choices, rows, strict=True):
        wrong = _row_problems(found[key(choice)], row, names) if key(choice) in found else []
        problems += [f"has {word} for {choice!r} that {text}" for text in wrong]
    if problems:
        more = [f"has {len(problems) - MANY} more problems with its {word}"] if len(problems) > MANY else []
        return (), names, problems[:MANY] + more
    return tuple(tuple(float(cast(Any, row[name])) for name in names) for row in rows), names, []


def native_or_text(value: object) -> Scalar:
    """Return the plain value of a scalar, or the text of any other object."""
    try:
        return native(value)
    except TypeError:
        return str(value)


def _named(row: object) -> dict[object, object]:
    """Return a row as numbers by column; columns without names are numbered from 1, and a row that is not one is empty."""
    if isinstance(row, Mapping):
        return dict(row)
    return dict(enumerate(row, start=1)) if isinstance(row, Iterable) and not isinstance(row, str | bytes) else {}


def _row_problems(given: object, row: dict[object, object], names: list[object]) -> list[str]:
    """Return what is wrong with the row of one choice."""
    if not row:
        return [f"are {short_repr(given)}; give a list of numbers, or a dict of named numbers"]
    if {*row} != {*names}:
        odd = [name for name in [*names, *row] if (name in row) is not (name in names)]
        return [f"have other columns than those of the first choice: the rows differ in column {join_values(odd)}"]
    wrong = [(name, row[name]) for name in names if not _is_finite(row[name])]
    return [f"have {short_repr(value)} in column {name!r}; give a finite number" for name, value in wrong]


def _is_finite(value: object) -> bool:
    try:
        number = native(value)
        return isinstance(number, int | float) and math.isfinite(number)
    except (TypeError, OverflowError):
        return False


def decorrelated(rows: Numbers) -> Numbers:
    """Return the rows without constant columns and those that correlate with an earlier one by more than CORRELATED."""
    z, kept = standardised(np.array(rows)), list[int]()
    for k in range(z.shape[1]):
        if z[:, k].any() and (np.abs(z[:, k] @ z[:, kept]) <= CORRELATED * len(z)).all():
            kept.append(k)
    return tuple(tuple(row[k] for k in kept) for row in rows)


def standardised(table: Array) -> Array:
    """Return the columns with mean 0 and deviation 1; constant columns are zero."""
    table = table / np.maximum(np.abs(table).max(axis=0), 1e-300)
    centred = table - table.mean(axis=0)
    deviation = centred.std(axis=0)
    centred[:, deviation < 1e-10] = 0.0
    scaled: Array = centred / np.where(deviation < 1e-10, 1.0, deviation)
    return scaled


def euclidean(rows: Numbers) -> Array:
    """Return the Euclidean distances between the rows of standardised columns, of mean 1."""
    z = standardised(np.array(rows))
    squares = (z**2).sum(axis=1)
    d2 = np.maximum(squares[:, None] + squares - 2.0 * z @ z.T, 0.0)
    np.fill_diagonal(d2, 0.0)
    return of_mean_one(np.sqrt(d2))


def of_mean_one(distances: Array) -> Array:
    """Return the distances divided by the mean over pairs of different choices, exactly symmetric."""
    g = len(distances)
    scaled: Array = (distances + distances.T) * (0.5 * g * (g - 1) / distances.sum())
    return scaled


def matrix_problems(distances: Array) -> list[str]:
    """Return why a matrix does not hold distances that give a kernel."""
    g, largest = len(distances), float(np.abs(distances).max())
    if distances.shape != (g, g):
        return [f"has distances in {g} rows and {distances.shape[1]} columns; give a square matrix"]
    problems = []
    if (distances < 0).any():
        problems.append(f"has the distance {distances.min():g}; a distance is not negative")
    if np.abs(np.diagonal(distances)).max() > ROUNDING * largest:
        problems.append("has a choice with a distance to itself; the diagonal must be zero")
    if np.abs(distances - distances.T).max() > ROUNDING * largest:
        problems.append("has distances that are not symmetric; the distance from a to b must be that from b to a")
    if not problems and not largest:
        problems.append("has distances that are all zero, so they say nothing; drop them")
    if problems:
        return problems
    centred = distances - distances.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    worst = float(np.linalg.eigvalsh(centred)[-1])
    if worst > ROUNDING * g * largest:
        return [
            f"has distances that give no kernel: they are not of negative type (eigenvalue {worst:.3g} of the centred matrix, "
            "which must not be above 0). Give their square roots, or descriptors instead"
        ]
    return []


def kernel_problems(described: Sequence[str], kernel: str) -> list[str]:
    """Return why a kernel cannot be used with described variables: only the heat kernel can."""
    if not described or kernel == "heat":
        return []
    return [
        f"the config has kernel={kernel!r}, which cannot use the descriptors or distances of {join_values(described)}; use "
        "kernel='heat', as DEFAULT has it, or drop them"
    ]
