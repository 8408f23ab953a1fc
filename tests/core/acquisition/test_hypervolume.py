from __future__ import annotations

import numpy as np
import pytest

from casmopolitan.core.acquisition import hypervolume as module
from casmopolitan.core.acquisition.hypervolume import HypervolumeImprovement
from casmopolitan.core.front import boxes, hypervolume, non_dominated

FRONTS = {
    2: np.array([[0.0, 2.0], [0.5, 1.0], [1.5, 0.2]]),
    3: np.array([[0.0, 2.0, 1.0], [0.5, 1.0, 1.2], [1.5, 0.2, 0.4], [1.0, 1.5, 0.1]]),
}


def rule(m):
    return HypervolumeImprovement.of(*boxes(FRONTS[m], np.full(m, 2.5)))


@pytest.mark.parametrize("m", [2, 3])
def test_ehvi_is_the_expected_volume_of_what_a_draw_dominates_and_the_front_does_not(m):
    """Monte Carlo: a volume times the share of its random points that a draw dominates, but no point of the front."""
    rng, low, high, n = np.random.default_rng(0), -3.0, 2.5, 400_000
    mean, variance = np.array([[0.4, 1.2, 2.0]] * m), np.array([[0.3, 0.05, 1.0]] * m)
    value = np.exp(rule(m)(mean, variance)[0])
    for k in range(3):
        points = rng.uniform(low, high, (n, m))
        free = ~(FRONTS[m][:, None] <= points).all(axis=2).any(axis=0)
        draws = mean[:, k] + np.sqrt(variance[:, k]) * rng.standard_normal((n, m))
        share = (free & (draws <= points).all(axis=1)).mean()
        error = np.sqrt(share / n) * (high - low) ** m
        assert value[k] == pytest.approx(share * (high - low) ** m, abs=5 * error)


@pytest.mark.parametrize("m", [2, 3])
def test_ehvi_of_a_certain_point_is_how_much_it_adds(m):
    """The boxes enumerated: without variance, each adds the volume between the point and its upper corner."""
    reference, before = np.full(m, 2.5), hypervolume(FRONTS[m], np.full(m, 2.5))
    for point in np.random.default_rng(1).uniform(-0.5, 2.4, (30, m)):
        added = hypervolume(np.vstack([FRONTS[m], point]), reference) - before
        value = float(np.exp(rule(m)(point[:, None], np.full((m, 1), 1e-14))[0][0]))
        assert value == pytest.approx(added, abs=1e-5)


@pytest.mark.parametrize("m", [2, 3])
def test_its_derivatives_are_those_of_finite_differences(m):
    rng = np.random.default_rng(2)
    mean, variance = rng.uniform(-1.0, 4.0, (m, 12)), rng.uniform(0.05, 1.5, (m, 12))
    _, by_mean, by_variance = rule(m)(mean, variance)
    for j in range(m):
        step = np.zeros((m, 1))
        step[j] = 1e-5
        slope = (rule(m)(mean + step, variance)[0] - rule(m)(mean - step, variance)[0]) / 2e-5
        np.testing.assert_allclose(by_mean[j], slope, rtol=1e-4, atol=1e-6)
        slope = (rule(m)(mean, variance + step)[0] - rule(m)(mean, variance - step)[0]) / 2e-5
        np.testing.assert_allclose(by_variance[j], slope, rtol=1e-4, atol=1e-6)


def test_far_from_the_front_the_logarithm_is_finite_and_still_has_a_slope():
    value, by_mean, by_variance = rule(2)(np.array([[60.0], [80.0]]), np.array([[0.5], [0.5]]))
    assert np.isfinite(value).all()
    assert (value < -1000.0).all()
    assert (by_mean < 0.0).all()
    assert (by_variance > 0.0).all()


def test_the_order_of_objectives_does_not_matter():
    mean, variance = np.array([[0.3, 2.0], [0.7, -1.0]]), np.array([[0.2, 0.5], [0.9, 0.1]])
    swapped = HypervolumeImprovement.of(*boxes(FRONTS[2][:, ::-1], np.full(2, 2.5)))
    np.testing.assert_allclose(swapped(mean[::-1], variance[::-1])[0], rule(2)(mean, variance)[0], rtol=1e-10)


def test_parts_of_any_size_give_the_same_values(monkeypatch):
    rng = np.random.default_rng(3)
    mean, variance = rng.standard_normal((3, 50)), rng.uniform(0.1, 1.0, (3, 50))
    whole = rule(3)(mean, variance)
    monkeypatch.setattr(module, "ENTRIES", 40)
    for part, expected in zip(rule(3)(mean, variance), whole, strict=True):
        np.testing.assert_allclose(part, expected, rtol=1e-12)


def test_the_fronts_of_these_tests_are_fronts():
    assert all(non_dominated(front).all() for front in FRONTS.values())
