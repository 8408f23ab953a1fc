"""Trials as CSV: written for spreadsheets, and read back with every wrong cell named."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from casmopolitan.analysis.row import TrialRow
from casmopolitan.errors import DataError, MisfitError
from casmopolitan.formatting import column_name, did_you_mean
from casmopolitan.space import Space
from casmopolitan.spreadsheet.cells import Cells, candidates, guarded, number_in, shows
from casmopolitan.trial import EXPLANATION_COLUMNS

TRIAL, VALUE = "trial", "value"
EXPLAINED = tuple(name for name in EXPLANATION_COLUMNS if name not in ("acquisition", "structure", "note"))
EXPORTED = ("state", *EXPLAINED, "seconds", "error", "outside", "corrections")
RESERVED = (TRIAL, VALUE, *EXPORTED, "known", "note", "predicted")
"""Columns that are not variables. Only the trial and the value are read back."""

FAILURES = ("failed", "fail", "nan", "error")
"""Entries in the column of values that mark a failed experiment."""
WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""The first bytes of .xlsx and .ods files, and of .xls files."""
LARGEST = 50_000_000


@dataclass(frozen=True)
class Line:
    """One filled line of a results file: the value of a trial, or of a configuration from elsewhere."""

    row: int
    """Its number in the file; the header is row 1."""
    number: int | None
    configuration: dict[str, Any]
    """Empty if only the trial's number was given."""
    value: float | None
    """None for a failure."""


@dataclass(frozen=True)
class Sheet:
    """A results file."""

    lines: list[Line]
    unfilled: int
    """How many lines have no value."""
    ignored: list[str]
    """Columns that are neither variables nor reserved."""


class TableError(DataError):
    """A results file cannot be used; `problems` lists every wrong cell by row and column."""

    def __init__(self, path: str, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        shown = [*self.problems[:50], *([f"... and {len(self.problems) - 50} more"] if len(self.problems) > 50 else [])]
        super().__init__("\n  ".join([f"{path}: {count}; nothing was recorded", *shown]))


def headings(space: Space) -> dict[str, str]:
    """Return the variable of each column; 'variable.<name>' is the column of a variable whose name is reserved."""
    return {column_name(name, RESERVED): name for name in space}


def written(rows: Iterable[TrialRow], space: Space, *, notes: bool = False) -> str:
    """Return rows as CSV: trial, variables, value (empty if there is none yet), and with `notes` the EXPORTED columns."""
    extra = EXPORTED if notes else ()
    columns = {name: Cells(space[name]) for name in space}
    table = [[TRIAL, *map(guarded, headings(space)), VALUE, *extra]]
    for row in rows:
        value = "failed" if row.state == "failed" else "" if row.value is None else repr(row.value)
        cells = [columns[name].written(row.configuration[name]) if name in row.configuration else "" for name in space]
        noted = row.to_dict()
        table.append([str(row.number), *cells, value, *(_note(noted.get(name)) for name in extra)])
    out = io.StringIO()
    odd = any("\r" in cell for cells in table for cell in cells)  # Python 3.11 does not quote it
    csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL).writerows(table)
    return out.getvalue()


def _note(value: object) -> str:
    if isinstance(value, list):  # of corrections
        return "; ".join(f"{one.get('before')} became {one.get('after')} on {one.get('when')}" for one in value)
    return "" if value is None else guarded(value) if isinstance(value, str) else repr(value)


def for_spreadsheets(text: str) -> str:
    """Return CSV for a file; with a byte-order mark if Excel would not recognise it as UTF-8 without one."""
    return text if text.isascii() else f"\N{BYTE ORDER MARK}{text}"


def read(path: str | os.PathLike[str], space: Space, trials: Mapping[int, Mapping[str, Any]] | None = None) -> Sheet:
    """Read a results file; TableError lists every wrong cell.

    Cells are separated by commas, semicolons or tabs; with semicolons, commas are decimal. `trials` are the configurations
    of the study's trials by number: the line of a trial may have values that the space no longer has.
    """
    heads, text = headings(space), _text(Path(path))
    delimiter = max(",;\t", key=lambda sign: _recognised(text, sign, heads))
    try:
        table = list(_table(text, delimiter))
    except csv.Error as error:
        raise TableError(str(path), [f"is not CSV: {error}"]) from None
    if not table:
        raise TableError(str(path), ["is empty; the first line names the columns: trial, the variables, value"])
    header = _header(table[0][1], heads)
    problems = [f"row {table[0][0]}: {problem}" for problem in _header_problems(header, heads)]
    if problems:
        raise TableError(str(path), problems)
    reader = _LineReader(
        space, {head: (name, Cells(space[name])) for head, name in heads.items()}, delimiter == ";", trials or {}
    )
    lines, unfilled = [], 0
    for number, cells in table[1:]:
        if any(cell.strip() for cell in cells[len(header) :]):
            problems.append(f"row {number}: has {len(cells)} cells, the header {len(header)}; is there a stray separator?")
            continue
        given = dict(zip(header, [*cells, *[""] * len(header)], strict=False))
        if given[VALUE].strip():
            line, wrong = reader.read(number, given)
            lines.append(line)
            problems += wrong
        else:
            unfilled += 1
    if problems:
        raise TableError(str(path), problems)
    return Sheet(lines, unfilled, _ignored(header, heads))


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise TableError(str(path), [f"the file is larger than {LARGEST // 10**6} MB; is it a results file?"])
        with path.open("rb") as file:
            if file.read(4).startswith(WORKBOOKS):
                raise TableError(str(path), ["is a workbook, not CSV; save it as 'CSV UTF-8' in the spreadsheet program"])
        with path.open(encoding="utf-8-sig", newline="") as file:
            return file.read()
    except OSError as error:
        raise TableError(str(path), [f"cannot be read: {error.strerror}"]) from None
    except UnicodeDecodeError:
        raise TableError(str(path), ["is not UTF-8 text; save it as 'CSV UTF-8'"]) from None


def _table(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that are not blank, with their numbers."""
    for number, cells in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), start=1):
        if any(cell.strip() for cell in cells):
            yield number, cells


def _recognised(text: str, delimiter: str, heads: Mapping[str, str]) -> tuple[int, int]:
    """Return how many columns are recognised with this delimiter, and how many there are."""
    try:
        header = _header(next(_table(text, delimiter), (1, []))[1], heads)
    except csv.Error:
        return 0, 0
    return len([head for head in header if head]) - len(_ignored(header, heads)), len(header)


def _header(cells: Sequence[str], heads: Mapping[str, str]) -> list[str]:
    """Return the column that each header cell names, ignoring case; other cells stay as they are."""
    known = [*RESERVED, *heads]
    folded: dict[str, set[str]] = {}
    for head in known:
        for text in (head, heads.get(head, head)):
            folded.setdefault(text.strip().casefold(), set()).add(head)

    def column(cell: str) -> str:
        exact = next((text for text in candidates(cell) if text in known), None)
        near = folded.get(cell.strip().casefold(), set())
        return exact if exact is not None else next(iter(near)) if len(near) == 1 else cell.strip()

    return [column(cell) for cell in cells]


def _ignored(header: Sequence[str], heads: Mapping[str, str]) -> list[str]:
    return [head for head in header if head and head not in heads and head not in RESERVED]


def _header_problems(header: Sequence[str], heads: Mapping[str, str]) -> Iterator[str]:
    """Yield the problems with the columns of a file; an unknown column is one only if it may be a missing variable."""
    yield from (f"the column {head!r} appears twice" for head in (TRIAL, VALUE, *heads) if header.count(head) > 1)
    missing = [head for head in heads if head not in header]
    lacking = [*missing, *([] if VALUE in header else [VALUE])]
    for head in _ignored(header, heads):
        hint = did_you_mean(head, lacking)
        if hint or (missing and TRIAL not in header):
            yield f"the column {head!r} is neither a variable nor a known column; rename it or remove it.{hint}"
    if VALUE not in header:
        yield f"there is no column {VALUE!r}, which holds the results"
    if missing and TRIAL not in header:
        yield f"has neither the column {TRIAL!r} nor all variables; {missing[0]!r} is missing"


@dataclass(frozen=True)
class _LineReader:
    """A reader of the lines of one file."""

    space: Space
    columns: Mapping[str, tuple[str, Cells]]
    comma: bool
    trials: Mapping[int, Mapping[str, Any]]

    def read(self, row: int, given: Mapping[str, str]) -> tuple[Line, list[str]]:
        """Return a line, and the problems with its cells."""
        problems: list[str] = []
        trial: int | None = None
        named = given.get(TRIAL, "").strip()
        if named:
            whole = re.fullmatch(r"(\d{1,18})(?:[.,]0{0,2})?", named)  # spreadsheets and data frames write 11.0
            if whole is None:
                problems.append(f"row {row}, column {TRIAL!r}: got {named!r:.60}; the number of a trial is a whole number")
            trial = int(whole[1]) if whole else None
        configuration: dict[str, Any] = {}
        for head, (name, cells) in self.columns.items():
            text = given.get(head, "")
            own = {} if trial is None else self.trials.get(trial, {})
            if text.strip():
                try:
                    configuration[name] = cells.read(text, self.comma)
                except MisfitError as misfit:
                    if name in own and shows(text, own[name], self.comma):
                        configuration[name] = own[name]
                    else:
                        problems.append(f"row {row}, column {head!r}: {misfit}")
            elif not named:
                problems.append(f"row {row}, column {head!r}: is empty; a line without a trial number needs every variable")
        value = None
        try:
            value = value_of(given[VALUE], self.comma)
        except DataError as error:
            problems.append(f"row {row}, column {VALUE!r}: {error}")
        if not problems and trial is None:
            problems += [f"row {row}: {text}" for text in self.space.problems(configuration)]
        return Line(row, trial, configuration, value), problems


def value_of(text: str, comma: bool = False) -> float | None:
    """Return a finite number, or None for a failure; DataError for anything else."""
    if text.strip().casefold() in FAILURES:
        return None
    try:
        number = number_in(text.strip(), comma)
    except MisfitError as unsure:
        raise DataError(str(unsure)) from None
    if number is None or not math.isfinite(number):
        raise DataError(f"got {text!r:.60} as a value; give a number, 'failed', or leave it empty")
    return number
