"""Workbooks: values in, values out, and nothing else."""

from __future__ import annotations

import io
import sys
import zipfile
from datetime import datetime

import pytest

from casmopolitan.errors import MissingExtraError
from casmopolitan.spreadsheet import workbook as module
from casmopolitan.spreadsheet.files import TableError, read_grid
from casmopolitan.spreadsheet.workbook import WorkbookError, read_workbook, workbook

openpyxl = pytest.importorskip("openpyxl")
TABLE = [["trial", "solvent", "stirred", "t", "value"], [3, "'=SUM(A1)", True, 1 / 3, ""], [4, " Äther", False, 2, 7.5]]


def saved(folder, table, name="t.xlsx"):
    path = folder / name
    path.write_bytes(workbook(table))
    return path


def test_numbers_stay_numbers_and_text_that_looks_like_a_formula_stays_text(tmp_path):
    sheet = openpyxl.load_workbook(saved(tmp_path, [*TABLE, [5, "=1+1", True, 2**60, ""]])).active
    assert [[cell.value for cell in line] for line in sheet.iter_rows()][1:] == [
        [3, "'=SUM(A1)", True, 1 / 3, None],
        [4, " Äther", False, 2, 7.5],
        [5, "=1+1", True, str(2**60), None],
    ]
    assert sheet["B4"].data_type == "s"
    assert (sheet["A1"].font.bold, sheet.freeze_panes) == (True, "A2")


def test_what_is_written_is_read_back_as_text_line_by_line(tmp_path):
    book = openpyxl.load_workbook(saved(tmp_path, TABLE))
    book.active["E2"], book.active["E6"], book.active["D3"] = 3, "failed", datetime(2026, 5, 10)
    book.save(tmp_path / "filled.xlsx")
    assert read_workbook(tmp_path / "filled.xlsx") == [
        (1, TABLE[0]),
        (2, ["3", "'=SUM(A1)", "true", repr(1 / 3), "3"]),
        (3, ["4", " Äther", "false", "the date 2026-05-10", "7.5"]),
        (6, ["", "", "", "", "failed"]),
    ]


def test_a_formula_that_was_never_computed_is_not_an_empty_cell(tmp_path):
    book = openpyxl.load_workbook(saved(tmp_path, TABLE))
    book.active["E2"] = "=D2*2"
    book.save(tmp_path / "filled.xlsx")
    assert read_workbook(tmp_path / "filled.xlsx")[1][1][-1] == "a formula whose value was not saved"


@pytest.mark.parametrize("content", [b"PK\x03\x04 and no more", None])
def test_a_file_that_is_no_workbook_is_refused(tmp_path, content):
    path = tmp_path / "t.xlsx"
    if content is None:  # another file in a zip archive, such as .ods
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("content.xml", "<a/>")
    else:
        path.write_bytes(content)
    with pytest.raises(TableError, match=r"is not an \.xlsx workbook that can be read"):
        read_grid(path, lambda cells: (0, 0))


def test_a_small_file_that_unpacks_to_a_huge_one_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LARGEST", 1000)
    with pytest.raises(WorkbookError, match="when unpacked"):
        read_workbook(saved(tmp_path, TABLE))


def test_a_line_far_below_the_end_of_any_sheet_ends_the_reading(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "DEEPEST", 5)
    made = zipfile.ZipFile(io.BytesIO(workbook(TABLE)))
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as archive:
        for part in made.namelist():
            archive.writestr(part, made.read(part).replace(b'<row r="3"', b'<row r="999999999"'))
    with pytest.raises(WorkbookError, match="has a line below line 5"):
        read_workbook(tmp_path / "t.xlsx")


def test_a_character_that_a_workbook_cannot_hold_is_named():
    with pytest.raises(WorkbookError, match=r"'a\\x01' has a character that a workbook cannot hold; write CSV instead"):
        workbook([["a\x01"]])


def test_a_missing_package_names_the_extra(tmp_path, monkeypatch):
    path = saved(tmp_path, TABLE)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'casmopolitan\[excel\]'"):
        read_workbook(path)
    with pytest.raises(MissingExtraError):
        workbook(TABLE)
