from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casmopolitan.space.decimal_grid import LINEAR_LIMIT, LOG_LIMIT, DecimalGrid, positions, ranks, resolution_problems


@given(st.integers(-1000, 1000), st.integers(1, 50), st.integers(1, 10**4), st.integers(0, 6))
def test_a_grid_value_is_the_float_nearest_to_its_decimal(first, pace, steps, digits):
    low, step, high = (float(Fraction(n, 10**digits)) for n in (first, pace, first + steps * pace))
    grid = DecimalGrid.of(low, high, step)
    assert grid.count == steps + 1
    k = steps // 2
    assert grid.at(k) == float(Fraction(first + k * pace, 10**digits))
    assert grid.nearest(grid.at(k)) == k


def test_a_value_between_grid_values_is_off_the_grid():
    grid = DecimalGrid.of(0.0, 1.0, 0.25)
    assert grid.nearest(0.3) is None
    assert grid.nearest(0.25 + 1e-8) == 1
    assert grid.nearest(1.25) is None


def test_numbers_lie_in_proportion_to_their_differences():
    np.testing.assert_allclose(positions([1, 2, 5], log=False), [0, 0.25, 1])


def test_numbers_on_a_log_scale_lie_in_proportion_to_their_ratios():
    np.testing.assert_allclose(positions([1, 10, 1000], log=True), [0, 1 / 3, 1])


def test_large_and_near_numbers_keep_their_distances():
    big = 10**20
    np.testing.assert_allclose(positions([big, big + 1, big + 4], log=False), [0, 0.25, 1])
    np.testing.assert_allclose(positions([big, big + 1, big + 4], log=True), [0, 0.25, 1])
    np.testing.assert_allclose(positions([1e-300, 1.0, 1e300], log=True), [0, 0.5, 1])


def test_labels_lie_by_rank():
    np.testing.assert_allclose(ranks(5), [0, 0.25, 0.5, 0.75, 1])


@pytest.mark.parametrize(("limit", "log"), [(LINEAR_LIMIT, False), (LOG_LIMIT, True)])
def test_a_grid_at_the_limit_is_carried_and_one_beyond_is_not(limit, log):
    assert resolution_problems(1, limit, 1, log) == []
    assert len(resolution_problems(1, limit + 1, 1, log)) == 1
