"""Workbooks (.xlsx): the values of one sheet, without formulas and macros. They need the extra 'excel'."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import date, datetime
from importlib.util import find_spec
from pathlib import Path

from casmopolitan.errors import CasmopolitanError, MissingExtraError

LARGEST = 200_000_000
"""The largest workbook that is read, in bytes after unpacking: a small file can hide a huge one."""
DEEPEST = 1_048_576
"""The most lines that a sheet can have."""
UNKNOWN = "a formula whose value was not saved"
"""The text of a cell with a formula that no spreadsheet program has computed: it is not empty."""
EXACT = 2**53
"""Larger integers are written as text: a spreadsheet would round them."""


class WorkbookError(CasmopolitanError, ValueError):
    """A workbook cannot be read."""


def ensure_installed() -> None:
    """Raise MissingExtraError if the package for workbooks is not installed."""
    if find_spec("openpyxl") is None:
        raise MissingExtraError("an .xlsx workbook (CSV needs nothing)", "openpyxl", "excel")


def read_workbook(path: Path) -> list[tuple[int, list[str]]]:
    """Return the filled lines of the active sheet as text, with their numbers; WorkbookError if the file cannot be read.

    The values are those that the spreadsheet program saved last: formulas are not computed, and nothing is executed.
    """
    ensure_installed()
    from openpyxl import load_workbook

    try:
        with zipfile.ZipFile(path) as archive:
            if sum(part.file_size for part in archive.infolist()) > LARGEST:
                raise WorkbookError(f"is larger than {LARGEST // 10**6} MB when unpacked; is it a results file?")
        with (
            warnings.catch_warnings(action="ignore"),
            closing(load_workbook(path, read_only=True, data_only=True)) as book,
            closing(load_workbook(path, read_only=True)) as with_formulas,
        ):
            for one in (book, with_formulas):
                one.active.reset_dimensions()  # a wrong size in the file would cut lines
            lines, formulas = (one.active.iter_rows(values_only=True) for one in (book, with_formulas))
            return list(_filled(lines, formulas))
    except WorkbookError:
        raise
    except Exception as error:  # openpyxl and the parsers under it raise errors of many types
        raise WorkbookError(
            f"is not an .xlsx workbook that can be read ({type(error).__name__}); save it again as .xlsx"
        ) from None


def _filled(lines: Iterable[Sequence[object]], formulas: Iterable[Sequence[object]]) -> Iterator[tuple[int, list[str]]]:
    for number, (cells, entered) in enumerate(zip(lines, formulas, strict=True), start=1):
        if number > DEEPEST:
            raise WorkbookError(f"has a line below line {DEEPEST:,}, the last of a spreadsheet")
        texts = [_text(cell) if cell is not None or raw is None else UNKNOWN for cell, raw in zip(cells, entered, strict=True)]
        if any(map(str.strip, texts)):
            yield number, texts


def _text(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return json.dumps(cell)
    if isinstance(cell, datetime) and (cell.hour, cell.minute, cell.second) == (0, 0, 0):
        return f"the date {cell.date().isoformat()}"
    if isinstance(cell, date):
        return f"the date {cell.isoformat()}"
    return repr(cell) if isinstance(cell, float) else str(cell)


def workbook(table: Sequence[Sequence[str | float | bool]]) -> bytes:
    """Return a table as a workbook with one sheet: a bold heading that stays in view, and numbers as numbers."""
    ensure_installed()
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter
    from openpyxl.utils.exceptions import IllegalCharacterError

    book = Workbook(write_only=True)
    sheet = book.create_sheet("experiments")
    sheet.freeze_panes = "A2"
    for k, column in enumerate(zip(*table, strict=True), start=1):
        sheet.column_dimensions[get_column_letter(k)].width = min(max(len(str(cell)) for cell in column), 40) + 2
    bold = Font(bold=True)
    for n, line in enumerate(table):
        cells = []
        for value in line:
            rounded = isinstance(value, int) and abs(value) > EXACT
            try:
                cell = WriteOnlyCell(sheet, repr(value) if rounded or isinstance(value, float) else value)
            except IllegalCharacterError:
                raise WorkbookError(f"{value!r} has a character that a workbook cannot hold; write CSV instead") from None
            if isinstance(value, float):
                cell.data_type = "n"  # openpyxl itself writes 16 digits, one too few
            elif isinstance(cell.value, str):
                cell.data_type = "s"  # text is never a formula
            if n == 0:
                cell.font = bold
            cells.append(cell)
        sheet.append(cells)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
