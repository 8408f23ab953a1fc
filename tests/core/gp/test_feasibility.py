from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import casmopolitan.core.gp.feasibility as module
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.feasibility import fit_success_model
from casmopolitan.core.gp.fit import Fit
from casmopolitan.core.gp.posterior import Breakdown
from casmopolitan.core.points import Axis, Points
from casmopolitan.presets import DEFAULT, PAPER

CHOICES = Domain(np.array([2, 2, 2, 2, 4, 4, 4, 3]), (None,) * 8, ())
MIXED = Domain(np.array([2, 4, 3]), (None,) * 3, (Axis(0.0, 1.0),) * 2)
RULES = {
    "a pair of choices": (CHOICES, lambda p: ~((p.h[:, 0] == 1) & (p.h[:, 4] >= 2))),
    "too many at once": (CHOICES, lambda p: p.h[:, :4].sum(1) + (p.h[:, 4:7] == 3).sum(1) < 4),
    "a number too large for a choice": (MIXED, lambda p: p.x[:, 0] < 0.3 + 0.3 * p.h[:, 0]),
}


def learnt(domain, points, succeeds, config=DEFAULT):
    return fit_success_model(domain, config, points[succeeds], points[~succeeds], np.random.default_rng(0))


@pytest.mark.parametrize("name", RULES)
def test_what_fails_by_a_rule_is_told_apart_from_what_does_not(name):
    domain, rule = RULES[name]
    seen, fresh = (domain.draw(n, np.random.default_rng(n)) for n in (80, 500))
    success = learnt(domain, seen, rule(seen))
    probability = success.probability(fresh)
    assert ((probability > 0.5) == rule(fresh)).mean() > 0.85
    assert probability[rule(fresh)].mean() > probability[~rule(fresh)].mean() + 0.4


def test_the_probability_is_that_of_a_positive_label_by_dense_algebra():
    domain, rule = RULES["too many at once"]
    seen, fresh = domain.draw(30, np.random.default_rng(1)), domain.draw(12, np.random.default_rng(2))
    success = learnt(domain, seen, rule(seen))
    points, kernel = success.posterior.points, success.posterior.kernel
    theta, output_scale, noise = success.posterior.hyperparameters
    labels = np.where(rule(points), 1.0, -1.0)
    data = success.posterior.data
    K = output_scale * kernel.forward(theta, data)[0] + noise * np.eye(30)
    k = output_scale * kernel.cross(theta, data.encode(fresh), data)[0]
    mean = labels.mean() + k @ np.linalg.solve(K, labels - labels.mean())
    variance = output_scale - np.einsum("mn,nm->m", k, np.linalg.solve(K, k.T))
    np.testing.assert_allclose(success.probability(fresh), norm.cdf(mean / np.sqrt(variance + noise)), rtol=1e-8)


def test_failures_by_luck_leave_every_point_about_as_probable_as_any():
    rng = np.random.default_rng(3)
    seen, fresh = CHOICES.draw(120, rng), CHOICES.draw(200, rng)
    probability = learnt(CHOICES, seen, rng.random(120) < 0.8).probability(fresh)
    assert 0.65 < probability.mean() < 0.95
    assert probability.min() > 0.3


def test_one_failure_makes_its_own_point_the_least_probable():
    seen = CHOICES.draw(30, np.random.default_rng(4))
    probability = learnt(CHOICES, seen, np.arange(30) != 7).probability(seen)
    assert probability.argmin() == 7


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_relabelling_the_categories_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    names = [rng.permutation(n) for n in CHOICES.levels]
    seen, fresh, succeeds = CHOICES.draw(25, rng), CHOICES.draw(10, rng), rng.random(25) < 0.6

    def relabelled(points):
        return Points(np.stack([name[column] for name, column in zip(names, points.h.T, strict=True)], axis=1), points.x)

    if succeeds.all() or not succeeds.any():
        return
    one, two = learnt(CHOICES, seen, succeeds), learnt(CHOICES, relabelled(seen), succeeds)
    np.testing.assert_allclose(one.probability(fresh), two.probability(relabelled(fresh)), atol=1e-5)


def test_the_weight_is_the_probability_and_next_to_nothing_where_failure_is_near_certain():
    domain, rule = RULES["too many at once"]
    seen, fresh = domain.draw(60, np.random.default_rng(1)), domain.draw(200, np.random.default_rng(2))
    success = learnt(domain, seen, rule(seen))
    P = success.probability(fresh)
    log_weight = success.log_weight(*success.posterior.moments(fresh))[0]
    doubtful = P < 0.5
    assert doubtful.any()
    np.testing.assert_allclose(log_weight[~doubtful], np.log(P[~doubtful]), atol=1e-12)
    np.testing.assert_allclose(log_weight[doubtful], np.log(P[doubtful]) + 20 * np.log(2 * P[doubtful]), rtol=1e-9, atol=1e-12)


def test_the_derivatives_of_the_weight_are_its_slopes_and_stay_finite_far_out():
    success = learnt(CHOICES, CHOICES.draw(20, np.random.default_rng(5)), np.arange(20) % 4 > 0)
    mean, variance = np.linspace(-3.1, 2, 11), np.linspace(0.01, 2, 11)  # beside the bend where P = ½
    _, by_mean, by_variance = success.log_weight(mean, variance)
    up, down = (success.log_weight(mean + s, variance)[0] for s in (1e-6, -1e-6))
    np.testing.assert_allclose(by_mean, (up - down) / 2e-6, rtol=1e-6)
    up, down = (success.log_weight(mean, variance + s)[0] for s in (1e-6, -1e-6))
    np.testing.assert_allclose(by_variance, (up - down) / 2e-6, rtol=1e-5, atol=1e-7)
    for part in success.log_weight(np.array([-1e6, 1e6]), np.array([1e-14, 1e-14])):
        assert np.isfinite(part).all()


@pytest.mark.parametrize("config", [DEFAULT, PAPER, replace(DEFAULT, kernel="categorical", priors="bounds")])
@pytest.mark.parametrize("domain", [CHOICES, MIXED, Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 1.0),) * 2)])
def test_every_kernel_and_domain_has_such_a_model(config, domain):
    points = domain.draw(12, np.random.default_rng(6))
    probability = learnt(domain, points, np.arange(12) % 3 > 0, config).probability(points)
    assert ((probability >= 0) & (probability <= 1)).all()
    assert probability[np.arange(12) % 3 > 0].min() > probability[::3].max()


def test_labels_that_are_all_equal_teach_nothing():
    points = CHOICES.draw(9, np.random.default_rng(7))
    assert learnt(CHOICES, points, np.ones(9, dtype=bool)) is None
    assert learnt(CHOICES, points, np.zeros(9, dtype=bool)) is None


def test_a_model_that_breaks_down_is_none(monkeypatch):
    points, succeeds = CHOICES.draw(9, np.random.default_rng(8)), np.arange(9) > 3
    with monkeypatch.context() as patch:
        patch.setattr(module, "condition", lambda *_: Breakdown("no"))
        assert learnt(CHOICES, points, succeeds) is None
    monkeypatch.setattr(module, "fit_hyperparameters", lambda *_: Fit(np.ones(10), -np.inf, 1))
    assert learnt(CHOICES, points, succeeds) is None
