import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal, norm, t

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp import priors as module
from casmopolitan.core.gp.hyperparameters import Hyperparameters
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.gp.priors import Prior, SpanPrior, StudentPrior, loosened
from casmopolitan.core.kernels.base import Role, placed
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis, Points

MIXED = Domain(np.array([3, 4, 5]), (None,) * 3, (Axis(0.0, 1.0),) * 2)


def freed_parameters(kernel, **settings):
    return module.freed_parameters(kernel, MIXED.d_h, MIXED.d_x, **settings)


def kernel(trade_off=0.5, family="categorical", ard=True):
    return kernel_for(MIXED, family, ard=ard, trade_off=trade_off)


def is_free(parameters):
    """Whether the output scale is."""
    return bool(Hyperparameters.of(parameters.free()).output_scale)


@pytest.mark.parametrize("between", [0.0, 0.3, 2.0])
def test_a_prior_is_the_dense_normal_with_a_shared_level_integrated_out(between):
    prior = Prior(slice(1, 5), mean=-0.7, within=0.5, between=between)
    dense = multivariate_normal(np.full(4, -0.7), 0.25 * np.eye(4) + between**2 * np.ones((4, 4)))
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal(7), rng.standard_normal(7)
    difference = prior.log_density(a)[0] - prior.log_density(b)[0]
    assert difference == pytest.approx(dense.logpdf(a[1:5]) - dense.logpdf(b[1:5]), rel=1e-12)


def test_a_priors_gradient_is_its_slope_and_zero_outside_its_group():
    prior = Prior(slice(1, 4), mean=0.2, within=0.4, between=1.0)
    at, step = np.random.default_rng(1).standard_normal(6), 1e-5
    _, gradient = prior.log_density(at)
    slopes = [(prior.log_density(at + d)[0] - prior.log_density(at - d)[0]) / (2 * step) for d in step * np.eye(6)]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-8)
    assert gradient[[0, 4, 5]].tolist() == [0.0, 0.0, 0.0]


def test_a_shared_level_that_moves_together_costs_less_than_one_that_scatters():
    prior = Prior(slice(0, 4), mean=0.0, within=0.3, between=2.0)
    assert prior.log_density(np.full(4, 1.0))[0] > prior.log_density(np.array([1.0, -1.0, 1.0, -1.0]))[0] + 10


STUDENT = StudentPrior(slice(1, 8), mean=-2.0, within=0.2, between=1.5, freedom=2.0)


def log_density_by_scipy(prior, log_theta):
    """The definition, with scipy's t and the level found by a search over it."""
    r = log_theta[prior.where]

    def given(m):
        members = t.logpdf(r, prior.freedom, np.expand_dims(m, -1), prior.within).sum(axis=-1)
        return norm.logpdf(m, prior.mean, prior.between) + members

    grid = np.linspace(-8, 6, 2801)
    nearest = grid[np.argmax(given(grid))]
    around = (nearest - 0.01, nearest + 0.01)
    return -minimize_scalar(lambda m: -given(m), bounds=around, options={"xatol": 1e-10}, method="bounded").fun


@pytest.mark.parametrize("seed", range(6))
def test_a_student_prior_is_scipys_t_around_the_best_level(seed):
    rng = np.random.default_rng(seed)
    a, b = (rng.normal(-2.0, 0.1, 9) + (rng.random(9) < 0.3) * 3.0 for _ in range(2))
    difference = STUDENT.log_density(a)[0] - STUDENT.log_density(b)[0]
    assert difference == pytest.approx(log_density_by_scipy(STUDENT, a) - log_density_by_scipy(STUDENT, b), abs=1e-6)


def test_a_student_priors_gradient_is_its_slope_and_zero_outside_its_group():
    at, step = np.random.default_rng(1).normal(-2.0, 0.8, 10), 1e-5
    _, gradient = STUDENT.log_density(at)
    slopes = [(STUDENT.log_density(at + d)[0] - STUDENT.log_density(at - d)[0]) / (2 * step) for d in step * np.eye(10)]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-5, atol=1e-7)
    assert gradient[[0, 8, 9]].tolist() == [0.0, 0.0, 0.0]


def test_a_student_prior_pulls_less_on_a_member_that_lies_far_away():
    near, far = np.full(9, -2.0), np.full(9, -2.0)
    near[3], far[3] = -1.6, 2.0
    assert abs(STUDENT.log_density(far)[1][3]) < 0.3 * abs(STUDENT.log_density(near)[1][3])


def test_loose_parameters_free_the_rates_and_nothing_else():
    parameters = freed_parameters(kernel("orders", "heat"))
    loose = loosened(parameters)
    kinds = [(type(a), type(b)) for a, b in zip(parameters.priors, loose.priors, strict=True)]
    assert kinds.count((StudentPrior, Prior)) == 1
    assert all(a is b for a, b in zip(parameters.priors, loose.priors, strict=True) if not isinstance(a, StudentPrior))
    apart = parameters.start * np.where(np.arange(len(parameters)) == 0, 100.0, 1.0)
    assert loose.log_prior(apart)[0] - loose.log_prior(parameters.start)[0] > parameters.log_prior(apart)[0] + 2.0


def test_one_rate_for_all_variables_has_nothing_to_loosen():
    tied = kernel_for(Domain(np.full(6, 3), (None,) * 6, ()), "heat", ard=False, trade_off=0.5)
    assert loosened(module.freed_parameters(tied, 6, 0)) is None


@pytest.mark.parametrize("each", [1, 7])
def test_the_span_is_normal_in_its_logarithm_and_its_gradient_is_its_slope(each):
    prior, step = SpanPrior(slice(0, 3), each, within=0.4), 1e-5
    log_theta = np.random.default_rng(7).normal(-1.0, 0.7, 5)
    rates, outputscale = np.exp(log_theta[:3]), math.exp(log_theta[3])
    span = outputscale * (1 - math.exp(-0.5 * each * rates.sum()))
    value, gradient = prior.log_density(log_theta)
    assert value == pytest.approx(norm(0, 0.4).logpdf(math.log(span)) - norm(0, 0.4).logpdf(0), rel=1e-12)
    nudged = [(prior.log_density(log_theta + d)[0], prior.log_density(log_theta - d)[0]) for d in step * np.eye(5)]
    np.testing.assert_allclose(gradient, [(up - down) / (2 * step) for up, down in nudged], rtol=1e-6, atol=1e-8)


def test_the_span_is_half_the_mean_squared_difference_of_values_that_differ_by_half():
    domain = Domain(np.full(4, 2), (None,) * 4, ())
    points = Points(np.array([[0, 0, 0, 0], [1, 1, 0, 0]]), np.empty((2, 0)))
    theta = np.array([0.3, 0.3, 0.3, 0.3, 2.5, 1e-5])
    prior = condition(domain, kernel_for(domain, "heat", ard=True, trade_off=0.5), theta, points[:0], np.empty(0))
    covariance = prior.covariance(points)
    half_squared_difference = 0.5 * (covariance[0, 0] + covariance[1, 1]) - covariance[0, 1]
    span_prior = SpanPrior(slice(0, 4), 1, within=1.0)
    assert span_prior.log_density(np.log(theta))[0] == pytest.approx(-0.5 * math.log(half_squared_difference) ** 2)


@pytest.mark.parametrize("ard", [True, False])
def test_the_prior_of_choices_alone_peaks_at_its_start_whose_level_may_be_asked_for(ard):
    heat = kernel_for(Domain(np.full(6, 3), (None,) * 6, ()), "heat", ard=ard, trade_off=0.5)
    for level, sum_of_rates in ((None, 0.5), (4.0, 4.0)):
        parameters = module.freed_parameters(heat, 6, 0, rate_level=level)
        start = Hyperparameters.of(parameters.start)
        value, gradient = parameters.log_prior(parameters.start)
        assert value == pytest.approx(0.0, abs=1e-12)
        np.testing.assert_allclose(gradient, 0.0, atol=1e-10)
        assert np.broadcast_to(start.kernel, 6).sum() == pytest.approx(sum_of_rates)
        assert start.output_scale * (1 - math.exp(-0.5 * sum_of_rates)) == pytest.approx(1.0)


def test_with_numbers_the_level_of_rates_is_another():
    chosen = kernel("weights", "heat")
    rates, _, _ = chosen.split(Hyperparameters.of(freed_parameters(chosen).start).kernel)
    assert rates.sum() == pytest.approx(3.0)


@pytest.mark.parametrize("ard", [True, False])
def test_the_freed_rates_start_where_points_that_differ_everywhere_correlate_by_the_level(ard):
    chosen = kernel("weights", "heat", ard)
    parameters = freed_parameters(chosen, rate_level=2.0)
    rates, lengthscales, _ = chosen.split(Hyperparameters.of(parameters.start).kernel)
    assert np.broadcast_to(rates, 3).sum() == pytest.approx(2.0)
    np.testing.assert_allclose(lengthscales, 0.5 * math.sqrt(2))


def test_all_freed_rates_together_stray_by_as_much_whatever_their_number():
    for d_h in (2, 8, 200):
        wide = kernel_for(Domain(np.full(d_h, 2), (None,) * d_h, ()), "heat", ard=True, trade_off=0.5)
        prior = module.freed_parameters(wide, d_h, 0, rate_spread=0.7).priors[0]
        assert math.sqrt(d_h) * prior.within == pytest.approx(0.7)


def test_choices_alone_are_believed_to_the_last_digits_numbers_less_and_noisy_objectives_least():
    choices = kernel_for(Domain(np.array([2, 3]), (None, None), ()), "heat", ard=True, trade_off="weights")
    exact = module.freed_parameters(choices, 2, 0)
    smooth, noisy = (freed_parameters(kernel("weights", "heat"), noisy=noisy) for noisy in (False, True))
    noises = [Hyperparameters.of(parameters.start).noise for parameters in (exact, smooth, noisy)]
    assert 1e-6 < noises[0] < 1e-4 < noises[1] < 1e-2 < noises[2]
    prior = [parameters.priors[-1] for parameters in (exact, smooth, noisy)]
    assert [math.exp(one.mean) for one in prior] == pytest.approx(noises)


def test_limits_with_continuous_variables_have_less_noise_unless_noisy():
    smooth, limit = (freed_parameters(kernel("weights", "heat"), limit=limit) for limit in (False, True))
    assert Hyperparameters.of(limit.low).noise < Hyperparameters.of(smooth.low).noise
    assert Hyperparameters.of(limit.start).noise < 0.1 * Hyperparameters.of(smooth.start).noise
    assert math.exp(limit.priors[-1].mean) == pytest.approx(Hyperparameters.of(limit.start).noise)
    noisy = [freed_parameters(kernel("weights", "heat"), noisy=True, limit=limit) for limit in (False, True)]
    assert Hyperparameters.of(noisy[1].start).noise == Hyperparameters.of(noisy[0].start).noise
    choices = kernel_for(Domain(np.array([2, 3]), (None, None), ()), "heat", ard=True, trade_off="weights")
    alone = [module.freed_parameters(choices, 2, 0, limit=limit) for limit in (False, True)]
    assert alone[1].low.tolist() == alone[0].low.tolist()
    assert alone[1].start.tolist() == alone[0].start.tolist()


def test_the_freed_set_pins_the_outputscale_where_three_weights_carry_it():
    weights, alone = freed_parameters(kernel("weights", "heat")), freed_parameters(kernel(0.5, "heat"))
    assert not is_free(weights)
    assert is_free(alone)


def test_that_all_choices_act_with_x_at_once_is_believed_less_where_x_also_meets_them_one_by_one():
    chosen = kernel("orders", "heat")
    parameters = freed_parameters(chosen)
    *_, weights = chosen.split(Hyperparameters.of(parameters.start).kernel)
    assert weights == pytest.approx((0.05, 1 / 3, 1 / 3, 1 / 3))
    assert not is_free(parameters)


@pytest.mark.parametrize("trade_off", ["weights", "orders"])
def test_the_freed_log_prior_peaks_at_the_start_and_its_gradient_is_its_slope(trade_off):
    parameters = freed_parameters(kernel(trade_off, "heat"))
    value, gradient = parameters.log_prior(parameters.start)
    assert value == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(gradient, 0.0, atol=1e-12)
    theta, step = parameters.start * np.exp(np.random.default_rng(2).normal(0, 0.5, len(parameters))), 1e-5
    nudged = [
        (parameters.log_prior(theta * np.exp(d))[0], parameters.log_prior(theta * np.exp(-d))[0])
        for d in step * np.eye(len(theta))
    ]
    slopes = [(up - down) / (2 * step) for up, down in nudged]
    np.testing.assert_allclose(parameters.log_prior(theta)[1], slopes, rtol=1e-6, atol=1e-8)


def test_a_prior_of_the_kernels_own_takes_the_place_of_the_roles():
    chosen = kernel("orders", "heat")
    own, usual = (Prior.at(where, block.prior or module.WEIGHT) for block, where in list(placed(chosen.blocks))[-2:])
    assert (math.exp(own.mean), own.between) == (pytest.approx(0.05), 0.0)
    assert (math.exp(usual.mean), usual.between) == (pytest.approx(1 / 3), 1.0)
    found = [(p.where, p.mean, p.within, p.between) for p in freed_parameters(chosen).priors if isinstance(p, Prior)]
    assert all((p.where, p.mean, p.within, p.between) in found for p in (own, usual))


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("role", Role)
def test_every_role_has_bounds_and_a_start_within_them(role, sparse):
    (low, high), _, start = module._assumptions(4, 2, 1.5, 1.7, sparse)[role]
    assert 0 < low < start < high


def test_the_sparse_prior_of_a_rate_is_a_wide_normal_around_a_tiny_level_and_keeps_the_start():
    kernel = kernel_for(Domain(np.full(50, 2), (None,) * 50, ()), "heat", ard=True, trade_off=0.5)
    usual, sparse = (module.freed_parameters(kernel, 50, 0, sparse=sparse) for sparse in (False, True))
    assert np.array_equal(usual.start, sparse.start)
    (rates,) = (p for p in sparse.priors if isinstance(p, Prior) and p.where == slice(0, 50))
    assert (rates.mean, rates.within, rates.between) == (pytest.approx(np.log(0.02 / 50)), 3.65, 0.0)
    assert loosened(sparse) is None


@pytest.mark.parametrize("seed", range(6))
def test_the_level_of_the_rates_is_the_best_of_a_fine_grid(seed):
    rng, prior = np.random.default_rng(seed), StudentPrior(slice(0, 12), -3.0, 0.3, 1.0, 2.0)
    r = -3.0 + rng.normal() + 0.3 * rng.standard_t(2, size=12)
    grid = np.linspace(r.min() - 1, r.max() + 1, 20001)[:, None]
    density = -0.5 * (grid[:, 0] + 3.0) ** 2 - 1.5 * np.log1p((r - grid) ** 2 / (2 * 0.3**2)).sum(axis=1)
    assert prior.level(r) == pytest.approx(grid[np.argmax(density), 0], abs=1e-3)
    assert prior.log_density(r)[0] == pytest.approx(density.max(), abs=1e-5)
