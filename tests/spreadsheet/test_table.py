"""Trials as CSV, through a spreadsheet and back."""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import casmopolitan as cas
from casmopolitan.analysis.row import TrialRow, identity
from casmopolitan.goals import Goals
from casmopolitan.spreadsheet.files import TableError, encoded, for_spreadsheets
from casmopolitan.spreadsheet.outcomes import value_of
from casmopolitan.spreadsheet.table import cells_of, headings, scan, written
from casmopolitan.spreadsheet.table import read as read_sheet
from strategies import scalars

SPACE = cas.Space(
    {
        "word": cas.Categorical(["plain", "=SUM(A1)", "-x", "1", 1, True, None, " ", 'quo"te', "a,b", "line\nbreak"]),
        "size": cas.Ordinal([0.5, 1.0, 2.0]),
        "count": cas.Integer(1, 100),
        "real": cas.Real(-1.0, 1.0),
        "value": cas.Categorical(["its own name"]),
    }
)


def read(path, space, trials=None):
    return read_sheet(path, space, trials).lines


def space_of(*names):
    return cas.Space({name: cas.Integer(0, 1) for name in names})


def rows():
    found = []
    for k, word in enumerate(SPACE["word"].choices):
        configuration = {"word": word, "size": 1.0, "count": 7, "real": -0.1234567890123, "value": "its own name"}
        found.append(TrialRow(k, "complete", k / 3, configuration))
    return found


def test_what_is_written_is_read_back_exactly(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(written(rows(), SPACE), "utf-8")
    lines = read(path, SPACE)
    assert [line.configuration for line in lines] == [row.configuration for row in rows()]
    assert [line.value for line in lines] == [row.value for row in rows()]
    assert [line.number for line in lines] == [row.number for row in rows()]


def test_no_cell_begins_like_a_formula():
    for line in written(rows(), SPACE, notes=True).splitlines():
        for cell in line.split(","):
            assert not cell.startswith(("=", "@", "+")), line


@pytest.mark.parametrize(
    ("text", "value"),
    [("1.5", 1.5), ("1,5", 1.5), ("1e-3", 0.001), (" 2 ", 2.0), ("failed", None), ("FAILED", None), ("NaN", None)],
)
def test_values_are_read_as_people_write_them(text, value):
    assert value_of(text) == value


@pytest.mark.parametrize("text", ["inf", "abc", "1_000", "1.2.3", "=1+1"])
def test_other_values_are_refused(text):
    with pytest.raises(ValueError, match="give a number"):
        value_of(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("trial,value,value\n", "appears twice"),
        ("trial,wrod,value\n", "Did you mean 'word'?"),
        ("trial\n1\n", "there is no column 'value'"),
        ("word,value\n", "'size' is missing"),
        ("word,size,count,real,colour,value\n", "the column 'colour' is neither a variable nor a known column"),
        ("trial,valeu\n", "Did you mean 'value'?"),
        ("trial,value\n1,2,3\n", "row 2: has 3 cells"),
        ('trial,value\n1,"2\n', "is not CSV"),
    ],
)
def test_a_file_that_is_no_table_is_refused(tmp_path, text, said):
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(TableError, match="nothing was recorded") as caught:
        read(path, SPACE)
    assert said in str(caught.value)


def test_a_spreadsheets_habits_are_understood(tmp_path):
    space = cas.Space(
        {"flag": cas.Categorical([True, False]), "size": cas.Ordinal([1, 2]), "count": cas.Integer(1, 9), "t": cas.Real(0, 9)}
    )
    path = tmp_path / "t.csv"
    path.write_bytes("\ufeffflag;size;count;t;value\r\nTRUE;2.0;3,0;2,5;1,25\r\n;;;;\r\n".encode())
    assert read(path, space)[0].configuration == {"flag": True, "size": 2, "count": 3, "t": 2.5}
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(TableError, match="UTF-8"):
        read(path, space)


@pytest.mark.parametrize("text", ["1,500", "-12,000", "999,999"])
def test_a_comma_that_may_separate_thousands_is_refused(tmp_path, text):
    with pytest.raises(ValueError, match="without the comma"):
        value_of(text)
    path, space = tmp_path / "t.csv", cas.Space({"t": cas.Real(-1e6, 1e6)})
    path.write_text(f't,value\n"{text}",1\n1,"{text}"\n', "utf-8")
    with pytest.raises(TableError, match="nothing was recorded") as caught:
        read(path, space)
    assert len(caught.value.problems) == 2
    path.write_text(f"t;value\n1;{text}\n", "utf-8")  # where semicolons separate, a comma is a decimal one
    assert read(path, space)[0].value == float(text.replace(",", "."))


def test_a_comma_that_cannot_be_one_is_a_decimal_comma():
    assert [value_of(text) for text in ("0,500", "1,50", "1234,567")] == [0.5, 1.5, 1234.567]


def test_a_choice_keeps_its_blanks_and_a_trial_its_number(tmp_path):
    space = cas.Space({"a": cas.Categorical([" lead", "lead", "tail "]), "b": cas.Categorical(["x", "y"])})
    rows = [TrialRow(k, "asked", None, {"a": a, "b": "x"}) for k, a in enumerate([" lead", "lead", "tail "])]
    path = tmp_path / "t.csv"
    path.write_text(written(rows, space).replace(",x,", ",x,1.5"), "utf-8")
    assert [line.configuration["a"] for line in read(path, space)] == [" lead", "lead", "tail "]
    path.write_text("trial,value\n11.0,2\n3,\n", "utf-8")  # a data frame's column of numbers
    assert [line.number for line in read(path, space)] == [11]
    assert read_sheet(path, space).unfilled == 1
    path.write_text('trial,value\n"1,000",2\n', "utf-8")
    with pytest.raises(TableError, match="the number of a trial is a whole number"):
        read(path, space)


def test_choices_that_look_like_guarded_ones_come_back_as_they_are(tmp_path):
    space = cas.Space({"a": cas.Categorical(["=x", "'=x", "-", "'-", "''-", "x\r\ny", "\n=1", " =1", "' =1"])})
    rows = [TrialRow(k, "complete", float(k), {"a": word}) for k, word in enumerate(space["a"].choices)]
    path = tmp_path / "t.csv"
    path.write_bytes(written(rows, space).encode())
    assert [line.configuration["a"] for line in read(path, space)] == list(space["a"].choices)


@pytest.mark.parametrize("word", ["=1+1", "+x", "-x", "@x", "\tx", "\n=1+1", " =1+1", "\u00a0=1+1"])
def test_whatever_a_spreadsheet_may_take_for_a_formula_is_guarded(word):
    space = cas.Space({"a": cas.Categorical([word, "other"])})
    assert f"'{word}" in written([TrialRow(0, "complete", 1.0, {"a": word})], space)


def csv_file(folder, text):
    path = folder / "t.csv"
    path.write_bytes(text.encode())
    return path


TWO = cas.Space({"solvent": cas.Categorical(["water", "Äther"]), "t": cas.Real(0, 9)})


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("solvent,t,smell,value,operator\nwater,2,fruity,7,me\n", ["smell", "operator"]),
        ("trial,operator,value\n3,me,7\n", ["operator"]),
        ("date,t,date,solvent,value\n,2,,water,7\n", ["date", "date"]),
        (" Solvent , T,VALUE\nwater,2,7\n", []),
        ("Trial,Note,Value\n3,mine,7\n", []),
    ],
)
def test_columns_of_peoples_own_are_left_out_and_headings_read_as_they_are_meant(tmp_path, text, left_out):
    path = csv_file(tmp_path, text)
    (line,) = read(path, TWO)
    assert line.value == 7.0
    assert line.configuration == ({} if line.number == 3 else {"solvent": "water", "t": 2.0})
    assert read_sheet(path, TWO).ignored == left_out


def test_a_heading_that_stands_twice_in_any_spelling_is_refused(tmp_path):
    with pytest.raises(TableError, match="'value' appears twice"):
        read(csv_file(tmp_path, "trial,value,Value\n"), TWO)


def test_headings_that_differ_in_case_alone_are_told_apart_and_never_guessed(tmp_path):
    space = cas.Space({"T": cas.Real(0, 9), "t": cas.Real(0, 9), "Größe": cas.Integer(1, 2)})
    (line,) = read(csv_file(tmp_path, "t,T,GRÖSSE,value\n1,2,2,3\n"), space)
    assert line.configuration == {"T": 2.0, "t": 1.0, "Größe": 2}
    with pytest.raises(TableError, match="'T' is missing"):
        read(csv_file(tmp_path, "größe,value\n1,2\n"), space)


def names():
    """Names of variables, with a liking for those that are hard to tell apart in a first line."""
    hard = ["value", " value", "Value", "variable.value", "trial", "state", "a", "a ", " a", '" a"', "=a", "'=a", "a;b;c", "\r"]
    return st.sampled_from(hard) | st.text(min_size=1, max_size=4)


@given(st.lists(names(), min_size=1, max_size=5, unique=True), st.lists(scalars(), min_size=2, max_size=6, unique_by=repr))
@example(["value", "variable.value"], ["x", "y"])
@example(["a", "a ", '"a "'], ["1", 1, '"1"'])
@example(["a;b;c;d;e"], ["x", "y"])
@example(["a"], ["x\ry", "x\r\ny"])
def test_every_table_that_is_written_is_read_back(names, words):
    space = cas.Space({name: cas.Categorical(words) for name in names})
    rows = [TrialRow(k, "complete", k / 3, dict.fromkeys(names, word)) for k, word in enumerate(words)]
    with tempfile.TemporaryDirectory() as folder:
        lines = read(csv_file(Path(folder), for_spreadsheets(written(rows, space))), space)
    found = [[(type(word), word) for word in line.configuration.values()] for line in lines]
    assert found == [[(type(word), word) for word in row.configuration.values()] for row in rows]
    assert [list(line.configuration) for line in lines] == [names] * len(words)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("sign", [";", "\t"])
def test_other_separators_and_line_ends_are_read(tmp_path, sign, end):
    lines = ["solvent;t;smell;value", 'water;1,5;"two; or three";7', "Äther;x;;8"]
    text = end.join(lines).replace(";", sign) + end
    with pytest.raises(TableError) as caught:
        read(csv_file(tmp_path, text), TWO)
    assert caught.value.problems == ["row 3, column 't': got 'x'; it takes a number"]
    (line,) = read(csv_file(tmp_path, text.replace("x", "", 1).partition("Äther")[0]), TWO)
    assert (line.configuration, line.value) == ({"solvent": "water", "t": 1.5}, 7.0)


def test_a_variable_is_headed_by_its_name_and_one_that_bears_a_reserved_name_by_another():
    assert headings(space_of("a", "value")) == {"a": "a", "variable.value": "value"}
    assert headings(space_of("value", "variable.value")) == {
        "variable.value": "value",
        "variable.variable.value": "variable.value",
    }


def test_blanks_at_the_ends_of_a_name_need_not_be_written(tmp_path):
    assert read(csv_file(tmp_path, "A,b,value\n1,0,5\n"), space_of("a", " b "))[0].configuration == {"a": 1, " b ": 0}
    found = read(csv_file(tmp_path, "b, b ,value\n1,0,5\n"), space_of("b", " b "))
    assert found[0].configuration == {"b": 1, " b ": 0}


def test_the_line_of_a_trial_may_have_values_that_the_space_no_longer_has(tmp_path):
    path = csv_file(tmp_path, "trial,solvent,t,value\n4,DMF,12.5,1\n5,water,2,2\n")
    lines = read(path, TWO, {4: {"solvent": "DMF", "t": 12.5}, 5: {}})
    assert [line.configuration for line in lines] == [{"solvent": "DMF", "t": 12.5}, {"solvent": "water", "t": 2.0}]
    with pytest.raises(TableError) as caught:
        read(path, TWO, {4: {"solvent": "DMSO", "t": 12.5}, 5: {}})
    assert len(caught.value.problems) == 1
    with pytest.raises(TableError):
        read(path, TWO)


def test_corrections_and_trials_outside_the_space_are_marked_in_an_export():
    audit = {"trial": 1, "before": 715.0, "after": 71.5, "when": "2026-11-17T20:22:06+00:00"}
    rows = [TrialRow(1, "complete", 71.5, {"solvent": "DMF", "t": 2.0}, outside=True, corrections=(audit,))]
    line = written(rows, TWO, notes=True).splitlines()[1]
    assert line.startswith("1,DMF,2.0,71.5,,complete,")
    assert line.endswith(",True,715.0 became 71.5 on 2026-11-17T20:22:06+00:00")


def test_a_file_gets_a_mark_where_excel_would_misread_it_without():
    assert for_spreadsheets("trial,value\n") == "trial,value\n"
    assert for_spreadsheets("Äther\n") == "\N{BYTE ORDER MARK}Äther\n"


def test_a_table_of_many_words_is_written_and_read_at_once(tmp_path):
    space = cas.Space({f"v{k}": cas.Categorical([f"word {n}" for n in range(1000)]) for k in range(20)})
    rows = [TrialRow(k, "complete", 1.0, dict.fromkeys(space, f"word {5 * k}")) for k in range(200)]
    began = time.process_time()
    lines = read(csv_file(tmp_path, written(rows, space)), space)
    assert time.process_time() - began < 0.5
    assert [line.configuration for line in lines] == [row.configuration for row in rows]


COMMENTED = TrialRow(3, "failed", None, {"solvent": "water", "t": 2.0}, comment="=boiled over")


@pytest.mark.parametrize("heading", ["comment", "Comment", "NOTES", "remark", "Bemerkung"])
def test_a_comment_is_read_from_a_column_of_that_name(tmp_path, heading):
    (line,) = read(csv_file(tmp_path, f"trial,value,{heading}\n3,7, it smelt \n"), TWO)
    assert (line.comment, line.value) == ("it smelt", 7.0)


def test_a_comment_is_written_guarded_and_read_back(tmp_path):
    text = written([COMMENTED], TWO)
    assert text == "trial,solvent,t,value,comment\n3,water,2.0,failed,'=boiled over\n"
    assert read(csv_file(tmp_path, text), TWO)[0].comment == "=boiled over"
    (line,) = read(csv_file(tmp_path, written([COMMENTED], TWO, notes=True)), TWO)
    assert line.comment == "=boiled over"


def test_comments_of_two_columns_are_joined_and_those_without_a_result_are_kept_by_trial(tmp_path):
    sheet = scan(csv_file(tmp_path, "trial,comment,value,note\n3,a,1,b\n4,later,,\n9,x,,\n"), TWO, {3: {}, 4: {}})
    assert [line.comment for line in sheet.lines] == ["a; b"]
    assert (sheet.comments, sheet.unfilled) == ({4: "later"}, 2)


def test_a_variable_or_an_outcome_keeps_a_name_that_comments_have_too(tmp_path):
    space = cas.Space({"Notes": cas.Integer(0, 9), "comment": cas.Integer(0, 9)})
    text = written([TrialRow(1, "complete", 2.0, {"Notes": 4, "comment": 5}, comment="odd")], space)
    (line,) = read(csv_file(tmp_path, text), space)
    assert (line.configuration, line.comment) == ({"Notes": 4, "comment": 5}, "odd")
    goals = Goals.of("minimize", {"comment": "minimize"}, {})
    row = TrialRow(1, "complete", None, {"solvent": "water", "t": 2.0}, outcomes={"comment": 3.0}, comment="odd")
    (line,) = read_sheet(csv_file(tmp_path, written([row], TWO, goals)), TWO, None, goals).lines
    assert (line.value, line.comment) == (3.0, "odd")


def test_everything_wrong_is_listed_in_the_order_of_the_rows_unknown_trials_too(tmp_path):
    text = "trial,solvent,t,value\n99,water,x,1\n3,vodka,2,good\n3,water,2,5\n"
    sheet = scan(csv_file(tmp_path, text), TWO, {3: {"solvent": "water", "t": 2.0}})
    assert [problem.partition(":")[0] for problem in sheet.problems] == [
        "row 2, column 'trial'",
        "row 2, column 't'",
        "row 3, column 'solvent'",
        "row 3, column 'value'",
    ]
    assert [(line.row, line.value) for line in sheet.lines] == [(4, 5.0)]


@pytest.mark.parametrize("name", ["t.csv", "t.xlsx"])
@pytest.mark.parametrize("comma", [False, True])
def test_a_table_of_every_kind_of_choice_comes_back_from_every_kind_of_file(tmp_path, name, comma):
    pytest.importorskip("openpyxl")
    numbers = cas.Categorical([1, 1.0, "1", 0.5, "0,5", True, "true", None, "WAHR", 10**17])
    space = cas.Space({**SPACE.variables, "odd": numbers})
    found = rows()
    found += [
        TrialRow(50 + k, "complete", 0.125, {**found[0].configuration, "odd": odd}) for k, odd in enumerate(numbers.choices)
    ]
    found = [replace(row, configuration={"odd": 1, **row.configuration}) for row in found]
    path = tmp_path / name
    path.write_bytes(encoded(cells_of(found, space), path, comma=comma))
    sheet = read_sheet(path, space)
    assert [identity(line.configuration) for line in sheet.lines] == [identity(row.configuration) for row in found]
    assert [line.value for line in sheet.lines] == [row.value for row in found]
    assert sheet.comma == (None if name == "t.xlsx" else comma)
