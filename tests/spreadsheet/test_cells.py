"""One value in one cell: spelt so that it names its value alone."""

from __future__ import annotations

import pytest

import casmopolitan as cas
from casmopolitan.errors import MisfitError
from casmopolitan.spreadsheet.cells import Cells, number_in, spellings


def test_equal_spellings_are_told_apart_by_quotes():
    assert spellings(cas.Categorical(["1", 1, "a"])) == {'"1"': "1", "1": 1, "a": "a"}


def test_a_word_in_quotes_is_not_taken_for_the_word_without():
    assert spellings(cas.Categorical(["1", 1, '"1"'])) == {'"1"': "1", "1": 1, r'"\"1\""': '"1"'}


def test_a_number_is_written_in_full_and_read_in_full():
    cells = Cells(cas.Integer(1, 10**18))
    assert cells.read(str(cells.cell(10**18 - 1)), False) == 10**18 - 1
    assert cells.read("12,0", True) == 12


@pytest.mark.parametrize(("raw", "word"), [("TRUE", True), ("2.0", 2), ("2,0", 2), (" x ", "x"), ("'=x", "=x")])
def test_a_cell_is_read_as_a_spreadsheet_writes_it(raw, word):
    found = Cells(cas.Categorical([True, 2, "x", "=x"])).read(raw, False)
    assert (type(found), found) == (type(word), word)


@pytest.mark.parametrize(
    ("raw", "value"), [("WAHR", True), ("falsch", False), ("Vrai", True), ("FAUX", False), ("VERDADERO", True)]
)
def test_true_and_false_are_read_as_spreadsheets_of_other_languages_write_them(raw, value):
    assert Cells(cas.Categorical([True, False])).read(raw, True) is value
    with pytest.raises(MisfitError):
        Cells(cas.Categorical(["true", "false"])).read(raw, True)
    with pytest.raises(MisfitError, match="got 'ja'; its choices are true, false, 'True'"):
        Cells(cas.Categorical([True, False, "True"])).read("ja", True)


@pytest.mark.parametrize(
    ("text", "comma", "number"), [("1.5", True, 1.5), ("0.125", True, 0.125), ("1234.567", True, 1234.567)]
)
def test_a_point_that_cannot_separate_thousands_is_a_decimal_point(text, comma, number):
    assert number_in(text, comma) == number


@pytest.mark.parametrize(("text", "comma"), [("1.234", True), ("-12.000", True), ("1,234", False)])
def test_a_sign_that_may_separate_thousands_is_asked_about(text, comma):
    with pytest.raises(MisfitError, match=r"1234|12000"):
        number_in(text, comma)


def test_a_cell_has_the_type_of_its_value_where_no_other_choice_could_be_meant():
    odd = Cells(cas.Categorical([1, 1.0, "2", 3, "=x", True, "0,5", 0.5]))
    assert [odd.cell(value) for value in odd.variable.choices] == [1, "1.0", "2", 3, "'=x", True, "0,5", "0.5"]
    assert Cells(cas.Real(0, 1)).cell(0.25) == 0.25
