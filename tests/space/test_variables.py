import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casmopolitan.core.points import Axis
from casmopolitan.space import NARROW, Categorical, Integer, Ordinal, Real
from casmopolitan.space.variables import axis_of, columns, is_discrete, positions_of
from strategies import integers, stepped_reals


@pytest.mark.parametrize(
    ("variable", "discrete"),
    [
        (Categorical(["a", "b"]), True),
        (Ordinal([1, 2]), True),
        (Integer(1, NARROW), True),
        (Integer(0, NARROW), False),
        (Real(0, 1, step=0.5), False),
        (Real(0, 1), False),
    ],
)
def test_narrow_integers_and_ordinals_are_discrete_and_wide_integers_and_reals_continuous(variable, discrete):
    assert is_discrete(variable) is discrete


def test_columns_are_named_in_order_and_constants_have_none():
    variables = {"x": Real(0, 1), "a": Categorical(["u", "v"]), "one": Integer(2, 2), "n": Integer(0, 99), "b": Integer(0, 3)}
    assert columns(variables) == (["a", "b"], ["x", "n"])


def test_a_categorical_variable_has_no_positions():
    assert positions_of(Categorical(["a", "b"])) is None


@pytest.mark.parametrize(
    ("variable", "expected"),
    [
        (Ordinal([1, 2, 5]), [0, 0.25, 1]),
        (Ordinal([1, 10, 100], log=True), [0, 0.5, 1]),
        (Ordinal(["low", "mid", "high"]), [0, 0.5, 1]),
        (Ordinal([None, 1, 7]), [0, 0.5, 1]),
        (Integer(2, 10, step=4), [0, 0.5, 1]),
        (Integer(1, 4, log=True), np.log([1, 2, 3, 4]) / np.log(4)),
    ],
)
def test_the_positions_of_ordered_values_are_their_distances(variable, expected):
    np.testing.assert_allclose(positions_of(variable), expected, atol=1e-15)


def test_an_axis_ends_at_the_last_grid_value():
    assert axis_of(Integer(1, 100, step=4)) == Axis(1.0, 97.0, 4.0)
    assert axis_of(Real(0, 1, step=0.3)) == Axis(0.0, 0.9, 0.3)
    assert axis_of(Real(1, 10, log=True)) == Axis(1.0, 10.0, None, log=True)


@given(integers() | stepped_reals(), st.data())
def test_axis_and_variable_agree_on_the_number_of_values_and_on_each(variable, data):
    axis = axis_of(variable)
    assert axis.count == variable.count
    k = np.array([data.draw(st.integers(0, variable.count - 1)), 0, variable.count - 1])
    np.testing.assert_array_equal(axis.index(axis.at(k)), k)
    np.testing.assert_allclose(axis.value(axis.at(k)), [variable.at(int(i)) for i in k], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "variable",
    [
        Integer(-(2**48), 2**48),
        Integer(2**48 - 100, 2**48),
        Integer(0, 2**48 * 10**6, step=10**6),
        Real(-(2.0**48), 2.0**48, step=1.0),
        Real(0, 0.1 * 2**47, step=0.1),
        Real(2.0**47, 2.0**47 + 1000, step=1.0),
        Integer(1, 2**40, log=True),
        Integer(2**40 - 1000, 2**40, log=True),
        Real(1e-300, 1e-300 * 2**39, step=1e-300, log=True),
        Real(1e-3, 1e9, step=1e-3, log=True),
    ],
)
def test_every_value_of_the_longest_grids_survives_the_unit_interval(variable):
    assert variable.problems() == []
    axis, count = axis_of(variable), variable.count
    assert axis.count == count
    near_ends = np.arange(min(500, count))
    k = np.concatenate([near_ends, count - 1 - near_ends, np.random.default_rng(0).integers(0, count, 5000)])
    np.testing.assert_array_equal(axis.index(axis.at(k)), k)
    assert all(variable.index(variable.at(int(i))) == i for i in k[::10])
