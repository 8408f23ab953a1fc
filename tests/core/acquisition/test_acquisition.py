from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from casmopolitan.config import Config
from casmopolitan.core.acquisition.acquisition import NO_IMPROVEMENT, Score, compressed, rule_for
from casmopolitan.core.acquisition.expected_improvement import expected_improvement
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.joint import Joint
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Points

NAMES = ["ei", "log-ei", "augmented-ei", "ucb"]


@pytest.mark.parametrize("name", NAMES)
def test_gradients_in_x_agree_with_differences(name, domain, posterior):
    score = Score(posterior, rule_for(replace(Config(), acquisition=name), -0.5, 0.01))
    points = domain.draw(6, np.random.default_rng(0))
    value, gradient = score.with_gradient(points)
    assert value == pytest.approx(score(points))
    step = 1e-6
    for k in range(2):
        shift = step * np.eye(2)[k]
        up, down = (score(Points(points.h, points.x + s)) for s in (shift, -shift))
        assert gradient[:, k] == pytest.approx((up - down) / (2 * step), rel=2e-4, abs=1e-7)


def test_the_score_is_its_rule_of_the_noise_free_posterior(domain, posterior):
    points = domain.draw(5, np.random.default_rng(1))
    score = Score(posterior, rule_for(Config(), 0.1, 0.01))
    assert score(points).tolist() == expected_improvement(*posterior.moments(points), 0.1)[0].tolist()


@pytest.mark.parametrize("name", NAMES)
def test_every_name_has_a_rule_of_its_own(name):
    mean, variance = np.array([0.3]), np.array([0.2])
    values = {n: rule_for(replace(Config(), acquisition=n), 0.1, 0.05)(mean, variance)[0][0] for n in NAMES}
    assert len(set(values.values())) == len(NAMES)
    assert values["ucb"] == pytest.approx(1.96 * np.sqrt(0.2) - 0.3)


def test_what_is_added_under_another_model_joins_value_and_gradient(domain, posterior):
    first = Score(posterior, rule_for(replace(Config(), acquisition="log-ei"), -0.5, 0.01))
    second = Score(replace(posterior, alpha=-posterior.alpha), rule_for(replace(Config(), acquisition="ucb"), 0.0, 0.01))
    both, points = replace(first, added=second), domain.draw(6, np.random.default_rng(2))
    assert both(points).tolist() == (first(points) + second(points)).tolist()
    value, gradient = both.with_gradient(points)
    parts = [score.with_gradient(points) for score in (first, second)]
    assert value.tolist() == (parts[0][0] + parts[1][0]).tolist()
    assert gradient.tolist() == (parts[0][1] + parts[1][1]).tolist()
    assert both.alone()(points).tolist() == first(points).tolist()


def test_along_x_the_covariances_of_h_are_computed_once(domain, posterior, monkeypatch):
    rule, rng = rule_for(replace(Config(), acquisition="log-ei"), -0.5, 0.01), np.random.default_rng(3)
    start = domain.draw(6, rng)
    plain = Score(posterior, rule, Score(Joint((posterior,)), lambda mean, variance: (mean[0], mean, variance)))
    x = [rng.random(start.x.shape) for _ in range(3)]
    expected = [plain.with_gradient(Points(start.h, one)) for one in x]
    along_x = plain.along_x(start)
    monkeypatch.setattr(type(posterior.kernel), "cross", None)
    for one, (value, gradient) in zip(x, expected, strict=True):
        assert along_x(one)[0].tolist() == value.tolist()
        assert along_x(one)[1].tolist() == gradient.tolist()


def test_the_scores_of_all_points_include_what_is_added():
    domain = Domain(np.array([3, 4]), (None, None), ())
    kernel, points = kernel_for(domain, "heat", ard=True, trade_off=0.5), domain.every_point()[[0, 3, 5, 10]]
    posterior = condition(domain, kernel, np.array([0.3, 0.7, 1.2, 1e-3]), points, np.array([0.4, -1.0, 0.2, 0.9]))
    first = Score(posterior, rule_for(replace(Config(), acquisition="log-ei"), -0.5, 0.01))
    second = Score(replace(posterior, alpha=-posterior.alpha), rule_for(replace(Config(), acquisition="ucb"), 0.0, 0.01))
    every, both = domain.every_point(), replace(first, added=second)
    assert both.everywhere(every) == pytest.approx(first(every) + second(every), rel=1e-9)


def test_what_promises_nothing_keeps_its_order_and_little_weight():
    mean, variance = np.array([0.0, 0.1, 3.0, 50.0, 1e6]), np.array([0.5, 1e-3, 1e-2, 1e-2, 1e-12])
    rule = rule_for(replace(Config(), acquisition="log-ei"), 0.1, 0.01)
    plain, value = rule(mean, variance)[0], compressed(mean, variance, rule)[0]
    assert (plain > NO_IMPROVEMENT).tolist() == [True, True, False, False, False]
    assert value[:2].tolist() == plain[:2].tolist()
    assert value[2:] == pytest.approx(NO_IMPROVEMENT - np.log1p(NO_IMPROVEMENT - plain[2:]))
    assert (np.diff(value[2:]) < 0).all()
    assert value[-1] > NO_IMPROVEMENT - 70


def test_the_derivatives_of_a_compressed_rule_are_its_slopes():
    mean, variance = np.array([0.0, 1.0, 2.0, 5.0]), np.array([0.5, 0.01, 0.01, 0.01])
    rule = rule_for(replace(Config(), acquisition="log-ei"), 0.1, 0.01)
    _, by_mean, by_variance = compressed(mean, variance, rule)
    up, down = (compressed(mean + s, variance, rule)[0] for s in (1e-6, -1e-6))
    assert by_mean == pytest.approx((up - down) / 2e-6, rel=1e-5)
    up, down = (compressed(mean, variance + s, rule)[0] for s in (1e-8, -1e-8))
    assert by_variance == pytest.approx((up - down) / 2e-8, rel=1e-4)
