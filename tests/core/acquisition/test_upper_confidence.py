from __future__ import annotations

import numpy as np
import pytest

from casmopolitan.core.acquisition.upper_confidence import upper_confidence


def test_a_low_mean_and_a_high_deviation_are_both_attractive():
    value, _, _ = upper_confidence(np.array([0.0, -1.0, 0.0]), np.array([1.0, 1.0, 4.0]), 1.96)
    assert value == pytest.approx([1.96, 2.96, 3.92])


def test_derivatives_agree_with_differences():
    mean, variance, step = np.array([0.3, -1.0]), np.array([0.5, 0.01]), 1e-7
    _, by_mean, by_variance = upper_confidence(mean, variance, 1.5)
    assert by_mean.tolist() == [-1.0, -1.0]
    up, down = (upper_confidence(mean, variance + s, 1.5)[0] for s in (step, -step))
    assert by_variance == pytest.approx((up - down) / (2 * step), rel=1e-6)
