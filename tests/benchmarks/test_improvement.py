import numpy as np

from benchmarks.improvement import improvement, log_improvement
from casmopolitan.core.acquisition.expected_improvement import expected_improvement, log_expected_improvement


def test_it_is_the_expected_improvement_of_the_core():
    mean, variance = np.linspace(-30.0, 30.0, 50), np.linspace(0.1, 2.0, 50)
    theirs, _, _ = expected_improvement(mean, variance, 1.0)
    np.testing.assert_allclose(improvement(mean, variance, 1.0), theirs, rtol=1e-9, atol=1e-15)


def test_its_logarithm_is_the_log_expected_improvement_of_the_core():
    mean, variance = np.linspace(-3.0, 60.0, 50), np.linspace(0.1, 2.0, 50)
    for ours, theirs in zip(log_improvement(mean, variance, 1.0), log_expected_improvement(mean, variance, 1.0), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)
