from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casmopolitan.core.significant_digits import SignificantDigits

RANGES = [
    (0.05, 1.0, 2),
    (0.0, 1.0, 2),
    (-1.0, 1.0, 1),
    (0.123, 9.8, 3),
    (1e-4, 1e3, 2),
    (-5.0, -0.2, 2),
    (0.0, 0.3, 1),
    (-2.0, 70.0, 2),
]


def listed(low, high, digits):
    """Every m 10^e of the range, written from the definition; in a range with 0, e stops at the declared smallest decade."""
    low, high = Decimal(repr(low)), Decimal(repr(high))
    sizes = sorted(abs(bound) for bound in (low, high))
    top, bottom = sizes[1].adjusted(), sizes[0].adjusted() if low * high > 0 else sizes[1].adjusted() - digits
    found = {Decimal(0)} if low <= 0 <= high else set()
    for e in range(bottom - digits + 1, top + 1):
        for m in range(1, 10**digits):
            value = Decimal(m).scaleb(e)
            found |= {v for v in (value, -value) if low <= v <= high}
    return sorted(float(value) for value in found)


@pytest.mark.parametrize("case", RANGES)
def test_the_numbers_are_those_with_the_digits(case):
    numbers, expected = SignificantDigits(*case), listed(*case)
    assert numbers.count == len(expected)
    assert [numbers.exactly_at(k) for k in range(numbers.count)] == expected
    np.testing.assert_allclose(numbers.at(np.arange(numbers.count)), expected, rtol=1e-15, atol=0)


@pytest.mark.parametrize("case", RANGES)
def test_a_value_has_the_index_of_the_nearest_number(case):
    numbers, expected = SignificantDigits(*case), np.array(listed(*case))
    values = np.random.default_rng(0).uniform(case[0], case[1], 500)
    nearest = np.abs(values[:, None] - expected).min(axis=1)
    np.testing.assert_allclose(np.abs(expected[numbers.index(values)] - values), nearest, rtol=1e-9, atol=1e-15)


@given(st.integers(-250, 250), st.integers(0, 30), st.integers(1, 15), st.floats(1, 9.99), st.floats(1, 9.99), st.data())
def test_every_number_is_found_again_by_its_index(e, decades, digits, m1, m2, data):
    low, high = sorted((float(f"{m1!r}e{e}"), float(f"{m2!r}e{e + decades}")))
    numbers = SignificantDigits(low, high, digits)
    if numbers.count:
        k = data.draw(st.integers(0, numbers.count - 1))
        value = numbers.exactly_at(k)
        assert low <= value <= high
        assert numbers.nearest(value) == k
        assert len(Decimal(repr(value)).normalize().as_tuple().digits) <= digits
        assert numbers.index(numbers.at(np.array([k]))) == k


def test_a_range_between_two_numbers_has_none():
    assert SignificantDigits(0.41, 0.44, 1).count == 0
