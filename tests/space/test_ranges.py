import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casmopolitan.errors import MisfitError
from casmopolitan.space import NARROW, Integer, Real
from strategies import integers, reals_with_digits, stepped_reals


@given(integers() | stepped_reals() | reals_with_digits(), st.data())
def test_every_value_is_found_again_by_its_number(variable, data):
    assert variable.problems() == []
    k = data.draw(st.integers(0, variable.count - 1))
    assert variable.index(variable.at(k)) == k
    assert variable.low <= variable.at(k) <= variable.high


def test_the_last_integer_is_the_last_grid_value_not_above_high():
    variable = Integer(1, 10, step=4)
    assert [variable.at(k) for k in range(variable.count)] == [1, 5, 9]


def test_the_last_real_is_the_last_grid_value_not_above_high():
    variable = Real(0, 1, step=0.3)
    assert [variable.at(k) for k in range(variable.count)] == [0.0, 0.3, 0.6, 0.9]


def test_stepped_reals_are_clean_decimals():
    variable = Real(0, 1, step=0.1)
    assert [variable.at(k) for k in range(variable.count)] == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]


def test_a_third_three_times_reaches_one():
    variable = Real(0, 1, step=1 / 3)
    assert variable.count == 4
    assert variable.at(3) == 1.0


def test_a_computed_grid_value_is_the_clean_one():
    assert Real(0, 1, step=0.1).read(0.1 * 3) == 0.3


@pytest.mark.parametrize(("value", "read"), [(0.4531219488014683, 0.45), (0.0518, 0.052), (0.05, 0.05), (0.996, 1.0)])
def test_a_number_with_more_digits_is_read_as_the_nearest_value(value, read):
    assert Real(0.05, 1.0, log=True, digits=2).read(value) == read


@pytest.mark.parametrize(
    ("variable", "words"),
    [
        (Real(0, 1, step=0.1, digits=2), "has a step and digits=2; give one of the two"),
        (Real(0, 1, digits=0), "it must be a whole number from 1 to 15"),
        (Real(0, 1, digits=2.5), "it must be a whole number from 1 to 15"),
        (Real(0, 1, digits=True), "it must be a whole number from 1 to 15"),
        (Real(0.41, 0.44, digits=1), "fewer than two values with 1 significant digit between 0.41 and 0.44; raise digits"),
        (Real(1e-300, 1, log=True, digits=2), "take units without such extreme powers of ten"),
    ],
)
def test_bad_digits_are_named_with_the_rule_and_the_fix(variable, words):
    assert words in "\n".join(variable.problems())


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        (Integer(1, 8), 9, "it takes an int from 1 to 8. The nearest is 8"),
        (Integer(1, 8), 3.0, "Did you mean 3?"),
        (Integer(1, 8), "3", "Did you mean 3?"),
        (Integer(0, 8), True, r"got True \(a bool\)"),
        (Integer(1, 8), math.nan, "got nan"),
        (Integer(1, 8), 10**400, "The nearest is 8"),
        (Integer(0, 10, step=5), 4, "in steps of 5. The nearest is 5"),
        (Real(0, 1), 1.5, "it takes a number from 0.0 to 1.0"),
        (Real(0, 1), math.nan, "got nan"),
        (Real(0, 1), 10**400, "it takes a number from 0.0 to 1.0"),
        (Real(0, 1), True, r"got True \(a bool\)"),
        (Real(0, 1), "0.5", "Did you mean 0.5?"),
        (Real(0, 1), None, "got None"),
        (Real(0, 1, step=0.1), 0.33, "in steps of 0.1. The nearest is 0.3"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_the_law(variable, value, words):
    with pytest.raises(MisfitError, match=words):
        variable.read(value)


@pytest.mark.parametrize(
    ("variable", "words"),
    [
        (Integer(8, 1), "Did you mean low 1 and high 8?"),
        (Integer(0.5, 1), "has low 0.5; it must be an int"),
        (Integer(0, True), "has high True; it must be an int"),
        (Integer(0, 5, step=0), "a step must be above 0"),
        (Integer(0, 5, step=9), "longer than its range"),
        (Integer(0, 5, log=True), "needs low above 0"),
        (Integer(1, 5, log=1), "must be True or False"),
        (Integer(0, 2**60), "finer than floats can represent: bounds are at most 2**48 steps"),
        (Integer(1, 2**45, log=True), "finer than floats can represent: bounds are at most 2**40 steps"),
        (Integer(0, 10**400, step=10**390), "finer than floats can represent"),
        (Real(1, 0), "Did you mean low 0.0 and high 1.0?"),
        (Real(0, math.nan), "has high nan; it must be a finite number"),
        (Real(-math.inf, 0), "has low -inf; it must be a finite number"),
        (Real("0", 1), "has low '0'; it must be a finite number"),
        (Real("0,1", 1), "has low '0,1'; it must be a finite number, with a decimal point: 0.1"),
        (Real(0, 1, step=-1), "a step must be above 0"),
        (Real(0, 1, step=math.inf), "has step inf"),
        (Real(0, 1, step=2), "longer than its range"),
        (Real(0, 1, log=True), "needs low above 0"),
        (Real(-1e308, 1e308), "too wide for a float"),
        (Real(0, 1, step=1e-16), "finer than floats can represent"),
    ],
)
def test_bad_bounds_are_named_with_the_law_and_the_way_out(variable, words):
    (problem,) = variable.problems()
    assert words in problem


def test_all_problems_of_a_variable_are_found_at_once():
    assert len(Real(-1, math.nan, step=0.0, log=True).problems()) == 3


def test_numpy_bounds_become_native():
    assert Integer(np.int64(1), np.int64(8)) == Integer(1, 8)
    assert type(Integer(np.int64(1), 8).low) is int
    assert Real(np.float32(0.5), 1) == Real(0.5, 1.0)
    assert type(Real(0, 1).low) is float


def test_narrowness_is_decided_by_the_number_of_values():
    assert Integer(1, NARROW).narrow
    assert not Integer(0, NARROW).narrow
    assert Integer(0, 5 * NARROW - 1, step=5).narrow


def test_a_real_without_a_step_has_no_numbers():
    with pytest.raises(TypeError, match=r"no grid"):
        Real(0, 1).index(0.5)
    with pytest.raises(TypeError, match=r"no grid"):
        Real(0, 1).at(0)


def test_a_repr_reads_like_the_declaration():
    assert repr(Integer(1, 8)) == "Integer(1, 8)"
    assert repr(Integer(1, 9, step=2, log=True)) == "Integer(1, 9, step=2, log=True)"
    assert repr(Real(1e-5, 0.1, log=True)) == "Real(1e-05, 0.1, log=True)"
    assert repr(Real(0, 1, step=0.1)) == "Real(0.0, 1.0, step=0.1)"
