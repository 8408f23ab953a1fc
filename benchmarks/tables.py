"""Tables of real measurements as problems: each row is one configuration and its measured value.

The tables are not part of the repository. `--tables FOLDER` names a folder of CSV files with a header, one column per variable
and the column "value". A combination that the table lacks was never measured: its value is nan, a failed trial.
"""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass
from pathlib import Path

import casmopolitan as cas

PREFIX = "table:"
VALUE = "value"


@dataclass(frozen=True)
class Known:
    """The direction of a table, and the columns whose values are in order."""

    direction: str = "minimize"
    ordered: tuple[str, ...] = ()


KNOWN = {
    "direct-arylation": Known("maximize", ("Concentration", "Temp_C")),
    "aryl-amination": Known("maximize"),
    "x264": Known("minimize", ("rc_lookahead", "ref")),
    "berkeleydb": Known("minimize", ("cache", "page_size")),
}
"""The tables that the suite knows. Of any other table, smaller is better and columns of numbers are in order."""

UNITS = {"": 1, "K": 1, "KB": 1, "M": 1024, "MB": 1024, "G": 1024**2, "GB": 1024**2}
"""Factors of the unit behind a number, as in 'CS512MB'."""


def names_in(folder: Path) -> list[str]:
    """The problems of a folder: the known tables that it holds, else every CSV file with a column "value"."""
    found = sorted(path for path in folder.glob("*.csv") if VALUE in header(path))
    chosen = [path for path in found if path.stem in KNOWN] or found
    if not chosen:
        raise SystemExit(f"{folder} holds no CSV file with a column {VALUE!r}.")
    return [f"{PREFIX}{path}" for path in chosen]


def header(path: Path) -> list[str]:
    with path.open(newline="", encoding="utf-8") as file:
        return next(csv.reader(file), [])


def table(path: Path) -> cas.problems.Problem:
    """The problem of one file."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = [name for name in rows[0] if name != VALUE]
    known = KNOWN.get(path.stem) or Known(ordered=tuple(c for c in columns if all(is_number(row[c]) for row in rows)))
    space = cas.Space({name: variable([row[name] for row in rows], name in known.ordered) for name in columns})
    measured = Measured(tuple(columns), {tuple(row[c] for c in columns): float(row[VALUE]) for row in rows})
    best = (max if known.direction == "maximize" else min)(measured.values, key=measured.values.__getitem__)
    optimum = cas.problems.Optimum(measured.values[best], dict(zip(columns, best, strict=True)), exact=True)
    return cas.problems.Problem(path.stem, space, measured, str(path), optimum, known.direction)


@dataclass(frozen=True)
class Measured:
    """The value of a configuration, nan if it was never measured."""

    columns: tuple[str, ...]
    values: dict[tuple[str, ...], float]

    def __call__(self, configuration):
        return self.values.get(tuple(configuration[name] for name in self.columns), math.nan)


def variable(values: list[str], ordered: bool) -> cas.Ordinal | cas.Categorical:
    distinct = sorted(set(values))
    return cas.Ordinal(sorted(distinct, key=size)) if ordered else cas.Categorical(distinct)


def size(text: str) -> float:
    """The number in a text, with its unit: 'CS512MB' is larger than 'CS16MB', 'PS16K' than 'PS1K'."""
    match = re.search(r"(\d+\.?\d*)\s*([KMG]?B?)", text)
    return float(match[1]) * UNITS[match[2]] if match else math.inf


def is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
