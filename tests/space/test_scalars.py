import enum
import math

import numpy as np
import pytest
from hypothesis import given

from casmopolitan.space.scalars import did_you_mean, did_you_mean_number, is_finite, key, listed, native, spelt
from strategies import scalars


class Colour(str, enum.Enum):  # noqa: UP042 - str() of this one is "Colour.RED"
    RED = "red"


@pytest.mark.parametrize(
    ("given_value", "expected"),
    [
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (Colour.RED, "red"),
        (None, None),
    ],
)
def test_the_native_scalar_behind_a_value_has_a_plain_python_type(given_value, expected):
    assert key(native(given_value)) == key(expected)


@given(scalars())
def test_a_plain_scalar_is_its_own_native_scalar(value):
    assert key(native(value)) == key(value)


@pytest.mark.parametrize("value", [[1], (1,), {"a": 1}, b"x", 1j, object()])
def test_what_json_cannot_say_in_one_word_is_no_scalar(value):
    with pytest.raises(TypeError):
        native(value)


def test_one_true_one_point_nought_the_word_one_and_none_are_five_identities():
    assert len({key(value) for value in (1, True, 1.0, "1", None)}) == 5


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, True, "1", None])
def test_nan_infinities_giants_and_words_are_not_finite_numbers(value):
    assert not is_finite(value)


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
    assert listed(range(3)) == "0, 1, 2"
    assert listed(range(1000)).endswith("... (1000 in all)")


def test_long_values_are_cut_and_numpy_values_shown_plainly():
    assert len(spelt("x" * 1000)) == 80
    assert spelt(np.float64(0.5)) == "0.5"
    assert spelt(10**5000) == "a very long int"


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
