import enum
import math

import numpy as np
import pytest
from hypothesis import given

from casmopolitan.scalars import is_finite, key, native
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
