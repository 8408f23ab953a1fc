from __future__ import annotations

import decimal
import math
from decimal import Decimal

import numpy as np
import pytest
from scipy.integrate import quad

from casmopolitan.core.acquisition.expected_improvement import (
    augmented_expected_improvement,
    expected_improvement,
    log_augmented_expected_improvement,
    log_expected_improvement,
    log_h,
)

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


def tail(u):
    """log h, Φ/h and φ/h at u <= -3 with 60 digits: Mills' ratio R = Φ/φ by its continued fraction, h/φ = 1 - |u| R."""
    with decimal.localcontext(prec=60):
        a = -Decimal(u)
        fraction = a
        for k in range(4000, 0, -1):
            fraction = a + k / fraction
        ratio = 1 / fraction
        h = 1 - a * ratio
        log = -a * a / 2 - (2 * PI).ln() / 2 + h.ln()
        return float(log), float(ratio / h), float(1 / h)


def integral(u):
    """h(u) = ∫ t φ(t - u) dt over t > 0, scaled where u < 0: h(u)/φ(u) = ∫ t exp(-t²/2 + u t) dt."""
    if u > 0:
        return quad(lambda t: t * math.exp(-0.5 * (t - u) ** 2) / math.sqrt(2 * math.pi), 0, u + 40, points=[u], epsabs=0)[0]
    scaled = quad(lambda t: t * math.exp(-0.5 * t * t + u * t), 0, min(40.0, 40 / max(-u, 1.0)), epsabs=0, epsrel=1e-13)[0]
    return scaled * math.exp(-0.5 * u * u) / math.sqrt(2 * math.pi)


@pytest.mark.parametrize("u", [-5.0, -8.0, -15.0, -24.999, -25.001, -30.0, -38.0, -100.0, -1234.5, -1e4, -1e5, -1e8, -1e13])
def test_log_h_and_its_ratios_are_exact_far_in_the_tail(u):
    log, share, density = (float(part[0]) for part in log_h(np.array([u])))
    exact_log, exact_share, exact_density = tail(u)
    assert log == pytest.approx(exact_log, rel=4e-16, abs=1e-12)
    assert share == pytest.approx(exact_share, rel=1e-11)
    assert density == pytest.approx(exact_density, rel=1e-11)


@pytest.mark.parametrize("u", [-6.0, -3.0, -1.001, -0.999, -0.5, 0.0, 0.7, 3.0, 10.0])
def test_log_h_agrees_with_the_integral_elsewhere(u):
    assert math.exp(float(log_h(np.array([u]))[0][0])) == pytest.approx(integral(u), rel=1e-11)


def test_log_h_rises_everywhere_and_is_smooth_over_its_seams():
    u = np.concatenate([-np.geomspace(1e6, 1e-3, 2000), np.linspace(0, 9, 200)])
    assert (np.diff(log_h(u)[0]) > 0).all()
    for seam in (-25.0, -1.0):
        below, above = log_h(np.array([seam - 1e-9, seam + 1e-9]))[0]
        assert above - below < 1e-6


@pytest.mark.parametrize("u", [-20.0, -6.0, -1.0, 0.0, 0.5, 4.0])
def test_ei_is_the_expectation_of_the_improvement(u):
    deviation = 0.3
    value = expected_improvement(np.array([-u * deviation]), np.array([deviation**2]), 0.0)[0][0]
    assert value == pytest.approx(deviation * integral(u), rel=1e-9)


def test_log_ei_is_the_logarithm_of_ei():
    mean, variance = np.array([-0.4, 0.0, 0.5, 2.0]), np.array([0.04, 1.0, 0.3, 0.25])
    value = expected_improvement(mean, variance, 0.1)[0]
    assert log_expected_improvement(mean, variance, 0.1)[0] == pytest.approx(np.log(value), rel=1e-12)


def test_log_ei_ranks_points_where_ei_is_zero():
    mean, variance = np.array([10.0, 9.0, 8.0]), np.full(3, 0.01)
    assert (expected_improvement(mean, variance, 0.0)[0] == 0).all()
    log, by_mean, by_variance = log_expected_improvement(mean, variance, 0.0)
    assert (np.diff(log) > 0).all()
    assert (by_mean < 0).all()
    assert (by_variance > 0).all()


def test_log_augmented_ei_is_its_logarithm_and_exact_where_a_point_is_known():
    mean, variance = np.linspace(-1, 1, 9), np.geomspace(0.01, 2, 9)
    whole = augmented_expected_improvement(mean, variance, 0.3, 0.1)[0]
    assert np.exp(log_augmented_expected_improvement(mean, variance, 0.3, 0.1)[0]) == pytest.approx(whole, rel=1e-12)
    known = log_augmented_expected_improvement(np.zeros(1), np.array([1e-20]), 0.0, 0.1)[0]
    assert known[0] == pytest.approx(math.log(1e-10 / math.sqrt(2 * math.pi)) + math.log(0.5 * 1e-20 / 0.1), rel=1e-12)


def test_augmented_ei_is_ei_without_noise_and_less_with_it():
    mean, variance = np.array([0.0, 0.5]), np.array([0.2, 0.5])
    plain = expected_improvement(mean, variance, 0.3)[0]
    assert augmented_expected_improvement(mean, variance, 0.3, 0.0)[0] == pytest.approx(plain)
    noisy = augmented_expected_improvement(mean, variance, 0.3, 0.1)[0]
    assert noisy == pytest.approx(plain * (1 - np.sqrt(0.1 / (0.1 + variance))))


RULES = {
    "ei": lambda m, v: expected_improvement(m, v, 0.2),
    "log-ei": lambda m, v: log_expected_improvement(m, v, 0.2),
    "augmented-ei": lambda m, v: augmented_expected_improvement(m, v, 0.2, 0.05),
    "log augmented-ei": lambda m, v: log_augmented_expected_improvement(m, v, 0.2, 0.05),
}


@pytest.mark.parametrize("name", RULES)
def test_derivatives_by_mean_and_variance_agree_with_differences(name):
    rule = RULES[name]
    mean = np.array([-1.0, 0.1, 0.2, 0.6, 1.5])
    variance = np.array([0.3, 0.05, 1.0, 0.02, 0.4])
    _, by_mean, by_variance = rule(mean, variance)
    step = 1e-6
    numeric = (rule(mean + step, variance)[0] - rule(mean - step, variance)[0]) / (2 * step)
    assert by_mean == pytest.approx(numeric, rel=1e-6, abs=1e-8)
    numeric = (rule(mean, variance * (1 + step))[0] - rule(mean, variance * (1 - step))[0]) / (2 * step * variance)
    assert by_variance == pytest.approx(numeric, rel=1e-6, abs=1e-8)


def test_slopes_of_log_ei_stay_finite_at_the_smallest_deviation_the_posterior_reports():
    log, by_mean, by_variance = log_expected_improvement(np.array([1e6, -1e6]), np.array([1e-14, 1e-14]), 0.0)
    for part in (log, by_mean, by_variance):
        assert np.isfinite(part).all()
    assert by_mean[0] == pytest.approx(-1e6 / 1e-14, rel=1e-6)
