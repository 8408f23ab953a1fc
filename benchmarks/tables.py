"""Tables of real measurements as problems: each row is one configuration and its measured value.

The tables are not part of the repository. `--tables FOLDER` names a folder of CSV files with a header, one column per variable
and the column "value". A combination that the table lacks was never measured: its value is nan, a failed trial.

"table:x264" is x264.csv or x264.csv.gz in that folder; "table:PATH" is any file; "table:lipid-particles:drug_loading" is one
of several measured columns. Results name the table, not the folder.
"""

from __future__ import annotations

import csv
import gzip
import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import casmopolitan as cas

PREFIX = "table:"
VALUE = "value"
ENDINGS = (".csv", ".csv.gz")
FOLDER = "BENCHMARK_TABLES"
"""The environment variable that tells the process of a cell where the tables lie."""


@dataclass(frozen=True)
class Known:
    """The direction of a table, the columns whose values are in order, and the measured columns, the objective first."""

    direction: str = "minimize"
    ordered: tuple[str, ...] = ()
    measured: tuple[str, ...] = (VALUE,)


AMOUNTS = ("drug_input", "solid_lipid_input", "liquid_lipid_input", "surfractant_input")
LIPIDS = {"drug_loading": "maximize", "encap_efficiency": "maximize", "particle_diameter": "minimize"}
"""The measured columns of lipid-particles, each with its direction."""

KNOWN = {
    "direct-arylation": Known("maximize", ("Concentration", "Temp_C")),
    "aryl-amination": Known("maximize"),
    "x264": Known("minimize", ("rc_lookahead", "ref")),
    "berkeleydb": Known("minimize", ("cache", "page_size")),
    "gb1": Known("maximize", measured=("fitness",)),
    **{
        f"lipid-particles:{goal}": Known(direction, AMOUNTS, (goal, *(other for other in LIPIDS if other != goal)))
        for goal, direction in LIPIDS.items()
    },
}
"""The tables that we know. Of any other table, smaller is better and columns of numbers are in order."""

UNITS = {"": 1, "K": 1, "KB": 1, "M": 1024, "MB": 1024, "G": 1024**2, "GB": 1024**2}
"""Factors of the unit behind a number, as in 'CS512MB'."""


def names_in(folder: Path) -> list[str]:
    """The problems of a folder: the known tables that it holds, else every CSV file with a column "value".

    A compressed file is large: it is no part of the suite, only run by name.
    """
    found = sorted(path for path in folder.glob("*.csv") if VALUE in header(path))
    chosen = [path for path in found if path.stem in KNOWN] or found
    if not chosen:
        raise SystemExit(f"{folder} holds no CSV file with a column {VALUE!r}.")
    return [f"{PREFIX}{path.stem}" for path in chosen]


def header(path: Path) -> list[str]:
    with opened(path) as file:
        return next(csv.reader(file), [])


def opened(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", newline="", encoding="utf-8")
    return path.open(newline="", encoding="utf-8")


def path_of(name: str) -> Path:
    """The file of a problem: a path as it stands, or a table's name in the folder of `--tables`."""
    given = name.removeprefix(PREFIX)
    if given.endswith(ENDINGS):
        return Path(given)
    given = given.split(":")[0]
    folder = Path(os.environ.get(FOLDER, "."))
    found = [path for ending in ENDINGS if (path := folder / f"{given}{ending}").exists()]
    if not found:
        raise SystemExit(f"No {given}.csv or {given}.csv.gz in {folder}; --tables FOLDER names the folder that holds it.")
    return found[0]


def title(name: str) -> str:
    """The table's name, without its folder."""
    return Path(name.removeprefix(PREFIX)).name.removesuffix(".gz").removesuffix(".csv")


def table(path: Path, name: str = "") -> cas.problems.Problem:
    """The problem of one file; its name is that of the file unless given."""
    with opened(path) as file:
        rows = list(csv.DictReader(file))
    name = name or title(str(path))
    known = KNOWN.get(name) or Known(ordered=tuple(c for c in rows[0] if all(is_number(row[c]) for row in rows)))
    if known.measured[0] not in rows[0]:
        raise SystemExit(f"{path} has no column {known.measured[0]!r}; {PREFIX}NAME:COLUMN names the measured column.")
    columns = [column for column in rows[0] if column not in known.measured]
    space = cas.Space({c: variable([row[c] for row in rows], c in known.ordered) for c in columns})
    measured = Measured(tuple(columns), {tuple(row[c] for c in columns): float(row[known.measured[0]]) for row in rows})
    best = (max if known.direction == "maximize" else min)(measured.values, key=measured.values.__getitem__)
    optimum = cas.problems.Optimum(measured.values[best], dict(zip(columns, best, strict=True)), exact=True)
    return cas.problems.Problem(name, space, measured, str(path), optimum, known.direction)


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
