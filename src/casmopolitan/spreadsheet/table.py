"""Trials as tables: written for spreadsheets, and read back with every wrong cell named."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from casmopolitan.analysis.row import TrialRow, correction_text
from casmopolitan.errors import MisfitError
from casmopolitan.formatting import column_name, did_you_mean
from casmopolitan.goals import ONE_OBJECTIVE, Goals, Outcome
from casmopolitan.scalars import is_number
from casmopolitan.space import Space
from casmopolitan.spreadsheet.cells import Cells, candidates, guarded, shows, unguarded
from casmopolitan.spreadsheet.files import Cell, TableError, as_csv, read_grid
from casmopolitan.spreadsheet.outcomes import outcome_of, result_cells
from casmopolitan.trial import EXPLANATION_COLUMNS

TRIAL, VALUE, COMMENT = "trial", "value", "comment"
COMMENTS = (COMMENT, "comments", "note", "notes", "remark", "remarks", "kommentar", "bemerkung", "commentaire")
"""Headings of the column of comments, in any case; variables and outcomes with such a name come first."""
TRIAL_NUMBER = re.compile(r"(\d{1,18})(?:[.,]0{0,2})?")
"""The number of a trial; spreadsheets and data frames write 11.0."""
EXPLAINED = tuple(name for name in EXPLANATION_COLUMNS if name not in ("acquisition", "structure", "note"))
EXPORTED = (COMMENT, "state", *EXPLAINED, "seconds", "error", "outside", "corrections")
RESERVED = (TRIAL, *EXPORTED, "known", "predicted")
"""Columns that are neither variables nor outcomes. Only the trial and the comment are read back."""
FEASIBLE = "feasible"
NOT_OUTCOMES = frozenset({TRIAL, "state", FEASIBLE})
"""Names that an outcome must not have. An outcome named like another column takes its name: the other gets a prefix."""


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
    comment: str = ""


@dataclass(frozen=True)
class Sheet:
    """A results file."""

    lines: list[Line]
    unfilled: int
    """How many lines have no result."""
    ignored: list[str]
    """Columns that are neither variables nor reserved."""
    problems: list[str] = field(default_factory=list)
    """What is wrong with the cells of other lines."""
    comments: dict[int, str] = field(default_factory=dict)
    """Comments in lines without a result, by trial."""
    comma: bool | None = None
    """Whether a CSV file has semicolons between cells and decimal commas; None for a workbook."""


def headings(space: Space, goals: Goals = ONE_OBJECTIVE) -> dict[str, str]:
    """Return the variable of each column; 'variable.<name>' is the column of a variable whose name is taken."""
    return {column_name(name, (*RESERVED, VALUE, FEASIBLE, *goals.order)): name for name in space}


def cells_of(rows: Iterable[TrialRow], space: Space, goals: Goals = ONE_OBJECTIVE, *, notes: bool = False) -> list[list[Cell]]:
    """Return rows as a table: trial, variables, outcomes (empty if there are none yet), comment; with `notes` all of EXPORTED.

    With limits, the notes begin with whether all of them are met.
    """
    extra = [*([FEASIBLE] if goals.limits else []), *EXPORTED] if notes else [COMMENT]
    named = [f"{TRIAL}.{name}" if name in goals.order else name for name in extra]
    columns = {name: Cells(space[name]) for name in space}
    table: list[list[Cell]] = [[TRIAL, *map(guarded, headings(space, goals)), *map(guarded, goals.order), *named]]
    for row in rows:
        cells = [columns[name].cell(row.configuration[name]) if name in row.configuration else "" for name in space]
        noted = row.to_dict()
        table.append([row.number, *cells, *result_cells(row, goals), *(_note(noted.get(name)) for name in extra)])
    return table


def written(rows: Iterable[TrialRow], space: Space, goals: Goals = ONE_OBJECTIVE, *, notes: bool = False) -> str:
    """Return rows as CSV, with commas between cells and decimal points; see `cells_of`."""
    return as_csv(cells_of(rows, space, goals, notes=notes))


def _note(value: object) -> Cell:
    if isinstance(value, list):  # of corrections
        return "; ".join(f"{correction_text(one)} on {one.get('when')}" for one in value)
    return "" if value is None else guarded(value) if isinstance(value, str) else value if is_number(value) else repr(value)


def read(
    path: str | os.PathLike[str],
    space: Space,
    trials: Mapping[int, Mapping[str, Any]] | None = None,
    goals: Goals = ONE_OBJECTIVE,
    misfits: list[str] | None = None,
) -> Sheet:
    """Read a results file, CSV or a workbook; TableError lists every wrong cell. See `scan`."""
    sheet = scan(path, space, trials, goals, misfits)
    if sheet.problems:
        raise TableError(str(path), sheet.problems)
    return sheet


def scan(
    path: str | os.PathLike[str],
    space: Space,
    trials: Mapping[int, Mapping[str, Any]] | None = None,
    goals: Goals = ONE_OBJECTIVE,
    misfits: list[str] | None = None,
) -> Sheet:
    """Return the valid lines of a results file, and what is wrong with the others; TableError if it has no valid header.

    `trials` are the configurations of the study's trials by number: a line must name one of them, or none, and may have values
    of its trial that the space no longer has. With a list of `misfits`, lines whose values are valid but not in the space are
    left out, and added to the list.
    """
    columns = Columns(headings(space, goals), goals.order)
    grid = read_grid(Path(path), lambda cells: _recognised(cells, columns))
    if not grid.lines:
        raise TableError(
            str(path), [f"is empty; the first line names the columns: trial, the variables, {', '.join(goals.order)}"]
        )
    header = _header(grid.lines[0][1], columns)
    problems = [f"row {grid.lines[0][0]}: {problem}" for problem in _header_problems(header, columns)]
    if problems:
        raise TableError(str(path), problems)
    cells_by_head = {head: (name, Cells(space[name])) for head, name in columns.variables.items()}
    reader = _LineReader(space, goals, cells_by_head, grid.comma, trials, misfits)
    lines, unfilled, comments = [], 0, {}
    for number, cells in grid.lines[1:]:
        if any(cell.strip() for cell in cells[len(header) :]):
            problems.append(f"row {number}: has {len(cells)} cells, the header {len(header)}; is there a stray separator?")
            continue
        given = dict(zip(header, [*cells, *[""] * len(header)], strict=False))
        said = (unguarded(cell.strip()) for head, cell in zip(header, cells, strict=False) if head == columns.comment)
        comment = "; ".join(filter(None, said))
        if any(given[name].strip() for name in goals.order):
            line, wrong = reader.read(number, given, comment)
            lines += [] if wrong or line is None else [line]
            problems += wrong
        else:
            unfilled += 1
            trial = TRIAL_NUMBER.fullmatch(given.get(TRIAL, "").strip())
            if comment and trial and trials is not None and int(trial[1]) in trials:
                comments[int(trial[1])] = comment
    comma = grid.comma if grid.is_csv else None
    return Sheet(lines, unfilled, _ignored(header, columns), problems, comments, comma)


@dataclass(frozen=True)
class Columns:
    """The columns that a results file may have: those of variables by heading, of outcomes, and RESERVED ones."""

    variables: Mapping[str, str]
    outcomes: Sequence[str]

    @property
    def comment(self) -> str:
        """The column of comments."""
        return f"{TRIAL}.{COMMENT}" if COMMENT in self.outcomes else COMMENT

    @property
    def known(self) -> list[str]:
        """All columns."""
        reserved = [f"{TRIAL}.{name}" if name in self.outcomes else name for name in (*RESERVED, FEASIBLE)]
        return [*reserved, *self.outcomes, *self.variables]


def _recognised(cells: Sequence[str], columns: Columns) -> tuple[int, int]:
    """Return how many columns of a header are recognised, and how many there are."""
    header = _header(cells, columns)
    return len([head for head in header if head]) - len(_ignored(header, columns)), len(header)


def _header(cells: Sequence[str], columns: Columns) -> list[str]:
    """Return the column that each header cell names, ignoring case; other cells stay as they are."""
    known = columns.known
    folded: dict[str, set[str]] = {}
    for head in known:
        for text in (head, columns.variables.get(head, head)):
            folded.setdefault(text.strip().casefold(), set()).add(head)
    for text in COMMENTS:
        folded.setdefault(text, {columns.comment})

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
    trials: Mapping[int, Mapping[str, Any]] | None
    misfits: list[str] | None = None

    def read(self, row: int, given: Mapping[str, str], comment: str) -> tuple[Line | None, list[str]]:
        """Return a line, None if it does not fit the space and may be left out, and the problems with its cells."""
        problems: list[str] = []
        unfit: list[str] = []
        trial: int | None = None
        named = given.get(TRIAL, "").strip()
        if named:
            whole = TRIAL_NUMBER.fullmatch(named)
            if whole is None:
                problems.append(f"row {row}, column {TRIAL!r}: got {named!r:.60}; the number of a trial is a whole number")
            trial = int(whole[1]) if whole else None
            if trial is not None and self.trials is not None and trial not in self.trials:
                hint = "clear the cell to add the line as a result from elsewhere"
                problems.append(f"row {row}, column {TRIAL!r}: there is no trial {trial}; {hint}")
        configuration: dict[str, Any] = {}
        empty: list[tuple[str, str]] = []
        for head, (name, cells) in self.columns.items():
            text = given.get(head, "")
            own = {} if trial is None or self.trials is None else self.trials.get(trial, {})
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
        return Line(row, trial, configuration, value, comment), problems
