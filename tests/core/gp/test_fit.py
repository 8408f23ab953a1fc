import math
from dataclasses import replace

import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.fit import fit_adam, fit_hyperparameters, fit_lbfgs, log_posterior
from casmopolitan.core.gp.hyperparameters import Hyperparameters, paper_parameters
from casmopolitan.core.gp.priors import freed_parameters
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis, Points
from casmopolitan.presets import DEFAULT


def fitted(p, method):
    if method == "lbfgs":
        return fit_lbfgs(p.kernel, p.parameters, p.data, p.y)
    starts = [p.parameters.start, p.parameters.random(np.random.default_rng(0))]
    return fit_adam(p.kernel, p.parameters, p.data, p.y, starts, steps=40)


METHODS = pytest.mark.parametrize("method", ["lbfgs", "adam"])


@METHODS
def test_a_fit_improves_on_its_start_and_stays_within_the_bounds(any_problem, method):
    p = any_problem
    fit = fitted(p, method)
    start, _ = log_posterior(p.kernel, p.parameters, p.parameters.start, p.data, p.y)
    assert fit.value > start
    assert np.array_equal(fit.theta, p.parameters.clipped(fit.theta))
    assert fit.value == pytest.approx(log_posterior(p.kernel, p.parameters, fit.theta, p.data, p.y)[0], rel=1e-9)


@METHODS
def test_equal_arguments_give_equal_fits(problem, method):
    p = problem("mixed", "paper")
    first, second = fitted(p, method), fitted(p, method)
    assert np.array_equal(first.theta, second.theta)
    assert (first.value, first.evaluations) == (second.value, second.evaluations)


def test_the_log_posterior_adds_the_prior_and_its_gradient_is_the_slope_by_log_theta(problem):
    p = problem("mixed", "freed")
    step = 1e-5
    _, gradient = log_posterior(p.kernel, p.parameters, p.theta, p.data, p.y)
    for i, d in enumerate(step * np.eye(len(p.theta))):
        up, down = (log_posterior(p.kernel, p.parameters, p.theta * np.exp(s * d), p.data, p.y)[0] for s in (1, -1))
        assert gradient[i] == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-6)


def test_lbfgs_ends_where_no_free_direction_still_climbs(problem):
    p = problem("mixed", "freed", n=30)
    fit = fit_lbfgs(p.kernel, p.parameters, p.data, p.y, steps=500)
    _, gradient = log_posterior(p.kernel, p.parameters, fit.theta, p.data, p.y)
    inside = (fit.theta > p.parameters.low * 1.001) & (fit.theta < p.parameters.high * 0.999)
    assert np.abs(gradient[inside]).max() < 0.1


def test_a_warm_start_at_the_optimum_is_not_worse_and_costs_less(problem):
    p = problem("mixed", "freed", n=30)
    cold = fit_lbfgs(p.kernel, p.parameters, p.data, p.y)
    warm = fit_lbfgs(p.kernel, p.parameters, p.data, p.y, start=cold.theta)
    assert warm.value >= cold.value - 1e-9
    assert warm.evaluations < cold.evaluations


def test_a_start_outside_the_bounds_is_moved_inside(problem):
    p = problem("categorical", "paper")
    fit = fit_lbfgs(p.kernel, p.parameters, p.data, p.y, start=np.full(len(p.parameters), 1e9))
    assert math.isfinite(fit.value)
    assert np.array_equal(fit.theta, p.parameters.clipped(fit.theta))


def test_more_adam_starts_are_never_worse(problem):
    p = problem("mixed", "paper")
    starts = [p.parameters.random(np.random.default_rng(seed)) for seed in range(3)]
    values = [fit_adam(p.kernel, p.parameters, p.data, p.y, starts[: k + 1], steps=20).value for k in range(3)]
    assert values == sorted(values)


def test_adam_takes_the_steps_of_adam_written_out(problem):
    p = problem("categorical", "paper", n=10)
    fit = fit_adam(p.kernel, p.parameters, p.data, p.y, [p.parameters.start], rate=0.1, steps=7)
    low, high = p.parameters.low, p.parameters.high
    share = (p.parameters.start - low) / (high - low)
    raw = [math.log(s / (1 - s)) for s in share]
    m, v, seen = [0.0] * len(raw), [0.0] * len(raw), []
    for t in range(1, 8):
        sigmoid = np.array([1 / (1 + math.exp(-r)) for r in raw])
        theta = low + (high - low) * sigmoid
        value, by_log = log_posterior(p.kernel, p.parameters, theta, p.data, p.y)
        seen.append((value, theta))
        for i in range(len(raw)):
            g = by_log[i] / theta[i] * (high[i] - low[i]) * sigmoid[i] * (1 - sigmoid[i])
            m[i], v[i] = 0.9 * m[i] + 0.1 * g, 0.999 * v[i] + 0.001 * g * g
            raw[i] += 0.1 * (m[i] / (1 - 0.9**t)) / (math.sqrt(v[i] / (1 - 0.999**t)) + 1e-8)
    value, theta = max(seen, key=lambda pair: pair[0])
    assert fit.evaluations == 7
    assert fit.value == pytest.approx(value, rel=1e-10)
    np.testing.assert_allclose(fit.theta, theta, rtol=1e-9)


def planted(n=150):
    """Eight switches and four reals of which the first two of each matter."""
    domain, rng = Domain(np.full(8, 3), (None,) * 8, (Axis(0.0, 1.0),) * 4), np.random.default_rng(11)
    points = domain.draw(n, rng)
    effects = rng.standard_normal((2, 3)) * 2
    f = effects[0][points.h[:, 0]] + effects[1][points.h[:, 1]]
    f += 2 * np.sin(5 * points.x[:, 0]) + 2 * np.cos(4 * points.x[:, 1])
    y = f + 0.05 * rng.standard_normal(n)
    return domain, points, (y - y.mean()) / y.std()


def test_the_freed_model_finds_the_variables_that_matter():
    domain, points, y = planted()
    kernel = kernel_for(domain, "heat", ard=True, trade_off="weights")
    theta = fit_lbfgs(kernel, freed_parameters(kernel, 8, 4, rate_spread=2.0), coded(domain, points), y).theta
    assert theta[:2].min() > 2 * theta[2:8].max()
    assert 2 * theta[8:10].max() < theta[10:12].min()
    assert Hyperparameters.of(theta).noise < 0.05


def test_a_second_start_finds_the_few_switches_that_matter_among_many():
    domain, rng = Domain(np.full(60, 2), (None,) * 60, ()), np.random.default_rng(13)
    points = domain.draw(96, rng)
    y = (points.h[:, :5] * [3.0, -2.5, 2.0, 3.0, -2.0]).sum(1) + 2.0 * (points.h[:, 0] ^ points.h[:, 1])
    kernel = kernel_for(domain, "heat", ard=True, trade_off=0.5)
    parameters, data, y = freed_parameters(kernel, 60, 0), coded(domain, points), (y - y.mean()) / y.std()
    stuck, found = (
        fit_hyperparameters(kernel, parameters, DEFAULT, data, y, None, None, rng, two_starts=two) for two in (False, True)
    )
    assert found.value > stuck.value + 5
    assert found.theta[:5].min() > 5 * np.median(found.theta[5:60])


def test_how_smooth_functions_of_ordinals_are_is_learnt():
    places, rng = np.linspace(0, 1, 9), np.random.default_rng(12)
    domain = Domain(np.full(6, 9), (places,) * 6, ())
    points, heights = domain.draw(80, rng), rng.standard_normal((6, 9))
    smooth = ((places[points.h] - rng.random(6)) ** 2).sum(axis=1)
    rough = heights[np.arange(6), points.h].sum(axis=1)
    kernel, learnt = kernel_for(domain, "heat", ard=True, trade_off=0.5), []
    for y in (smooth, rough):
        fit = fit_lbfgs(kernel, freed_parameters(kernel, 6, 0), coded(domain, points), (y - y.mean()) / y.std())
        learnt.append(kernel.smoothness(Hyperparameters.of(fit.theta).kernel))
    assert learnt[0] > 0.6
    assert learnt[1] < 0.2


def test_the_papers_model_finds_the_variables_that_matter():
    domain, points, y = planted()
    kernel = kernel_for(domain, "categorical", ard=True, trade_off=0.5)
    parameters = paper_parameters(kernel, lengthscale=(0.01, 5.0))
    theta = fit_lbfgs(kernel, parameters, coded(domain, points), y).theta
    assert theta[:2].min() > 2 * theta[2:8].max()
    assert 2 * theta[8:10].max() < theta[10:12].min()


@METHODS
@pytest.mark.parametrize("model", ["paper", "freed"])
@pytest.mark.parametrize("n", [1, 2])
def test_very_few_data_never_raise(problem, method, model, n):
    assert math.isfinite(fitted(problem("mixed", model, n=n), method).value)


@METHODS
def test_equal_targets_and_duplicate_points_never_raise(problem, method):
    p = problem("mixed", "paper", n=9)
    same = Points(np.repeat(p.points.h[:3], 3, axis=0), np.repeat(p.points.x[:3], 3, axis=0))
    for y in (np.zeros(9), p.y):
        assert math.isfinite(fitted(replace(p, points=same, y=y), method).value)


@METHODS
def test_targets_that_are_not_finite_give_the_start_and_a_value_of_minus_infinity(problem, method):
    p = problem("mixed", "paper", n=6)
    fit = fitted(replace(p, y=np.full(6, np.nan)), method)
    assert fit.value == -math.inf
    np.testing.assert_allclose(fit.theta, p.parameters.start)
