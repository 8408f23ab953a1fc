"""One value in one cell: spelt so that it names its value alone."""

from __future__ import annotations

import pytest

import casmopolitan as cas
from casmopolitan.spreadsheet.cells import Cells, spellings


def test_equal_spellings_are_told_apart_by_quotes():
    assert spellings(cas.Categorical(["1", 1, "a"])) == {'"1"': "1", "1": 1, "a": "a"}


def test_a_word_in_quotes_is_not_taken_for_the_word_without():
    assert spellings(cas.Categorical(["1", 1, '"1"'])) == {'"1"': "1", "1": 1, r'"\"1\""': '"1"'}


def test_a_number_is_written_in_full_and_read_in_full():
    cells = Cells(cas.Integer(1, 10**18))
    assert cells.read(cells.written(10**18 - 1), False) == 10**18 - 1
    assert cells.read("12,0", True) == 12


@pytest.mark.parametrize(("raw", "word"), [("TRUE", True), ("2.0", 2), ("2,0", 2), (" x ", "x"), ("'=x", "=x")])
def test_a_cell_is_read_as_a_spreadsheet_writes_it(raw, word):
    found = Cells(cas.Categorical([True, 2, "x", "=x"])).read(raw, False)
    assert (type(found), found) == (type(word), word)
