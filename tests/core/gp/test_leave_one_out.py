"""Predictions of each datum from the others, against models without it."""

from __future__ import annotations

import numpy as np
import pytest

from casmopolitan.core.gp.leave_one_out import leave_one_out, predicted_share
from casmopolitan.core.gp.posterior import Posterior, condition


def test_the_predictions_are_those_of_models_conditioned_without_each_datum(any_problem):
    p = any_problem
    whole = condition(p.domain, p.kernel, p.theta, p.points, p.y)
    assert isinstance(whole, Posterior)
    found, n = leave_one_out(whole), len(p.y)
    means, from_mean = [], []
    for i in range(n):
        others = np.arange(n) != i
        without = condition(p.domain, p.kernel, p.theta, p.points[others], p.y[others])
        assert isinstance(without, Posterior)
        mean, variance = without.moments(p.points[i])
        assert found.mean[i] == pytest.approx(mean[0], rel=1e-6, abs=1e-8)
        assert found.variance[i] == pytest.approx(variance[0] + p.hyper.noise, rel=1e-6)
        means.append(mean[0])
        from_mean.append(p.y[i] - p.y[others].mean())
    expected = 1 - np.sum((p.y - means) ** 2) / np.sum(np.square(from_mean))
    assert predicted_share(whole) == pytest.approx(expected, rel=1e-6)
