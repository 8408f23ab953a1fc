"""Files that spreadsheet programs write, and files for them."""

from __future__ import annotations

import pytest

from casmopolitan.spreadsheet.files import TableError, as_csv, encoded, for_spreadsheets, read_grid


def grid(folder, content, name="t.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_grid(path, lambda cells: (len(set(cells) & {"trial", "value", "t"}), len(cells)))


@pytest.mark.parametrize(
    ("text", "comma"),
    [
        ("trial,value\n1,2.5\n", False),
        ("trial;value\n1;2,5\n", True),
        ("trial;value\n1;25\n", True),
        ("trial;value\n1;1.234\n", True),
        ("trial;value;t\n1;1.234;0.5\n", False),
        ("trial;value;t\n1;1,5;61.008058\n", True),
        ("trial\tvalue\n1\t2,5\n", False),
    ],
)
def test_commas_are_decimal_where_semicolons_separate_unless_the_numbers_have_points(tmp_path, text, comma):
    assert grid(tmp_path, text).comma is comma


def test_lines_are_numbered_as_in_the_file_and_blank_ones_are_left_out(tmp_path):
    found = grid(tmp_path, "\ufefftrial;value\r\n;;\r\n\r\n3;4\r\n")
    assert found.lines == [(1, ["trial", "value"]), (4, ["3", "4"])]
    assert found.is_csv


def test_numbers_are_written_with_commas_between_semicolons_or_points_between_commas():
    table = [["trial", "a", "value"], [1, "x;1.5", 0.25], [2, True, 1e-07]]
    assert as_csv(table) == "trial,a,value\n1,x;1.5,0.25\n2,true,1e-07\n"
    assert as_csv(table, comma=True) == 'trial;a;value\n1;"x;1.5";0,25\n2;true;1e-07\n'


def test_a_file_gets_a_mark_where_excel_would_misread_it_without(tmp_path):
    assert for_spreadsheets("trial,value\n") == "trial,value\n"
    assert encoded([["Äther"]], tmp_path / "t.csv") == "\ufeffÄther\n".encode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is an .xls workbook, or has a password; save it as .xlsx or as 'CSV UTF-8'"),
        (b"\xff\xfe", "is not UTF-8 text; save it as 'CSV UTF-8'"),
        (b'trial,value\n1,"2\n', "is not CSV"),
    ],
)
def test_another_file_is_refused(tmp_path, content, said):
    with pytest.raises(TableError, match=said):
        grid(tmp_path, content)


def test_problems_are_in_the_order_of_the_rows():
    error = TableError("t.csv", ["row 12: late", "row 2, column 'a': early", "is odd"])
    assert error.problems == ["is odd", "row 2, column 'a': early", "row 12: late"]
