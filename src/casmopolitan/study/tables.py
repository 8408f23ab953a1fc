"""Trials as CSV: written for spreadsheets, read back from them with every wrong cell named."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from casmopolitan.errors import DataError
from casmopolitan.space import Categorical, Ordinal, Space, Variable
from casmopolitan.space.scalars import MisfitError, did_you_mean, spelt
from casmopolitan.study.rows import Row

TRIAL, VALUE = "trial", "value"
EXPORTED = ("state", "source", "region", "radius", "length", "mean", "deviation", "success", "seconds", "error")
NOTES = (*EXPORTED, "known", "note", "predicted")
"""Columns that an export may have and that are not read back."""
FAILURES = ("failed", "fail", "nan", "error")
"""What may stand in the column of values for an experiment that did not work."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")
LARGEST = 50_000_000


@dataclass(frozen=True)
class Line:
    """One filled line of a results file: a value (None for a failure) for a trial, or for a configuration from outside."""

    row: int
    """Its number in the file, the header being 1."""
    number: int | None
    configuration: dict[str, Any]
    """Empty where only the trial's number was given."""
    value: float | None


class TableError(DataError):
    """A results file cannot be used; `problems` lists every wrong cell by row and column."""

    def __init__(self, path: str, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        shown = [*self.problems[:50], *([f"... and {len(self.problems) - 50} more"] if len(self.problems) > 50 else [])]
        super().__init__("\n  ".join([f"{path}: {count}; nothing was recorded", *shown]))


def column(name: str) -> str:
    """The column of a variable; one that bears a name of ours is called 'variable.<name>'."""
    return f"variable.{name}" if name in (TRIAL, VALUE, *NOTES) else name


def spellings(variable: Variable) -> dict[str, Any]:
    """How each word of a listed variable is written in a cell; quotes tell '1' from 1 where both are choices."""
    if not isinstance(variable, Categorical | Ordinal):
        return {}
    words = list(variable.choices if isinstance(variable, Categorical) else variable.values)
    plain = [word if isinstance(word, str) else json.dumps(word) for word in words]
    twice = {text for text, n in Counter(plain).items() if n > 1}
    return {
        json.dumps(word) if isinstance(word, str) and (text in twice or not text.strip()) else text: word
        for word, text in zip(words, plain, strict=True)
    }


def spelling(variable: Variable, value: Any) -> str:
    """A value in words that name it alone."""
    for text, known in spellings(variable).items():
        if type(known) is type(value) and known == value:
            return text
    return repr(value)


def cell(variable: Variable, value: Any) -> str:
    """A value as it is written in a cell."""
    text = spelling(variable, value)
    return guarded(text) if isinstance(variable, Categorical | Ordinal) else text


def guarded(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    if text.startswith((*FORMULA, "'")) and not _is_number(text):
        return f"'{text}"
    return text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def written(rows: Iterable[Row], space: Space, *, notes: bool = False) -> str:
    """Rows as CSV: trial, every variable, value (empty where there is none yet), and with `notes` what else is known."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    extra = EXPORTED if notes else ()
    writer.writerow([TRIAL, *(guarded(column(name)) for name in space), VALUE, *extra])
    for row in rows:
        value = "failed" if row.state == "failed" else "" if row.value is None else repr(row.value)
        cells = [cell(space[name], row.configuration[name]) if name in row.configuration else "" for name in space]
        noted = row.to_dict()
        writer.writerow([row.number, *cells, value, *(_note(noted[name]) for name in extra)])
    return out.getvalue()


def _note(value: object) -> str:
    return "" if value is None else guarded(value) if isinstance(value, str) else repr(value)


def read(path: str | os.PathLike[str], space: Space) -> list[Line]:
    """The filled lines of a results file; TableError names every wrong cell. Lines without a value are left out."""
    name = str(path)
    header, body, comma = _cells(Path(path), name)
    names = {column(variable): variable for variable in space}
    problems = _header_problems(header, names)
    if problems:
        raise TableError(name, problems)
    lines, problems = [], []
    for number, cells in body:
        if len(cells) > len(header) and any(text.strip() for text in cells[len(header) :]):
            problems.append(f"row {number}: has {len(cells)} cells, the header {len(header)}; is there a stray separator?")
            continue
        given = dict(zip(header, [*cells, *[""] * len(header)], strict=False))
        if not given.get(VALUE, "").strip():
            continue
        try:
            lines.append(_line(number, given, names, space, comma))
        except TableError as error:
            problems += error.problems
    if problems:
        raise TableError(name, problems)
    return lines


def unfilled(path: Path) -> int:
    """How many lines of a results file have no value."""
    header, body, _ = _cells(path, str(path))
    at = header.index(VALUE)
    return sum(len(cells) <= at or not cells[at].strip() for _, cells in body)


def _cells(path: Path, name: str) -> tuple[list[str], list[tuple[int, list[str]]], bool]:
    """The header; every line that is not blank with its number in the file; whether a comma may be a decimal one."""
    try:
        if path.stat().st_size > LARGEST:
            raise TableError(name, [f"the file is larger than {LARGEST // 10**6} MB; is it a results file?"])
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except OSError as error:
        raise TableError(name, [f"cannot be read: {error.strerror}"]) from None
    except UnicodeDecodeError:
        raise TableError(name, ["is not UTF-8 text; save it as 'CSV UTF-8'"]) from None
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    try:
        table = list(csv.reader(io.StringIO(text), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise TableError(name, [f"is not CSV: {error}"]) from None
    body = [(k, cells) for k, cells in enumerate(table, start=1) if any(text.strip() for text in cells)]
    if not body:
        raise TableError(name, ["is empty; the first line names the columns: trial, the variables, value"])
    return [_bare(text.strip()) for text in body[0][1]], body[1:], delimiter == ";"


def _bare(text: str) -> str:
    """A cell without the mark that keeps spreadsheets from taking it for a formula."""
    return text[1:] if text[:1] == "'" and text[1:].startswith((*FORMULA, "'")) else text


def _header_problems(header: list[str], names: Mapping[str, str]) -> list[str]:
    known = [TRIAL, VALUE, *names, *NOTES]
    problems = [f"row 1: the column {head!r} stands twice" for head, n in Counter(header).items() if head and n > 1]
    problems += [
        f"row 1: the column {head!r} is neither a variable nor one of ours; drop it.{did_you_mean(head, known)}"
        for head in header
        if head and head not in known
    ]
    if VALUE not in header:
        problems.append(f"row 1: has no column {VALUE!r}; it holds the results")
    missing = [head for head in names if head not in header]
    if missing and TRIAL not in header:
        problems.append(f"row 1: has neither the column {TRIAL!r} nor all variables; {missing[0]!r} is missing")
    return problems


def _line(number: int, given: Mapping[str, str], names: Mapping[str, str], space: Space, comma: bool) -> Line:
    """One line with its cells read; TableError names the wrong ones."""
    problems: list[str] = []
    trial: int | None = None
    named = given.get(TRIAL, "").strip()
    if named:
        whole = re.fullmatch(r"(\d{1,18})(?:[.,]0{0,2})?", named)  # spreadsheets and data frames write 11.0
        if whole is None:
            problems.append(f"row {number}, column {TRIAL!r}: got {named!r:.60}; a trial's number is a whole number")
        trial = int(whole[1]) if whole else None
    configuration: dict[str, Any] = {}
    for head, name in names.items():
        if given.get(head, "").strip():
            try:
                configuration[name] = _read_cell(space[name], given[head], comma)
            except MisfitError as misfit:
                problems.append(f"row {number}, column {head!r}: {misfit}")
        elif not named:
            problems.append(f"row {number}, column {head!r}: is empty; a line without a trial's number needs every variable")
    value = _read_value(number, given[VALUE], problems, comma)
    if not problems and trial is None:
        problems += [f"row {number}: {text}" for text in space.problems(configuration)]
    if problems:
        raise TableError("", problems)
    return Line(number, trial, configuration, value)


def _read_cell(variable: Variable, raw: str, comma: bool) -> Any:
    """The value behind a cell."""
    known, text = spellings(variable), raw.strip()
    for candidate in (_bare(raw), raw, _bare(text), text):
        if candidate in known:
            return known[candidate]
    if known:
        folded = {spelling.casefold(): value for spelling, value in known.items() if not isinstance(value, str)}
        if text.casefold() in folded:  # spreadsheets write TRUE for true
            return folded[text.casefold()]
        numbers = [value for value in known.values() if isinstance(value, int | float) and not isinstance(value, bool)]
        number = _number(text, comma) if numbers else None
        for value in numbers:
            if value == number:
                return value
        return variable.read(_bare(text))
    number = _number(text, comma)
    if number is None:
        raise MisfitError(f"got {spelt(text)}; it takes a number")
    whole = number.is_integer() and type(variable).__name__ == "Integer"
    return variable.read(int(number) if whole else number)


def _number(text: str, comma: bool) -> float | None:
    """A number, with a decimal point or a decimal comma; 1,500 is neither one nor 1500 unless a `comma` is a decimal one."""
    if "_" in text:
        return None
    if not comma and re.fullmatch(r"[+-]?[1-9]\d{0,2},\d{3}", text):
        raise MisfitError(f"got {text!r}: {text.replace(',', '.')} or {text.replace(',', '')}? Write it without the comma")
    try:
        return float(text.replace(",", ".") if text.count(",") == 1 and "." not in text else text)
    except ValueError:
        return None


def value_of(text: str, comma: bool = False) -> float | None:
    """A value as people write it: a finite number, or None for a word that says it failed; DataError for anything else."""
    if text.strip().casefold() in FAILURES:
        return None
    try:
        number = _number(text.strip(), comma)
    except MisfitError as unsure:
        raise DataError(str(unsure)) from None
    if number is None or not math.isfinite(number):
        raise DataError(f"got {text!r:.60} as a value; give a number, 'failed', or leave it empty")
    return number


def _read_value(row: int, text: str, problems: list[str], comma: bool) -> float | None:
    try:
        return value_of(text, comma)
    except DataError as error:
        problems.append(f"row {row}, column {VALUE!r}: {error}")
        return None
