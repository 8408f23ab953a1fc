"""Trials as CSV: written for spreadsheets, read back from them with every wrong cell named."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from casmopolitan.errors import DataError, MisfitError
from casmopolitan.space import Space
from casmopolitan.study.trials.cells import Cells, guarded, names_value, number_in
from casmopolitan.study.trials.headings import EXPORTED, TRIAL, VALUE, headings, meant, unknown
from casmopolitan.study.trials.headings import problems as problems_of
from casmopolitan.study.trials.row import TrialRow

FAILURES = ("failed", "fail", "nan", "error")
"""What may stand in the column of values for an experiment that did not work."""
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


def written(rows: Iterable[TrialRow], space: Space, *, notes: bool = False) -> str:
    """Rows as CSV: trial, every variable, value (empty where there is none yet), and with `notes` what else is known."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    extra = EXPORTED if notes else ()
    columns = {name: Cells(space[name]) for name in space}
    writer.writerow([TRIAL, *map(guarded, headings(space)), VALUE, *extra])
    for row in rows:
        value = "failed" if row.state == "failed" else "" if row.value is None else repr(row.value)
        given = row.configuration
        cells = [columns[name].written(given[name]) if name in given else "" for name in space]
        noted = row.to_dict()
        writer.writerow([row.number, *cells, value, *(_note(noted[name]) for name in extra)])
    return out.getvalue()


def _note(value: object) -> str:
    return "" if value is None else guarded(value) if isinstance(value, str) else repr(value)


def for_spreadsheets(text: str) -> str:
    """CSV as a file that people open: behind a byte-order mark where Excel would not take it for UTF-8 without one."""
    return text if text.isascii() else f"\N{BYTE ORDER MARK}{text}"


def read(path: str | os.PathLike[str], space: Space, trials: Mapping[int, Mapping[str, Any]] | None = None) -> list[Line]:
    """The filled lines of a results file; TableError names every wrong cell. Lines without a value are left out."""
    table = Table.read(path, space)
    columns = {head: (name, Cells(space[name])) for head, name in table.heads.items()}
    lines, problems = [], []
    for number, cells in table.body:
        if len(cells) > len(table.header) and any(text.strip() for text in cells[len(table.header) :]):
            count = f"has {len(cells)} cells, the header {len(table.header)}"
            problems.append(f"row {number}: {count}; is there a stray separator?")
            continue
        given = table.given(cells)
        if not given[VALUE].strip():
            continue
        try:
            lines.append(_line(number, given, columns, space, table.comma, trials or {}))
        except TableError as error:
            problems += error.problems
    if problems:
        raise TableError(str(path), problems)
    return lines


def unfilled(path: str | os.PathLike[str], space: Space) -> int:
    """How many lines of a results file have no value."""
    table = Table.read(path, space)
    return sum(not table.given(cells)[VALUE].strip() for _, cells in table.body)


def ignored(path: str | os.PathLike[str], space: Space) -> list[str]:
    """The columns of a results file that are not read because they mean nothing to us."""
    table = Table.read(path, space)
    return unknown(table.header, table.heads)


@dataclass(frozen=True)
class Table:
    """A results file in cells."""

    heads: dict[str, str]
    """The variable behind each heading."""
    header: list[str]
    body: list[tuple[int, list[str]]]
    """Every line that is not blank, with its number in the file."""
    comma: bool
    """Whether a comma may be a decimal one."""

    @classmethod
    def read(cls, path: str | os.PathLike[str], space: Space) -> Table:
        """The cells of a file whose columns can be told; TableError for any other."""
        heads = headings(space)
        delimiter, text = _declared(_text(Path(path)))
        delimiter = delimiter or _delimiter(text, heads)
        try:
            table = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
        except csv.Error as error:
            raise TableError(str(path), [f"is not CSV: {error}"]) from None
        lines = [(k, cells) for k, cells in enumerate(table, start=1) if any(text.strip() for text in cells)]
        if not lines:
            raise TableError(str(path), ["is empty; the first line names the columns: trial, the variables, value"])
        header = meant(lines[0][1], heads)
        wrong = [f"row {lines[0][0]}: {problem}" for problem in problems_of(header, heads)]
        if wrong:
            raise TableError(str(path), wrong)
        return cls(heads, header, lines[1:], delimiter == ";")

    def given(self, cells: Sequence[str]) -> dict[str, str]:
        """The cells of a line by their headings, those that are not there empty."""
        return dict(zip(self.header, [*cells, *[""] * len(self.header)], strict=False))


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise TableError(str(path), [f"the file is larger than {LARGEST // 10**6} MB; is it a results file?"])
        with path.open(encoding="utf-8-sig", newline="") as file:
            return file.read()
    except OSError as error:
        raise TableError(str(path), [f"cannot be read: {error.strerror}"]) from None
    except UnicodeDecodeError:
        raise TableError(str(path), ["is not UTF-8 text; save it as 'CSV UTF-8'"]) from None


def _declared(text: str) -> tuple[str, str]:
    """The sign that Excel's line `sep=;` says separates the cells, if there is one, and the text without that line."""
    found = re.match(r'"?sep=([^"\r\n])"?(\r\n|\r|\n|$)', text, re.IGNORECASE)  # Excel counts the rows without it
    return (found[1], text[found.end() :]) if found else ("", text)


def _delimiter(text: str, heads: Mapping[str, str]) -> str:
    """What separates the cells: the sign between most headings that we know."""
    first = re.split(r"[\r\n]", text.lstrip(), maxsplit=1)[0]

    def told(sign: str) -> tuple[int, int]:
        header = [head for head in meant(next(csv.reader([first], delimiter=sign), []), heads) if head]
        return len(header) - len(unknown(header, heads)), first.count(sign)

    return max(",;\t", key=told)


def _line(
    number: int,
    given: Mapping[str, str],
    columns: Mapping[str, tuple[str, Cells]],
    space: Space,
    comma: bool,
    trials: Mapping[int, Mapping[str, Any]],
) -> Line:
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
    for head, (name, column) in columns.items():
        if given.get(head, "").strip():
            try:
                configuration[name] = column.read(given[head], comma)
            except MisfitError as misfit:
                own = trials.get(-1 if trial is None else trial, {})
                if name in own and names_value(given[head], own[name], comma):
                    configuration[name] = own[name]
                else:
                    problems.append(f"row {number}, column {head!r}: {misfit}")
        elif not named:
            problems.append(f"row {number}, column {head!r}: is empty; a line without a trial's number needs every variable")
    value = _read_value(number, given[VALUE], problems, comma)
    if not problems and trial is None:
        problems += [f"row {number}: {text}" for text in space.problems(configuration)]
    if problems:
        raise TableError("", problems)
    return Line(number, trial, configuration, value)


def value_of(text: str, comma: bool = False) -> float | None:
    """A value as people write it: a finite number, or None for a word that says it failed; DataError for anything else."""
    if text.strip().casefold() in FAILURES:
        return None
    try:
        number = number_in(text.strip(), comma)
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
