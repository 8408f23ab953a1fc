"""App. C.3: the log marginal likelihood is maximised within bounds, by Adam with rate 0.1 for 100 steps, three times."""

import inspect
import math

import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.fit import fit_adam, fit_lbfgs
from casmopolitan.core.gp.hyperparameters import LENGTHSCALE, NOISE, OUTPUTSCALE, Hyperparameters, paper_parameters
from casmopolitan.core.gp.likelihood import log_marginal_likelihood
from casmopolitan.core.gp.targets import transformed
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis


@pytest.fixture(scope="module")
def problem():
    domain, rng = Domain(np.array([2, 3, 5]), (None,) * 3, (Axis(0.0, 1.0),)), np.random.default_rng(0)
    points = domain.draw(20, rng)
    y = points.h[:, 1] + np.sin(3 * points.x[:, 0]) + 0.1 * rng.standard_normal(20)
    kernel = kernel_for(domain, "categorical", ard=True, trade_off=0.5)
    return kernel, paper_parameters(kernel), coded(domain, points), transformed(y, "initial", y[:20])[0]


def test_the_likelihood_is_the_log_density_of_a_normal_vector(problem):
    kernel, parameters, data, y = problem
    theta = parameters.start
    kernel_theta, output_scale, noise = Hyperparameters.of(theta)
    covariance = output_scale * kernel.forward(kernel_theta, data)[0] + noise * np.eye(20)
    values, vectors = np.linalg.eigh(covariance)
    expected = 0.0
    for eigenvalue, vector in zip(values, vectors.T, strict=True):
        expected -= 0.5 * ((vector @ y) ** 2 / eigenvalue + math.log(eigenvalue) + math.log(2 * math.pi))
    assert log_marginal_likelihood(kernel, theta, data, y)[0] == pytest.approx(expected, rel=1e-11)


def test_the_bounds_are_the_papers():
    assert LENGTHSCALE == (0.01, 0.5)
    assert OUTPUTSCALE == (0.5, 5.0)
    assert NOISE == (1e-5, 0.1)


def test_adam_walks_a_hundred_steps_of_rate_a_tenth_unless_told_otherwise():
    defaults = inspect.signature(fit_adam).parameters
    assert defaults["rate"].default == 0.1
    assert defaults["steps"].default == 100


def test_three_starts_of_adam_cost_three_hundred_likelihoods_and_come_near_the_optimum(problem):
    kernel, parameters, data, y = problem
    starts = [parameters.start, *(parameters.random(np.random.default_rng(seed)) for seed in (1, 2))]
    adam, best = fit_adam(kernel, parameters, data, y, starts), fit_lbfgs(kernel, parameters, data, y)
    assert adam.evaluations == 300
    assert adam.value > best.value - 1.0
    assert np.array_equal(adam.theta, parameters.clipped(adam.theta))


def test_targets_are_standardised_by_the_initial_sample():
    y = np.array([3.0, 5.0, 10.0, 4.0])
    mean = (3.0 + 5.0) / 2
    deviation = math.sqrt(((3.0 - mean) ** 2 + (5.0 - mean) ** 2) / 2)
    np.testing.assert_allclose(transformed(y, "initial", y[:2])[0], (y - mean) / deviation, rtol=1e-13)
