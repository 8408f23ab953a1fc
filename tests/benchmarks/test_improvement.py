import numpy as np

from benchmarks.improvement import log_improvement
from casmopolitan.core.acquisition.expected_improvement import log_expected_improvement


def test_it_is_the_log_expected_improvement_of_the_core():
    mean, variance = np.linspace(-3.0, 60.0, 50), np.linspace(0.1, 2.0, 50)
    for ours, theirs in zip(log_improvement(mean, variance, 1.0), log_expected_improvement(mean, variance, 1.0), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)
