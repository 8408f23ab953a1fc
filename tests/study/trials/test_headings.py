"""The first line of a table."""

from __future__ import annotations

import casmopolitan as cas
from casmopolitan.study.trials.headings import headings, meant


def space_of(*names):
    return cas.Space({name: cas.Integer(0, 1) for name in names})


def test_a_variable_is_headed_by_its_name_and_one_that_bears_a_name_of_ours_by_another():
    assert headings(space_of("a", "value")) == {"a": "a", "variable.value": "value"}


def test_a_name_that_looks_like_anothers_heading_gets_one_of_its_own():
    assert headings(space_of("value", "variable.value")) == {
        "variable.value": "value",
        "variable.variable.value": "variable.value",
    }


def test_a_name_in_quotes_is_quoted_again_so_that_it_is_not_anothers():
    assert headings(space_of(" a", '" a"')) == {'" a"': " a", '"\\" a\\""': '" a"'}


def test_blanks_at_the_ends_of_a_name_are_kept_in_quotes_and_need_not_be_written():
    assert headings(space_of("a", " b ")) == {"a": "a", '" b "': " b "}
    assert meant(["A", "b"], headings(space_of("a", " b "))) == ["a", '" b "']
    assert meant(["b", '" b "'], headings(space_of("b", " b "))) == ["b", '" b "']
