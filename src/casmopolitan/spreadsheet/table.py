"""Trials as CSV: written for spreadsheets, and read back with every wrong cell named."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from casmopolitan.analysis.row import TrialRow, correction_text
from casmopolitan.errors import DataError, MisfitError
from casmopolitan.formatting import column_name, did_you_mean
from casmopolitan.goals import ONE_OBJECTIVE, Goals, Outcome
from casmopolitan.space import Space
from casmopolitan.spreadsheet.cells import Cells, candidates, guarded, shows
from casmopolitan.spreadsheet.outcomes import outcome_of, result_cells
from casmopolitan.trial import EXPLANATION_COLUMNS

TRIAL, VALUE = "trial", "value"
EXPLAINED = tuple(name for name in EXPLANATION_COLUMNS if name not in ("acquisition", "structure", "note"))
EXPORTED = ("state", *EXPLAINED, "seconds", "error", "outside", "corrections")
RESERVED = (TRIAL, *EXPORTED, "known", "note", "predicted")
"""Columns that are neither variables nor outcomes. Only the trial is read back."""
FEASIBLE = "feasible"
NOT_OUTCOMES = frozenset({TRIAL, "state", FEASIBLE})
"""Names that an outcome must not have. An outcome named like another column takes its name: the other gets a prefix."""

WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""The first bytes of .xlsx and .ods files, and of .xls files."""
LARGEST = 50_000_000


@dataclass(frozen=True)
class Line:
    """One filled line of a results file: the result of a trial, or of a configuration from elsewhere."""

    row: int
    """Its number in the file; the header is row 1."""
    number: int | None
    configuration: dict[str, Any]
    """Empty if only the trial's number was given."""
    value: Outcome
    """A number, a dict of outcomes, or None for a failure."""


@dataclass(frozen=True)
class Sheet:
    """A results file."""

    lines: list[Line]
    unfilled: int
    """How many lines have no result."""
    ignored: list[str]
    """Columns that are neither variables nor reserved."""


class TableError(DataError):
    """A results file cannot be used; `problems` lists every wrong cell by row and column."""

    def __init__(self, path: str, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        shown = [*self.problems[:50], *([f"... and {len(self.problems) - 50} more"] if len(self.problems) > 50 else [])]
        super().__init__("\n  ".join([f"{path}: {count}; nothing was recorded", *shown]))


def headings(space: Space, goals: Goals = ONE_OBJECTIVE) -> dict[str, str]:
    """Return the variable of each column; 'variable.<name>' is the column of a variable whose name is taken."""
    return {column_name(name, (*RESERVED, VALUE, FEASIBLE, *goals.order)): name for name in space}


def written(rows: Iterable[TrialRow], space: Space, goals: Goals = ONE_OBJECTIVE, *, notes: bool = False) -> str:
    """Return rows as CSV: trial, variables, outcomes (empty if there are none yet), and with `notes` the EXPORTED columns.

    With limits, the notes begin with whether all of them are met.
    """
    extra = [*([FEASIBLE] if goals.limits else []), *EXPORTED] if notes else []
    named = [f"{TRIAL}.{name}" if name in goals.order else name for name in extra]
    columns = {name: Cells(space[name]) for name in space}
    table = [[TRIAL, *map(guarded, headings(space, goals)), *map(guarded, goals.order), *named]]
    for row in rows:
        cells = [columns[name].written(row.configuration[name]) if name in row.configuration else "" for name in space]
        noted = row.to_dict()
        table.append([str(row.number), *cells, *result_cells(row, goals), *(_note(noted.get(name)) for name in extra)])
    out = io.StringIO()
    odd = any("\r" in cell for cells in table for cell in cells)  # Python 3.11 does not quote it
    csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL).writerows(table)
    return out.getvalue()


def _note(value: object) -> str:
    if isinstance(value, list):  # of corrections
        return "; ".join(f"{correction_text(one)} on {one.get('when')}" for one in value)
    return "" if value is None else guarded(value) if isinstance(value, str) else repr(value)


def for_spreadsheets(text: str) -> str:
    """Return CSV for a file; with a byte-order mark if Excel would not recognise it as UTF-8 without one."""
    return text if text.isascii() else f"\N{BYTE ORDER MARK}{text}"


def read(
    path: str | os.PathLike[str],
    space: Space,
    trials: Mapping[int, Mapping[str, Any]] | None = None,
    goals: Goals = ONE_OBJECTIVE,
    misfits: list[str] | None = None,
) -> Sheet:
    """Read a results file; TableError lists every wrong cell.

    With a list of `misfits`, lines whose values are valid but not in the space are left out, and added to the list.

    Cells are separated by commas, semicolons or tabs; with semicolons, commas are decimal. `trials` are the configurations
    of the study's trials by number: the line of a trial may have values that the space no longer has.
    """
    columns, text = Columns(headings(space, goals), goals.order), _text(Path(path))
    delimiter = max(",;\t", key=lambda sign: _recognised(text, sign, columns))
    try:
        table = list(_table(text, delimiter))
    except csv.Error as error:
        raise TableError(str(path), [f"is not CSV: {error}"]) from None
    if not table:
        raise TableError(
            str(path), [f"is empty; the first line names the columns: trial, the variables, {', '.join(goals.order)}"]
        )
    header = _header(table[0][1], columns)
    problems = [f"row {table[0][0]}: {problem}" for problem in _header_problems(header, columns)]
    if problems:
        raise TableError(str(path), problems)
    cells_of = {head: (name, Cells(space[name])) for head, name in columns.variables.items()}
    reader = _LineReader(space, goals, cells_of, delimiter == ";", trials or {}, misfits)
    lines, unfilled = [], 0
    for number, cells in table[1:]:
        if any(cell.strip() for cell in cells[len(header) :]):
            problems.append(f"row {number}: has {len(cells)} cells, the header {len(header)}; is there a stray separator?")
            continue
        given = dict(zip(header, [*cells, *[""] * len(header)], strict=False))
        if any(given[name].strip() for name in goals.order):
            line, wrong = reader.read(number, given)
            lines += [] if line is None else [line]
            problems += wrong
        else:
            unfilled += 1
    if problems:
        raise TableError(str(path), problems)
    return Sheet(lines, unfilled, _ignored(header, columns))


@dataclass(frozen=True)
class Columns:
    """The columns that a results file may have: those of variables by heading, of outcomes, and RESERVED ones."""

    variables: Mapping[str, str]
    outcomes: Sequence[str]

    @property
    def known(self) -> list[str]:
        """All columns."""
        reserved = [f"{TRIAL}.{name}" if name in self.outcomes else name for name in (*RESERVED, FEASIBLE)]
        return [*reserved, *self.outcomes, *self.variables]


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


def _recognised(text: str, delimiter: str, columns: Columns) -> tuple[int, int]:
    """Return how many columns are recognised with this delimiter, and how many there are."""
    try:
        header = _header(next(_table(text, delimiter), (1, []))[1], columns)
    except csv.Error:
        return 0, 0
    return len([head for head in header if head]) - len(_ignored(header, columns)), len(header)


def _header(cells: Sequence[str], columns: Columns) -> list[str]:
    """Return the column that each header cell names, ignoring case; other cells stay as they are."""
    known = columns.known
    folded: dict[str, set[str]] = {}
    for head in known:
        for text in (head, columns.variables.get(head, head)):
            folded.setdefault(text.strip().casefold(), set()).add(head)

    def column(cell: str) -> str:
        exact = next((text for text in candidates(cell) if text in known), None)
        near = folded.get(cell.strip().casefold(), set())
        return exact if exact is not None else next(iter(near)) if len(near) == 1 else cell.strip()

    return [column(cell) for cell in cells]


def _ignored(header: Sequence[str], columns: Columns) -> list[str]:
    known = columns.known
    return [head for head in header if head and head not in known]


def _header_problems(header: Sequence[str], columns: Columns) -> Iterator[str]:
    """Yield the problems with the columns of a file; an unknown column is one only if it may be a missing one."""
    needed = (TRIAL, *columns.outcomes, *columns.variables)
    yield from (f"the column {head!r} appears twice" for head in needed if header.count(head) > 1)
    missing = [head for head in columns.variables if head not in header]
    without = [name for name in columns.outcomes if name not in header]
    for head in _ignored(header, columns):
        hint = did_you_mean(head, [*missing, *without])
        if hint or (missing and TRIAL not in header):
            yield f"the column {head!r} is neither a variable nor a known column; rename it or remove it.{hint}"
    for name in without:
        yield f"there is no column {name!r}, which holds the results"
    if missing and TRIAL not in header:
        yield f"has neither the column {TRIAL!r} nor all variables; {missing[0]!r} is missing"


@dataclass(frozen=True)
class _LineReader:
    """A reader of the lines of one file."""

    space: Space
    goals: Goals
    columns: Mapping[str, tuple[str, Cells]]
    comma: bool
    trials: Mapping[int, Mapping[str, Any]]
    misfits: list[str] | None = None

    def read(self, row: int, given: Mapping[str, str]) -> tuple[Line | None, list[str]]:
        """Return a line, None if it does not fit the space and may be left out, and the problems with its cells."""
        problems: list[str] = []
        unfit: list[str] = []
        trial: int | None = None
        named = given.get(TRIAL, "").strip()
        if named:
            whole = re.fullmatch(r"(\d{1,18})(?:[.,]0{0,2})?", named)  # spreadsheets and data frames write 11.0
            if whole is None:
                problems.append(f"row {row}, column {TRIAL!r}: got {named!r:.60}; the number of a trial is a whole number")
            trial = int(whole[1]) if whole else None
        configuration: dict[str, Any] = {}
        empty: list[tuple[str, str]] = []
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
                        may_be_left_out = self.misfits is not None and cells.is_value(text, self.comma)
                        (unfit if may_be_left_out else problems).append(f"row {row}, column {head!r}: {misfit}")
            else:
                empty.append((head, name))
        if not named and not unfit:
            active = self.space.activity.active(configuration)
            which = "every variable" if len(active) == len(self.columns) else "every variable that exists there"
            problems += [
                f"row {row}, column {head!r}: is empty; a line without a trial number needs {which}"
                for head, name in empty
                if name in active
            ]
        value, wrong = outcome_of({name: given[name] for name in self.goals.order}, self.goals, self.comma)
        problems += [f"row {row}, column {name!r}: {text}" for name, text in wrong.items()]
        if not problems and trial is None and not unfit:
            broken = [f"row {row}: {text}" for text in self.space.problems(configuration)]
            (problems if self.misfits is None else unfit).extend(broken)
        if unfit and self.misfits is not None:
            self.misfits.append("; ".join(unfit))
            return None, problems
        return Line(row, trial, configuration, value), problems
