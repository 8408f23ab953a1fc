import numpy as np
import pytest

from casmopolitan import Categorical, Integer, Ordinal, Real, Space, SpaceError
from casmopolitan.space.when import When


@pytest.mark.parametrize("make", [lambda **k: Categorical(["a", "b"], **k), lambda **k: Ordinal([1, 2], **k),
                                  lambda **k: Integer(1, 9, **k), lambda **k: Real(0.0, 1.0, **k)])  # fmt: skip
def test_every_kind_of_variable_takes_a_condition(make):
    one, listed, other = make(when={"m": "x"}), make(when={"m": ["x"]}), make(when={"m": ("x", "y")})
    assert one == listed
    assert hash(one) == hash(listed)
    assert one != other
    assert one != make()
    assert "when={'m': 'x'}" in repr(one)
    assert "when={'m': ['x', 'y']}" in repr(other)
    assert "when" not in repr(make())


def test_conditions_distinguish_values_by_type():
    assert When({"m": 1}) != When({"m": True})
    assert When({"m": [1, 2]}) == When({"m": (2, np.int64(1))})
    assert str(When({"m": ["a", "b"], "n": 1})) == "'m' is 'a' or 'b' and 'n' is 1"


@pytest.mark.parametrize(
    ("when", "text"),
    [
        ("svm", "has when='svm'; give a dict"),
        ({}, "has an empty condition"),
        ({"m": []}, "lists no value of 'm'"),
        ({"m": [object]}, "is a type"),
        ({3: "a"}, "3 is not a name"),
    ],
)
def test_a_condition_that_is_none_is_explained(when, text):
    with pytest.raises(SpaceError, match="Real 'x'") as raised:
        Space({"m": Categorical(["a", "b"]), "x": Real(0.0, 1.0, when=when)})
    assert text in str(raised.value)
