from __future__ import annotations

import numpy as np
import pytest

from casmopolitan.core.front import non_dominated
from casmopolitan.core.outcomes import PLAIN, Limit, Outcomes, excess_units, layers

LIMITED = Outcomes(1, 2, (Limit(1, 1.0, 10.0), Limit(2, -1.0, -3.0)))
"""value[1] <= 10 and value[2] >= 3."""
TWO = Outcomes(2)
SAMPLE = np.array([[0.0, 12.0, 2.0], [0.0, 8.0, 4.0]])


def test_one_objective_without_limits_is_plain():
    assert PLAIN.plain
    assert not LIMITED.plain
    assert not TWO.plain


def test_excesses_are_at_or_below_zero_where_a_limit_is_met():
    values = LIMITED.array([(1.0, 10.0, 3.0), (1.0, 12.0, 2.5), (1.0, None, 9.0)])
    np.testing.assert_array_equal(LIMITED.excesses(values), [[0.0, 0.0], [2.0, 0.5], [np.nan, -6.0]])
    assert LIMITED.feasible(values).tolist() == [True, False, False]


def test_a_candidate_is_feasible_and_has_every_objective():
    values = LIMITED.array([(1.0, 5.0, 5.0), (None, 5.0, 5.0), (1.0, None, 5.0), (1.0, 11.0, 5.0)])
    assert LIMITED.candidates(values).tolist() == [True, False, False, False]


def test_the_violation_is_the_sum_of_logarithms_in_units_of_the_sample():
    assert excess_units(LIMITED.excesses(SAMPLE)).tolist() == [2.0, 1.0]
    values = LIMITED.array([(0.0, 14.0, 1.0), (0.0, 9.0, 4.0), (0.0, None, 4.0)])
    np.testing.assert_allclose(LIMITED.violations(values, SAMPLE), [np.log1p(4 / 2) + np.log1p(2 / 1), 0.0, np.inf])


def test_huge_values_have_finite_excesses_and_violations():
    values = LIMITED.array([(0.0, 1e308, -1e308), (0.0, -1e308, 1e308)])
    huge = Outcomes(1, 2, (Limit(1, 1.0, -1e308), Limit(2, -1.0, 1e308)))
    assert np.isfinite(huge.excesses(values)).all()
    assert np.isfinite(huge.violations(values, values * 1e-300)).all()


def test_a_unit_is_one_without_a_sample():
    assert excess_units(np.array([[0.0, np.nan], [0.0, np.nan]])).tolist() == [1.0, 1.0]


def test_merits_put_feasible_trials_first_and_then_small_violations():
    values = LIMITED.array([(5.0, 9.0, 4.0), (1.0, 9.0, 4.0), (0.0, 30.0, 4.0), (0.0, 11.0, 4.0), (5.0, 8.0, 4.0)])
    assert LIMITED.merits(values, SAMPLE).tolist() == [1.0, 0.0, 3.0, 2.0, 1.0]


def test_merits_of_several_objectives_are_fronts():
    values = np.array([[0.0, 3.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [np.nan, 0.0]])
    assert layers(values, np.array([True, True, True, True, False])).tolist() == [0.0, 0.0, 1.0, 2.0, np.inf]
    assert TWO.merits(values, values).tolist() == [0.0, 0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("new", "before", "better"),
    [
        ((9.0, 11.0, 4.0), [(0.0, 12.0, 4.0)], True),  # a smaller violation
        ((0.0, 12.0, 4.0), [(9.0, 11.0, 4.0)], False),
        ((9.0, 9.0, 4.0), [(0.0, 11.0, 4.0)], True),  # the first that is feasible
        ((0.0, 11.0, 4.0), [(9.0, 9.0, 4.0)], False),  # infeasible after that
        ((8.0, 9.0, 4.0), [(9.0, 9.0, 4.0)], True),
        ((9.0, 9.0, 4.0), [(9.0, 9.0, 4.0)], False),
        ((8.0, None, 4.0), [(9.0, 9.0, 4.0)], False),  # not known to be feasible
        ((None, 9.0, 4.0), [(9.0, 9.0, 4.0)], False),
        ((9.0, 12.0, 4.0), [], True),
    ],
)
def test_a_success_is_less_violation_until_feasible_and_then_a_better_value(new, before, better):
    assert LIMITED.improves(new, LIMITED.array(before), SAMPLE) == better


def test_a_margin_asks_for_more_than_a_better_value():
    assert not LIMITED.improves((8.999, 9.0, 4.0), LIMITED.array([(9.0, 9.0, 4.0)]), SAMPLE, margin=0.01)


@pytest.mark.parametrize(
    ("new", "better"),
    [
        ((0.5, 0.5), True),
        ((1.0, 1.0), False),
        ((2.0, 2.0), False),
        ((-1.0, 2.05), True),
        ((-1.0, 9.0), False),
        ((0.0, 2.0), False),
    ],
)
def test_several_objectives_succeed_if_the_hypervolume_grows(new, better):
    before = np.array([[0.0, 2.0], [1.0, 1.0], [2.0, 0.0]])
    assert TWO.improves(new, before, before) == better


def test_a_given_reference_point_decides_what_counts():
    before = np.array([[0.0, 2.0], [1.0, 1.0], [2.0, 0.0]])
    assert Outcomes(2, reference=(10.0, 10.0)).improves((-1.0, 9.0), before, before)


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_layers_are_the_fronts_that_are_left_when_earlier_ones_are_taken_away(m):
    rng = np.random.default_rng(0)
    for _ in range(30):
        values = rng.integers(0, 6, (20, m)).astype(float)
        left, expected = rng.random(20) < 0.8, np.full(20, np.inf)
        among, number = left.copy(), 0.0
        while left.any():
            at = np.flatnonzero(left)
            front = at[non_dominated(values[at])]
            expected[front], left[front], number = number, False, number + 1.0
        assert layers(values, among).tolist() == expected.tolist()
