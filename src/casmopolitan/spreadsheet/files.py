"""Tables in files: CSV in the forms that spreadsheet programs write, and .xlsx workbooks."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from casmopolitan.errors import DataError
from casmopolitan.spreadsheet.workbook import WorkbookError, read_workbook, workbook

Cell = str | float | bool
"""Text, a number, or True or False."""
OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"
"""The first bytes of .xls files, and of workbooks with a password."""
LARGEST = 50_000_000
WITH_POINT = re.compile(r"\s*[+-]?(?!([1-9]\d{0,2})(\.\d{3})+\s*$)\d*\.\d+(?:[eE][+-]?\d+)?\s*")
WITH_COMMA = re.compile(r"\s*[+-]?\d*,\d+(?:[eE][+-]?\d+)?\s*")
"""Cells that show whether decimals have a point or a comma; 1.234 does not, since German spreadsheets may mean 1234."""


class TableError(DataError):
    """A results file cannot be used; `problems` lists every wrong cell by row and column, in the order of the rows."""

    def __init__(self, path: str, problems: Sequence[str]) -> None:
        self.problems = sorted(problems, key=_row)
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        shown = [*self.problems[:50], *([f"... and {len(self.problems) - 50} more"] if len(self.problems) > 50 else [])]
        super().__init__("\n  ".join([f"{path}: {count}; nothing was recorded", *shown]))


def _row(problem: str) -> int:
    found = re.match(r"row (\d+)", problem)
    return int(found[1]) if found else 0


@dataclass(frozen=True)
class Grid:
    """The cells of a file as text."""

    lines: list[tuple[int, list[str]]]
    """The lines that are not blank, with their numbers in the file."""
    comma: bool = False
    """Whether commas are decimal."""
    is_csv: bool = True


def read_grid(path: Path, recognised: Callable[[Sequence[str]], tuple[int, int]]) -> Grid:
    """Read a CSV file or a workbook; TableError if it is neither.

    CSV is separated by commas, semicolons or tabs: by the sign with which most columns are `recognised`. Where semicolons
    separate, commas are decimal, unless the numbers of the file have points.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise TableError(str(path), [f"the file is larger than {LARGEST // 10**6} MB; is it a results file?"])
        with path.open("rb") as file:
            start = file.read(4)
        if start == b"PK\x03\x04":
            return Grid(read_workbook(path), is_csv=False)
        if start == OLD_WORKBOOK:
            raise TableError(str(path), ["is an .xls workbook, or has a password; save it as .xlsx or as 'CSV UTF-8'"])
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except WorkbookError as error:
        raise TableError(str(path), [str(error)]) from None
    except OSError as error:
        raise TableError(str(path), [f"cannot be read: {error.strerror}"]) from None
    except UnicodeDecodeError:
        raise TableError(str(path), ["is not UTF-8 text; save it as 'CSV UTF-8'"]) from None
    delimiter = max(",;\t", key=lambda sign: _score(text, sign, recognised))
    try:
        lines = list(_lines(text, delimiter))
    except csv.Error as error:
        raise TableError(str(path), [f"is not CSV: {error}"]) from None
    return Grid(lines, delimiter == ";" and _has_commas(cell for _, cells in lines for cell in cells))


def _lines(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that are not blank, with their numbers."""
    for number, cells in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), start=1):
        if any(cell.strip() for cell in cells):
            yield number, cells


def _score(text: str, delimiter: str, recognised: Callable[[Sequence[str]], tuple[int, int]]) -> tuple[int, int]:
    try:
        return recognised(next(_lines(text, delimiter), (1, []))[1])
    except csv.Error:
        return 0, 0


def _has_commas(cells: Iterable[str]) -> bool:
    """Return whether decimals have commas: False only if some have points and none has a comma."""
    points = False
    for cell in cells:
        if WITH_COMMA.fullmatch(cell):
            return True
        points = points or WITH_POINT.fullmatch(cell) is not None
    return not points


def as_csv(table: Iterable[Sequence[Cell]], *, comma: bool = False) -> str:
    """Return a table as CSV; with `comma`, decimals have commas and cells are separated by semicolons."""
    texts = [[_text(cell, comma) for cell in line] for line in table]
    out = io.StringIO()
    odd = any("\r" in cell for line in texts for cell in line)  # Python 3.11 does not quote it
    writer = csv.writer(
        out, delimiter=";" if comma else ",", lineterminator="\n", quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL
    )
    writer.writerows(texts)
    return out.getvalue()


def _text(cell: Cell, comma: bool) -> str:
    if isinstance(cell, str):
        return cell
    return json.dumps(cell) if isinstance(cell, bool) else repr(cell).replace(".", ",") if comma else repr(cell)


def encoded(table: Sequence[Sequence[Cell]], path: Path, *, comma: bool = False) -> bytes:
    """Return a table as the bytes of a file: a workbook if its name ends in .xlsx, CSV otherwise."""
    if path.suffix.lower() == ".xlsx":
        return workbook(table)
    return for_spreadsheets(as_csv(table, comma=comma)).encode()


def for_spreadsheets(text: str) -> str:
    """Return CSV for a file; with a byte-order mark if Excel would not recognise it as UTF-8 without one."""
    return text if text.isascii() else f"\N{BYTE ORDER MARK}{text}"
