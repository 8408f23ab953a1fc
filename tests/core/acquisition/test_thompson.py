from __future__ import annotations

import numpy as np
import pytest

from casmopolitan.core.acquisition.thompson import thompson
from casmopolitan.core.points import stack


def test_a_draw_follows_the_posterior_with_its_sign_turned(domain, posterior):
    points = domain.draw(4, np.random.default_rng(0))
    draws = np.array([thompson(posterior, points, np.random.default_rng(i)) for i in range(1500)])
    mean, variance = posterior.moments(points)
    assert draws.mean(0) == pytest.approx(-mean, abs=0.12)
    assert draws.std(0) == pytest.approx(np.sqrt(variance), rel=0.1)


def test_one_draw_agrees_with_itself_at_repeated_points(domain, posterior):
    points = domain.draw(3, np.random.default_rng(0))
    draw = thompson(posterior, stack([points, points]), np.random.default_rng(1))
    assert draw[:3] == pytest.approx(draw[3:], abs=1e-5)


def test_equal_generators_give_equal_draws(domain, posterior):
    points = domain.draw(3, np.random.default_rng(0))
    one, two = (thompson(posterior, points, np.random.default_rng(7)) for _ in range(2))
    assert one.tolist() == two.tolist()
