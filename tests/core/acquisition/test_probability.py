from __future__ import annotations

import numpy as np
from scipy.stats import norm

from casmopolitan.core.acquisition.probability import log_probability_below

MEAN, VARIANCE = np.array([-3.0, 0.0, 0.5, 4.0, 30.0]), np.array([0.5, 1.0, 0.2, 2.0, 0.3])


def test_it_is_the_logarithm_of_the_normal_distribution():
    value, _, _ = log_probability_below(MEAN, VARIANCE, 0.7)
    np.testing.assert_allclose(value, norm.logcdf(0.7, MEAN, np.sqrt(VARIANCE)), rtol=1e-12)


def test_its_derivatives_are_those_of_finite_differences():
    _, by_mean, by_variance = log_probability_below(MEAN, VARIANCE, 0.7)
    up, down = (log_probability_below(MEAN + d, VARIANCE, 0.7)[0] for d in (1e-6, -1e-6))
    np.testing.assert_allclose(by_mean, (up - down) / 2e-6, rtol=1e-4, atol=1e-8)
    up, down = (log_probability_below(MEAN, VARIANCE + d, 0.7)[0] for d in (1e-6, -1e-6))
    np.testing.assert_allclose(by_variance, (up - down) / 2e-6, rtol=1e-4, atol=1e-8)


def test_it_has_a_slope_where_the_probability_underflows():
    value, by_mean, _ = log_probability_below(np.array([1e6]), np.array([1e-4]), 0.0)
    assert np.isfinite(value).all()
    assert np.isfinite(by_mean).all()
    assert (by_mean < 0.0).all()
