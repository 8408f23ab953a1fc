from dataclasses import replace

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp import posterior as module
from casmopolitan.core.gp.mean import Bowl
from casmopolitan.core.gp.posterior import Breakdown, Posterior, condition, inverse_of_factor
from casmopolitan.core.gp.priors import freed_parameters
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Points, no_points, stack


def given(p, points=None, y=None):
    posterior = condition(p.domain, p.kernel, p.theta, p.points if points is None else points, p.y if y is None else y)
    assert isinstance(posterior, Posterior)
    return posterior


def candidates(p, m=11, seed=5):
    """Random points of the whole domain: some levels among them occur in no datum."""
    return p.domain.draw(m, np.random.default_rng(seed))


def assert_same(a, b, points, tolerance):
    for left, right in zip(a.moments(points), b.moments(points), strict=True):
        np.testing.assert_allclose(left, right, rtol=tolerance, atol=tolerance)


def test_moments_and_covariance_are_the_dense_formulas(any_problem, dense):
    p, n = any_problem, len(any_problem.y)
    z = candidates(p)
    K = dense(p, z)
    inverse = np.linalg.inv(K[:n, :n] + p.hyper.noise * np.eye(n))
    covariance = K[n:, n:] - K[n:, :n] @ inverse @ K[:n, n:]
    mean, variance = given(p).moments(z)
    np.testing.assert_allclose(mean, K[n:, :n] @ inverse @ p.y, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(variance, np.diagonal(covariance), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(given(p).covariance(z), covariance, atol=1e-9)


def test_moments_are_scikit_learns_on_the_same_matrix(any_problem, dense, tabled):
    p, n = any_problem, len(any_problem.y)
    z = candidates(p)
    regressor = GaussianProcessRegressor(tabled(dense(p, z)), alpha=p.hyper.noise, optimizer=None)
    regressor.fit(np.arange(n)[:, None], p.y)
    expected, deviation = regressor.predict(np.arange(n, n + len(z))[:, None], return_std=True)
    mean, variance = given(p).moments(z)
    np.testing.assert_allclose(mean, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(variance, deviation**2, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("family", ["heat", "categorical"])
@pytest.mark.parametrize("n", [0, 1, 9])
def test_the_moments_of_all_points_are_those_of_each(family, n, monkeypatch):
    monkeypatch.setattr(module, "CACHED", 40)  # several blocks
    domain = Domain(np.array([3, 4, 2, 1, 5]), (None, np.array([0.0, 0.2, 0.5, 1.0]), None, None, np.linspace(0, 1, 5)), ())
    kernel, rng = kernel_for(domain, family, ard=True, trade_off=0.5), np.random.default_rng(n)
    theta = freed_parameters(kernel, 5, 0).start * rng.uniform(0.5, 2.0, len(freed_parameters(kernel, 5, 0)))
    points, every = domain.draw(n, rng), domain.every_point()
    posterior = condition(domain, kernel, theta, points, rng.standard_normal(n), Bowl.of(domain))
    for all_at_once, expected in zip(posterior.moments_everywhere(every), posterior.moments(every), strict=True):
        np.testing.assert_allclose(all_at_once, expected, rtol=1e-9, atol=1e-9)


def test_relabelling_the_categories_of_data_and_candidates_changes_no_prediction(problem):
    p = problem("categorical", "paper")
    rng, z = np.random.default_rng(1), candidates(p)
    names = [rng.permutation(n) for n in p.domain.levels]

    def relabelled(points):
        return Points(np.stack([new[column] for new, column in zip(names, points.h.T, strict=True)], axis=1), points.x)

    plain, other = given(p).moments(z), given(p, relabelled(p.points)).moments(relabelled(z))
    np.testing.assert_allclose(plain[0], other[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(plain[1], other[1], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("size", [1, 4, 11, 12])
def test_batches_equal_one_pass(problem, monkeypatch, size):
    p = problem("mixed", "freed")
    whole = given(p).moments(candidates(p))
    monkeypatch.setattr(module, "BATCH", size)
    for left, right in zip(given(p).moments(candidates(p)), whole, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-12)


def test_the_input_gradient_is_the_slope_of_mean_and_variance(problem):
    for model in ("paper", "freed", "one-hot"):
        p = problem("mixed", model)
        posterior, z, rng = given(p), candidates(p), np.random.default_rng(2)
        by_mean, by_variance = rng.standard_normal(len(z)), rng.standard_normal(len(z))

        def loss(x, posterior=posterior, h=z.h, by_mean=by_mean, by_variance=by_variance):
            mean, variance = posterior.moments(Points(h, x))
            return by_mean * mean + by_variance * variance

        rule = lambda mean, variance, by=(by_mean, by_variance): (mean, *by)  # noqa: E731
        gradient, step = posterior.rule_with_gradient(z, rule)[1], 1e-5
        for k, nudge in enumerate(step * np.eye(p.domain.d_x)):
            slope = (loss(z.x + nudge) - loss(z.x - nudge)) / (2 * step)
            np.testing.assert_allclose(gradient[:, k], slope, rtol=1e-6, atol=1e-6 * np.abs(slope).max())


def test_samples_have_the_posteriors_mean_and_covariance(problem):
    p = problem("mixed", "freed")
    posterior, z = given(p), candidates(p, m=5)
    draws = posterior.sample(z, 40_000, np.random.default_rng(3))
    assert draws.shape == (40_000, 5)
    covariance, spread = posterior.covariance(z), np.sqrt(posterior.prior_variance)
    np.testing.assert_allclose(draws.mean(0), posterior.moments(z)[0], atol=0.03 * spread)
    np.testing.assert_allclose(np.cov(draws.T), covariance, atol=0.04 * posterior.prior_variance)


def test_samples_at_one_point_asked_twice_agree(problem):
    p = problem("mixed", "freed")
    z = candidates(p, m=1)
    draws = given(p).sample(stack([z, z]), 20, np.random.default_rng(4))
    np.testing.assert_allclose(draws[:, 0], draws[:, 1], atol=1e-6)
    assert draws[:, 0].std() > 0.01


@pytest.mark.parametrize("m", [1, 7])
def test_believing_further_points_equals_conditioning_on_all(any_problem, m):
    p = any_problem
    new, z = candidates(p, m, seed=6), candidates(p)
    values = np.random.default_rng(7).standard_normal(m)
    extended = given(p).extended(new, values)
    again = given(p, stack([p.points, new]), np.concatenate([p.y, values]))
    assert_same(extended, again, z, 1e-10)
    np.testing.assert_allclose(extended.covariance(z), again.covariance(z), atol=1e-10)
    assert extended.points == again.points


def test_believing_one_after_the_other_equals_believing_at_once(problem):
    p = problem("mixed", "paper")
    new, values = candidates(p, 6, seed=8), np.arange(6.0)
    stepwise = given(p)
    for i in range(6):
        stepwise = stepwise.extended(new[i], values[i : i + 1])
    assert_same(stepwise, given(p).extended(new, values), candidates(p), 1e-10)


def test_believing_points_whose_levels_the_data_never_saw_equals_conditioning_on_all(problem):
    p = problem("ordinal", "paper", n=6)
    few = Points(np.tile([[2, 1, 3]], (6, 1)) + [[0, 0, k % 2 - 1] for k in range(6)], p.points.x)
    new = Points(np.array([[0, 0, 0], [4, 2, 4], [3, 2, 1]]), np.empty((3, 0)))
    extended = given(p, few).extended(new, np.array([1.0, -1.0, 0.5]))
    again = given(p, stack([few, new]), np.concatenate([p.y, [1.0, -1.0, 0.5]]))
    assert_same(extended, again, candidates(p), 1e-10)


def test_what_is_believed_has_the_jitter_that_the_data_needed(problem):
    p = problem("mixed", "freed")
    theta = p.theta.copy()
    theta[-1] = 1e-300
    twice, y = stack([p.points, p.points]), np.concatenate([p.y, p.y])
    posterior, new = given(replace(p, theta=theta), twice, y), candidates(p, 2, seed=6)
    assert posterior.jitter > 0
    factor = np.linalg.inv(posterior.extended(new, np.zeros(2)).inverse_factor)
    believed = np.diagonal(factor @ factor.T)[-2:]
    np.testing.assert_allclose(believed, posterior.prior_variance + posterior.jitter, rtol=1e-13)


def test_believing_leaves_the_old_posterior_true(problem):
    p = problem("mixed", "freed")
    posterior, z = given(p), candidates(p)
    before = posterior.moments(z)
    posterior.extended(candidates(p, 3, seed=9), np.zeros(3))
    for left, right in zip(posterior.moments(z), before, strict=True):
        assert np.array_equal(left, right)
    assert posterior.extended(p.points[:0], np.empty(0)) is posterior


def test_believing_its_own_mean_moves_no_mean_and_raises_no_variance(problem):
    p = problem("mixed", "paper")
    posterior, z, new = given(p), candidates(p), candidates(p, 3, seed=10)
    richer = posterior.extended(new, posterior.moments(new)[0])
    np.testing.assert_allclose(richer.moments(z)[0], posterior.moments(z)[0], atol=1e-9)
    assert (richer.moments(z)[1] <= posterior.moments(z)[1] + 1e-12).all()


def test_without_data_the_posterior_is_the_prior(any_problem):
    p, z = any_problem, candidates(any_problem)
    prior = given(p, no_points(p.domain.d_h, p.domain.d_x), np.empty(0))
    mean, variance = prior.moments(z)
    assert not mean.any()
    np.testing.assert_allclose(variance, p.hyper.output_scale * p.kernel.diagonal(p.hyper.kernel), rtol=1e-14)
    np.testing.assert_allclose(np.diagonal(prior.covariance(z)), variance, rtol=1e-12)
    assert not prior.rule_with_gradient(z, lambda mean, variance: (mean, mean + 1, variance))[1].any()
    assert prior.sample(z, 3, np.random.default_rng(0)).shape == (3, len(z))
    assert_same(prior.extended(p.points, p.y), given(p), z, 1e-10)


def test_one_datum_is_interpolated_up_to_the_noise(problem):
    p = problem("mixed", "paper", n=1)
    posterior = given(p)
    mean, variance = posterior.moments(p.points)
    k, noise = posterior.prior_variance, p.hyper.noise
    assert mean[0] == pytest.approx(p.y[0] * k / (k + noise), rel=1e-10)
    assert variance[0] == pytest.approx(k * noise / (k + noise), rel=1e-6)


def test_no_candidates_give_no_moments(problem):
    mean, variance = given(problem("mixed", "paper")).moments(no_points(4, 2))
    assert mean.shape == variance.shape == (0,)


@pytest.mark.parametrize("noise", [0.0, 1e-300, 1e-5])
def test_duplicates_climb_the_jitter_ladder_and_never_raise(problem, noise):
    p = problem("mixed", "paper", n=30)
    theta = p.hyper._replace(noise=noise).flat()
    posterior = given(replace(p, theta=theta), stack([p.points] * 3), np.concatenate([p.y] * 3))
    assert (posterior.jitter > 0) == (noise < 1e-5)
    mean, variance = posterior.moments(p.points)
    np.testing.assert_allclose(mean, p.y, atol=0.1)
    assert (variance > 0).all()
    again = posterior.extended(p.points, p.y)
    assert np.isfinite(again.moments(p.points)[0]).all()
    assert again.jitter >= posterior.jitter


def test_equal_targets_predict_that_target_at_the_data(problem):
    p = problem("mixed", "paper", n=8)
    mean, _ = given(p, y=np.zeros(8)).moments(candidates(p))
    assert not mean.any()


def test_the_variance_at_data_without_noise_stays_positive(problem):
    p = problem("continuous", "paper", n=8)
    _, variance = given(replace(p, theta=p.hyper._replace(noise=1e-12).flat())).moments(p.points)
    assert (variance > 0).all()
    assert (variance < 1e-8).all()


def test_hopeless_hyper_parameters_and_targets_give_a_breakdown_with_its_reason(problem):
    p = problem("mixed", "paper", n=8)
    broken = p.theta.copy()
    broken[0] = np.nan
    outcome = condition(p.domain, p.kernel, broken, p.points, p.y)
    assert outcome == Breakdown("the covariance holds values that are not finite")
    outcome = condition(p.domain, p.kernel, p.theta, p.points, np.full(8, np.nan))
    assert outcome == Breakdown("the targets are not finite")


def test_a_matrix_that_no_jitter_saves_gives_a_breakdown_that_names_its_size():
    outcome = inverse_of_factor(np.array([[1.0, 5.0], [5.0, 1.0]]), 1e-6)
    assert isinstance(outcome, Breakdown)
    assert "2 points" in outcome.reason
    assert "0.01" in outcome.reason


def test_the_factors_inverse_whitens_the_covariance():
    A = np.random.default_rng(12).standard_normal((9, 12))
    inverse, jitter = inverse_of_factor(A @ A.T, 0.3)
    assert jitter == 0.0
    np.testing.assert_allclose(inverse @ (A @ A.T + 0.3 * np.eye(9)) @ inverse.T, np.eye(9), atol=1e-12)


def test_a_point_that_cannot_be_believed_leaves_the_posterior_as_it_was(problem):
    p = problem("mixed", "paper")
    posterior = given(p)
    nowhere = Points(p.points.h[:1], np.full((1, 2), np.nan))
    assert posterior.extended(nowhere, np.zeros(1)) is posterior
