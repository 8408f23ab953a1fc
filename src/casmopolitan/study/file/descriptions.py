"""Descriptors and distances of choices in CSV files that a study file names."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from casmopolitan.formatting import did_you_mean, join_values
from casmopolitan.space.serialisation import DESCRIPTIONS
from casmopolitan.spreadsheet.cells import TRUTHS, number_or_none


def read_descriptions(variables: Mapping[str, Any], folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the variables with the rows of the CSV files that describe their choices, and all problems.

    The first column of a file holds the choices, the others hold numbers; rows of other choices are ignored. The description of
    a variable with a problem is left out.
    """
    read, problems = {}, []
    for name, entry in variables.items():
        read[name] = entry
        named = [field for field in DESCRIPTIONS if isinstance(entry, Mapping) and isinstance(entry.get(field), str)]
        for field in named:
            rows, found = _read(folder / entry[field], entry.get("choices", ()), field)
            problems += [f"variables.{name}.{field}: {text}" for text in found]
            kept = {key: value for key, value in read[name].items() if key != field}
            read[name] = kept if found else {**kept, field: rows}
    return read, problems


def _read(file: Path, choices: Any, word: str) -> tuple[list[list[float]], list[str]]:
    """Return the rows of a CSV file in the order of the choices, and all problems."""
    try:
        with file.open(newline="", encoding="utf-8-sig") as opened:
            head, *lines = list(csv.reader(opened)) or [[]]
    except OSError as error:
        return [], [f"the file {file.name!r} cannot be read: {error.strerror}; give a CSV file, relative to the study file"]
    except (UnicodeDecodeError, csv.Error) as error:
        return [], [f"the file {file.name!r} is not a CSV file in UTF-8: {error}"]
    by_choice = {line[0].strip(): line[1:] for line in lines if line}
    names = [str(choice) for choice in choices] if isinstance(choices, list) else []
    if word == "distances" and {*map(str.strip, head[1:])} >= {*names}:  # columns by name, in the order of the choices
        places = [head.index(name) for name in names]
        by_choice = {choice: [line[k - 1] for k in places if k <= len(line)] for choice, line in by_choice.items()}
        head = [head[0], *names]
    missing = [name for name in names if name not in by_choice]
    problems = [f"{file.name} has no row for {name!r}; add one.{did_you_mean(name, by_choice)}" for name in missing]
    rows = []
    for name in names:
        cells = by_choice.get(name, [])
        numbers = [TRUTHS.get(cell.strip().casefold(), number_or_none(cell.strip())) for cell in cells]
        wrong = [head[k + 1] if k + 1 < len(head) else str(k + 1) for k, number in enumerate(numbers) if number is None]
        if wrong:
            problems.append(f"{file.name}, row {name!r}: no number in column {join_values(wrong)}; give a number in each cell")
        elif name in by_choice and len(cells) != len(head) - 1:
            problems.append(f"{file.name}, row {name!r}: has {len(cells)} numbers for {len(head) - 1} columns")
        rows.append([float(number) for number in numbers if number is not None])
    return rows, problems
