import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import norm, rankdata

from casmopolitan.core.gp.targets import FAR, NEAR, copula, robust, standardising, transformed

SCHEMES = ["initial", "current", "copula", "robust"]
DIFFICULT = {
    "constant": np.full(9, 3.0),
    "zero": np.zeros(9),
    "tiny": 1e-300 * np.arange(1.0, 10.0),
    "subnormal": 5e-324 * np.arange(1.0, 10.0),
    "huge": 1e300 * np.linspace(-1.0, 1.0, 9),
    "largest": np.finfo(float).max * np.linspace(-1.0, 1.0, 9),
    "constant and huge": np.full(9, 1e300),
    "one wild value": np.append(np.linspace(0.0, 1.0, 8), 1e300),
    "one wildly good value": np.append(np.linspace(0.0, 1.0, 8), -1e300),
    "outliers": np.array([1.0, 1.1, 0.9, 1.05, -1e12, 1e12, 1e200, 1.2, 0.8]),
    "tiny, then huge": np.append(1e-300 * np.arange(1.0, 9.0), 1e300),
    "none": np.empty(0),
    "one": np.array([4.2]),
}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("y", DIFFICULT.values(), ids=list(DIFFICULT))
def test_targets_stay_finite_whatever_y_is(scheme, y):
    t, targets = transformed(y, scheme, y[:5])
    assert t.shape == y.shape
    assert np.isfinite(t).all()
    if targets.invertible:
        assert all(np.isfinite(part).all() for part in targets.invert(t, np.ones_like(t)))


@pytest.mark.parametrize("scheme", SCHEMES)
@settings(max_examples=60, deadline=None)
@given(y=arrays(float, st.integers(1, 12), elements=st.floats(allow_nan=False, allow_infinity=False)))
def test_any_finite_y_gives_finite_targets_in_the_same_order(scheme, y):
    t, _ = transformed(y, scheme, y[:4])
    assert np.isfinite(t).all()
    assert (np.diff(t[np.argsort(y, kind="stable")]) >= 0).all()


def test_standardising_by_the_initial_sample_is_the_papers_formula():
    y = np.random.default_rng(0).normal(50.0, 7.0, 30)
    t, targets = transformed(y, "initial", y[:20])
    np.testing.assert_allclose(t, (y - y[:20].mean()) / y[:20].std(), rtol=1e-12)
    mean, deviation = targets.invert(t, np.ones(30))
    np.testing.assert_allclose(mean, y, rtol=1e-12)
    np.testing.assert_allclose(deviation, y[:20].std(), rtol=1e-12)


def test_later_values_do_not_move_what_the_initial_sample_was_told():
    y = np.random.default_rng(1).standard_normal(25)
    before = transformed(y, "initial", y[:20])[0]
    after = transformed(np.append(y, 1e20), "initial", y[:20])[0]
    np.testing.assert_allclose(after[:25], before, rtol=1e-12)


def test_standardising_by_the_current_data_gives_mean_zero_and_deviation_one():
    y = np.random.default_rng(2).normal(-3.0, 4.0, 40)
    t, _ = transformed(y, "current", y[:20])
    assert t.mean() == pytest.approx(0.0, abs=1e-12)
    assert t.std() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("n_initial", [0, 1])
def test_an_initial_sample_of_fewer_than_two_gives_way_to_the_data(n_initial):
    y = np.array([1.0, 2.0, 5.0])
    np.testing.assert_allclose(transformed(y, "initial", y[:n_initial])[0], (y - y.mean()) / y.std())


def test_a_constant_sample_is_only_centred():
    assert transformed(np.full(5, 7.0), "current", np.full(5, 7.0))[0].tolist() == [0.0] * 5
    np.testing.assert_allclose(standardising(np.array([7.0, 7.0, 9.0]), np.array([7.0, 7.0])).apply(np.array([7.0])), 0.0)


@pytest.mark.parametrize("unit", [1e-300, 1e-8, 1e8, 1e300])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_unit_of_y_does_not_matter(scheme, unit):
    y = np.random.default_rng(3).standard_normal(30)
    scaled = transformed(unit * y, scheme, unit * y[:20])[0]
    np.testing.assert_allclose(scaled, transformed(y, scheme, y[:20])[0], rtol=1e-10, atol=1e-12)


def test_the_copula_is_the_normal_score_of_the_rank_with_ties_sharing_the_highest():
    y = np.array([3.0, 1.0, 2.0, 2.0, 9.0])
    np.testing.assert_allclose(copula(y), norm.ppf(np.array([4, 1, 3, 3, 5]) / 6), rtol=1e-12)
    y = np.random.default_rng(4).integers(0, 10, 50).astype(float)
    np.testing.assert_allclose(copula(y), norm.ppf(rankdata(y, "max") / 51), rtol=1e-12)


def test_the_copula_says_honestly_that_ranks_cannot_be_inverted():
    t, targets = transformed(np.array([1.0, 5.0, 2.0]), "copula", np.array([1.0]))
    assert not targets.invertible
    mean, deviation = targets.invert(t, np.ones(3))
    assert np.isnan(mean).all()
    assert np.isnan(deviation).all()


@pytest.mark.parametrize("scheme", ["initial", "current", "robust"])
def test_inverting_gives_back_y(scheme):
    y = np.append(np.random.default_rng(5).normal(10.0, 2.0, 30), [35.0, 400.0])
    t, targets = transformed(y, scheme, y[:20])
    np.testing.assert_allclose(targets.invert(t, np.ones(32))[0], y, rtol=1e-10)


@pytest.mark.parametrize("numbers", [False, True])
def test_robust_targets_use_the_samples_median_and_compress_only_the_bad_tail(numbers):
    y = np.append(np.random.default_rng(6).standard_normal(100), [-5.0, 50.0, 1e6])
    knee, median = NEAR if numbers else FAR, np.median(y[:20])
    t = robust(y, y[:20], numbers).apply(y)
    scaling = y if numbers else y[:20]
    deviation = 1.4826 * np.median(np.abs(scaling - np.median(scaling)))
    plain = (y - median) / deviation
    np.testing.assert_allclose(t[plain <= knee], plain[plain <= knee], rtol=1e-12)
    np.testing.assert_allclose(t[-2:], knee + np.log1p(plain[-2:] - knee), rtol=1e-12)
    assert t[-1] < 20.0


def test_good_values_found_later_do_not_raise_what_is_expected_of_unknown_places():
    first = np.random.default_rng(9).normal(10.0, 1.0, 20)
    later = np.append(first, np.linspace(1.0, 1.1, 60))
    zero, _ = robust(later, first).invert(np.zeros(1), np.ones(1))
    np.testing.assert_allclose(zero, np.median(first), rtol=1e-12)


def test_closing_in_on_one_optimum_does_not_change_the_scale_of_choices():
    first = np.random.default_rng(10).normal(10.0, 2.0, 12)
    later = np.append(first, 6.0 + 1e-4 * np.random.default_rng(11).standard_normal(80))
    before, after = (robust(y, first).apply(first).std() for y in (first, later))
    assert after == pytest.approx(before, rel=0.3)
    assert robust(later, first, numbers=True).apply(first).std() > 30 * before


@pytest.mark.parametrize("sampled", [10, 96])
def test_a_few_values_far_better_than_the_dead_ones_set_the_unit(sampled):
    rng = np.random.default_rng(12)
    y = np.append(0.003 * rng.standard_normal(96), [-2.0, -4.0, -8.0])
    assert -30.0 < robust(y, y[:sampled]).apply(y).min() < -3.0


def test_a_sample_of_equal_values_leaves_the_scale_to_the_data():
    y = np.append(np.zeros(10), np.random.default_rng(13).normal(0.0, 5.0, 30))
    assert 0.5 < robust(y, y[:10]).apply(y).std() < 2.0


@pytest.mark.parametrize("wild", [1e6, 1e15, 1e300])
def test_one_wild_value_does_not_flatten_the_rest(wild):
    y = np.random.default_rng(7).standard_normal(30)
    assert robust(np.append(y, wild), y).apply(y).std() == pytest.approx(robust(y, y).apply(y).std(), rel=0.3)


@pytest.mark.parametrize("numbers", [False, True])
def test_beyond_the_knee_the_deviation_is_carried_by_the_slope_of_the_inverse(numbers):
    y = np.random.default_rng(8).standard_normal(50)
    targets = robust(y, y, numbers)
    mean, step = np.array([targets.knee + 2.0]), 1e-6
    up, down = (targets.invert(mean + sign * step, np.zeros(1))[0] for sign in (1, -1))
    _, deviation = targets.invert(mean, np.ones(1))
    np.testing.assert_allclose(deviation, (up - down) / (2 * step), rtol=1e-6)


def test_a_mean_beyond_the_largest_float_comes_back_as_the_nearest_one():
    y = 1e300 * np.linspace(-1, 1, 9)
    _, targets = transformed(y, "current", y)
    mean, deviation = targets.invert(np.array([1e20, -1e20]), np.array([1e20, 1.0]))
    assert mean.tolist() == [np.finfo(float).max, -np.finfo(float).max]
    assert np.isfinite(deviation).all()


def test_a_mean_worse_than_everything_seen_stays_within_reach_of_it():
    y = np.array([0.0, 1.0, 2.0, 3.0, 1e6])
    t, targets = transformed(y, "robust", y, numbers=True)
    back, deviation = targets.invert(np.array([t[-1], t[-1] + 200.0]), np.array([0.1, 0.1]))
    assert back[0] == pytest.approx(1e6)
    assert 1e6 < back[1] < 3e6
    assert deviation[1] < 1e6
    np.testing.assert_allclose(targets.invert(t, np.zeros(5))[0], y, rtol=1e-9, atol=1e-9)
