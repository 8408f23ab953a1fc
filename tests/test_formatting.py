import numpy as np
import pytest

from casmopolitan.formatting import (
    abbreviate,
    column_name,
    did_you_mean,
    did_you_mean_number,
    duration,
    first_few,
    in_full,
    join_values,
    short_repr,
    significant_digits,
)


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no representation")


class Misprinted:
    def __repr__(self):
        raise ValueError("no representation")


def test_a_value_that_cannot_be_printed_is_shown_by_its_type():
    assert short_repr(Unprintable()) == "<Unprintable>"
    assert short_repr(Misprinted()) == "<Misprinted>"


def test_the_limit_on_a_representation_can_be_raised():
    assert short_repr("x" * 1000, 200) == "'" + "x" * 196 + "..."
    assert short_repr([1, 2]) == "[1, 2]"


@pytest.mark.parametrize(
    ("value", "known", "hint"),
    [
        ("adma", ["sgd", "adam"], " Did you mean 'adam'?"),
        ("Adam ", ["sgd", "adam"], " Did you mean 'adam'?"),
        ("1", [1, 2], " Did you mean 1?"),
        (2.0, [1, 2], " Did you mean 2?"),
        ("zebra", ["sgd", "adam"], ""),
        ([1], [1, 2], ""),
    ],
)
def test_a_near_word_is_suggested(value, known, hint):
    assert did_you_mean(value, known) == hint


def test_many_values_are_counted_instead_of_listed():
    assert join_values(range(3)) == "0, 1, 2"
    assert join_values(range(1000)).endswith("... (1000 in all)")


def test_the_rest_of_many_texts_is_counted():
    assert first_few(list("abcd"), "and {} more", few=2) == list("abcd")
    assert first_few(list("abcde"), "and {} more", few=2) == ["a", "b", "and 3 more"]


def test_long_values_are_cut_and_numpy_values_shown_plainly():
    assert len(short_repr("x" * 1000)) == 80
    assert short_repr(np.float64(0.5)) == "0.5"
    assert short_repr(10**5000) == "a very long int"


def test_among_very_many_words_only_another_spelling_is_suggested():
    words = [f"word{i}" for i in range(5000)]
    assert did_you_mean("WORD17", words) == " Did you mean 'word17'?"
    assert did_you_mean("wrod17", words) == ""


@pytest.mark.parametrize(
    ("value", "whole", "hint"),
    [
        ("3", True, " Did you mean 3?"),
        (3.0, True, " Did you mean 3?"),
        (3.5, True, ""),
        ("0.5", False, " Did you mean 0.5?"),
        ("half", False, ""),
        (None, False, ""),
    ],
)
def test_a_number_in_another_type_is_suggested_as_a_number(value, whole, hint):
    assert did_you_mean_number(value, whole=whole) == hint


@pytest.mark.parametrize(
    ("values", "count"),
    [
        ([], 6),
        ([3.0], 6),
        ([1.0, 1.0, None], 6),
        ([0.0, 1.0, 2.0, 3.0], 6),
        ([-1234.5678 + 1e-4 * k for k in range(10)], 9),
        ([-123456 + 1e-6 * k for k in range(10)], 12),
        ([5.0 + 0.1 * k for k in range(10)] + [1e9], 6),
    ],
)
def test_values_are_shown_to_as_many_digits_as_tell_them_apart(values, count):
    assert significant_digits(values) == count


def test_durations_have_their_usual_form():
    assert [duration(s) for s in (8.2, 125, 3725)] == ["8 s", "2:05", "1:02:05"]


def test_labels_are_short_and_keep_both_ends():
    assert (abbreviate(0.123456), abbreviate(True), abbreviate(None), abbreviate(10**9)) == (
        "0.1235",
        "True",
        "None",
        "1000000000",
    )
    assert abbreviate("a" * 30) == "a" * 9 + "…" + "a" * 4
    assert [abbreviate(f"a_very_long_name_{k}", 12) for k in (1, 2)] == ["a_very_l…e_1", "a_very_l…e_2"]


def test_a_value_in_full_is_not_cut():
    assert (in_full(1 / 3), in_full("a" * 60), in_full(10**9)) == ("0.333333333333", "a" * 60, "1000000000")


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("a", "a"),
        ("value", "variable.value"),
        ("variable.value", "variable.variable.value"),
        ("variable.a", "variable.a"),
    ],
)
def test_a_variable_whose_name_is_taken_gets_another_column(name, column):
    assert column_name(name, ("number", "value")) == column
