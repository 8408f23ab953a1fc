import math
import tracemalloc

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.hyperparameters import paper_parameters
from casmopolitan.core.gp.likelihood import log_marginal_likelihood
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.select import kernel_for


def test_the_likelihood_is_the_dense_formula(any_problem, dense):
    p = any_problem
    K = dense(p, p.points[:0]) + p.hyper.noise * np.eye(len(p.y))
    sign, log_determinant = np.linalg.slogdet(K)
    assert sign == 1
    expected = -0.5 * p.y @ np.linalg.inv(K) @ p.y - 0.5 * log_determinant - 0.5 * len(p.y) * math.log(2 * math.pi)
    assert log_marginal_likelihood(p.kernel, p.theta, p.data, p.y)[0] == pytest.approx(expected, rel=1e-10)


def test_the_likelihood_is_scikit_learns_on_the_same_matrix(any_problem, dense, tabled):
    p = any_problem
    rows = np.arange(len(p.y))[:, None]
    regressor = GaussianProcessRegressor(tabled(dense(p, p.points[:0])), alpha=p.hyper.noise, optimizer=None).fit(rows, p.y)
    value = log_marginal_likelihood(p.kernel, p.theta, p.data, p.y)[0]
    assert value == pytest.approx(regressor.log_marginal_likelihood_value_, rel=1e-10)


def test_the_gradient_is_the_slope_of_the_likelihood(any_problem):
    p = any_problem
    _, gradient = log_marginal_likelihood(p.kernel, p.theta, p.data, p.y)
    slopes = np.empty_like(gradient)
    for i in range(len(p.theta)):
        step = 1e-5 * p.theta[i]
        nudge = step * np.eye(len(p.theta))[i]
        up, down = (log_marginal_likelihood(p.kernel, p.theta + sign * nudge, p.data, p.y)[0] for sign in (1, -1))
        slopes[i] = (up - down) / (2 * step)
    # The relevant scale is ∂/∂log θ: a difference of two values of about 30 carries an error of 1e-14 / 1e-5.
    by_log, slopes_by_log = gradient * p.theta, slopes * p.theta
    np.testing.assert_allclose(by_log, slopes_by_log, rtol=1e-6, atol=1e-6 * np.abs(by_log).max())


def test_relabelling_the_categories_leaves_the_likelihood_alone(problem):
    p = problem("categorical", "paper")
    rng = np.random.default_rng(1)
    h = np.stack([rng.permutation(n)[column] for n, column in zip(p.domain.levels, p.points.h.T, strict=True)], axis=1)
    relabelled = coded(p.domain, type(p.points)(h, p.points.x))
    value, gradient = log_marginal_likelihood(p.kernel, p.theta, p.data, p.y)
    again, gradient_again = log_marginal_likelihood(p.kernel, p.theta, relabelled, p.y)
    assert again == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(gradient_again, gradient, rtol=1e-9, atol=1e-10)


def test_it_changes_none_of_its_arguments(problem):
    p = problem("mixed", "freed")
    data, theta, y = p.data, p.theta.copy(), p.y.copy()
    F, x = data.rows.F.copy(), data.rows.x.copy()
    first = log_marginal_likelihood(p.kernel, theta, data, y)
    second = log_marginal_likelihood(p.kernel, theta, data, y)
    assert first[0] == second[0]
    assert np.array_equal(first[1], second[1])
    assert np.array_equal(theta, p.theta)
    assert np.array_equal(y, p.y)
    assert np.array_equal(data.rows.F, F)
    assert np.array_equal(data.rows.x, x)


def test_one_datum_has_the_likelihood_of_a_normal_variable(problem):
    p = problem("mixed", "paper", n=1)
    variance = p.hyper.output_scale * p.kernel.diagonal(p.hyper.kernel) + p.hyper.noise
    expected = -0.5 * p.y[0] ** 2 / variance - 0.5 * math.log(2 * math.pi * variance)
    assert log_marginal_likelihood(p.kernel, p.theta, p.data, p.y)[0] == pytest.approx(expected, rel=1e-12)


def test_a_covariance_that_is_not_positive_definite_gives_minus_infinity_and_no_slope(problem):
    p = problem("categorical", "paper", n=6)
    theta = p.theta.copy()
    theta[-1] = -10.0
    value, gradient = log_marginal_likelihood(p.kernel, theta, p.data, p.y)
    assert value == -math.inf
    assert not gradient.any()


def test_no_array_of_pairs_times_variables_is_ever_made():
    n, d, levels = 400, 200, 5
    domain, rng = Domain(np.full(d, levels), (None,) * d, ()), np.random.default_rng(2)
    data, y = coded(domain, domain.draw(n, rng)), rng.standard_normal(n)
    kernel = kernel_for(domain, "categorical", ard=True, trade_off=0.5)
    theta = paper_parameters(kernel).start
    log_marginal_likelihood(kernel, theta, data, y)
    tracemalloc.start()
    log_marginal_likelihood(kernel, theta, data, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    matrix, columns = 8 * n * n, 8 * n * d * levels
    assert peak < 6 * matrix + 2 * columns
