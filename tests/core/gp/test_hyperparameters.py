import math

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp import hyperparameters as module
from casmopolitan.core.gp.hyperparameters import Parameters, Prior, SpanPrior, paper_parameters
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis, Points

MIXED = Domain(np.array([3, 4, 5]), (None,) * 3, (Axis(0.0, 1.0),) * 2)


def freed_parameters(kernel, **settings):
    return module.freed_parameters(kernel, MIXED.d_h, MIXED.d_x, **settings)


def kernel(trade_off=0.5, family="categorical", ard=True):
    return kernel_for(MIXED, family, ard=ard, trade_off=trade_off)


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
    for level, sum_of_rates in ((None, 1.5), (4.0, 4.0)):
        parameters = module.freed_parameters(heat, 6, 0, rate_level=level)
        value, gradient = parameters.log_prior(parameters.start)
        assert value == pytest.approx(0.0, abs=1e-12)
        np.testing.assert_allclose(gradient, 0.0, atol=1e-10)
        assert np.broadcast_to(parameters.start[:-2], 6).sum() == pytest.approx(sum_of_rates)
        assert parameters.start[-2] * (1 - math.exp(-0.5 * sum_of_rates)) == pytest.approx(1.0)


def test_with_numbers_the_level_of_rates_is_another():
    rates, _, _ = kernel("weights", "heat").split(freed_parameters(kernel("weights", "heat")).start[:-2])
    assert rates.sum() == pytest.approx(3.0)


def test_the_log_prior_sums_its_parts_and_takes_logarithms():
    parts = (Prior(slice(0, 2), 0.0, 1.0), Prior(slice(1, 3), 1.0, 0.5))
    parameters = Parameters(("a", "b", "c"), np.full(3, 1e-3), np.full(3, 1e3), np.ones(3), parts)
    theta = np.array([0.5, 2.0, 3.0])
    value, gradient = parameters.log_prior(theta)
    assert value == pytest.approx(sum(part.log_density(np.log(theta))[0] for part in parts))
    np.testing.assert_allclose(gradient, sum(part.log_density(np.log(theta))[1] for part in parts))


def test_the_papers_bounds_are_those_of_appendix_c3():
    parameters = paper_parameters(kernel("learnt"))
    bounds = dict(zip(parameters.names, zip(parameters.low, parameters.high, strict=True), strict=True))
    assert bounds.pop("outputscale") == (0.5, 5.0)
    assert bounds.pop("noise") == (1e-5, 0.1)
    assert bounds.pop("trade-off") == (1e-3, 1 - 1e-3)
    assert len(bounds) == 5
    assert set(bounds.values()) == {(0.01, 0.5)}
    assert parameters.priors == ()


@pytest.mark.parametrize("family", ["categorical", "overlap", "heat", "one-hot"])
@pytest.mark.parametrize("trade_off", [0.5, "learnt", "weights", "orders"])
@pytest.mark.parametrize("make", [paper_parameters, freed_parameters])
@pytest.mark.parametrize("ard", [True, False])
def test_every_start_lies_within_its_bounds_and_every_parameter_has_a_name(family, trade_off, make, ard):
    parameters = make(kernel(trade_off, family, ard))
    assert len(parameters) == len(parameters.low) == len(parameters.start)
    assert (parameters.low > 0).all()
    assert (parameters.low <= parameters.start).all()
    assert (parameters.start <= parameters.high).all()
    assert parameters.names[-2:] == ("outputscale", "noise")


@pytest.mark.parametrize("make", [module.paper_parameters, lambda chosen: module.freed_parameters(chosen, 2, 0)])
def test_the_smoothness_of_ordinals_is_a_share(make):
    chosen = kernel_for(Domain(np.array([5, 3]), (np.linspace(0, 1, 5), None), ()), "heat", ard=True, trade_off=0.5)
    parameters = make(chosen)
    i = parameters.names.index("smoothness")
    assert 0 < parameters.low[i] < 0.05
    assert 0.95 < parameters.high[i] < 1


def test_custom_bounds_replace_the_papers():
    parameters = paper_parameters(kernel(), lengthscale=(0.1, 2.0), outputscale=(1.0, 1.0), noise=(0.01, 0.02))
    assert parameters.high[0] == 2.0
    assert parameters.start[-1] == 0.01
    assert parameters.free().tolist() == [True] * 5 + [False, True]


@pytest.mark.parametrize("ard", [True, False])
def test_the_freed_rates_start_where_points_that_differ_everywhere_correlate_by_the_level(ard):
    chosen = kernel("weights", "heat", ard)
    parameters = freed_parameters(chosen, rate_level=2.0)
    rates, lengthscales, _ = chosen.split(parameters.start[:-2])
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
    assert 1e-6 < exact.start[-1] < 1e-4 < smooth.start[-1] < 1e-2 < noisy.start[-1]
    prior = [parameters.priors[-1] for parameters in (exact, smooth, noisy)]
    assert [math.exp(one.mean) for one in prior] == pytest.approx([p.start[-1] for p in (exact, smooth, noisy)])


def test_the_freed_set_pins_the_outputscale_where_three_weights_carry_it():
    weights, alone = freed_parameters(kernel("weights", "heat")), freed_parameters(kernel(0.5, "heat"))
    assert not weights.free()[-2]
    assert alone.free()[-2]


def test_that_all_choices_act_with_x_at_once_is_believed_less_where_x_also_meets_them_one_by_one():
    chosen = kernel("orders", "heat")
    parameters = freed_parameters(chosen)
    assert parameters.start[parameters.names.index("weight[product]")] == 0.05
    *_, weights = chosen.split(parameters.start[:-2])
    assert weights[1:] == pytest.approx([1 / 3] * 3)
    assert not parameters.free()[-2]


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


def test_the_logit_form_round_trips_and_never_leaves_the_bounds():
    parameters = paper_parameters(kernel("learnt"))
    theta = parameters.random(np.random.default_rng(3))
    np.testing.assert_allclose(parameters.from_logit(parameters.to_logit(theta))[0], theta, rtol=1e-9)
    for raw in (-40.0, 40.0):
        far, _ = parameters.from_logit(np.full(len(parameters), raw))
        assert np.array_equal(far, parameters.clipped(far))


def test_the_logit_forms_derivative_is_its_slope():
    parameters, step = paper_parameters(kernel()), 1e-6
    raw = np.random.default_rng(4).standard_normal(len(parameters))
    slopes = (parameters.from_logit(raw + step)[0] - parameters.from_logit(raw - step)[0]) / (2 * step)
    np.testing.assert_allclose(parameters.from_logit(raw)[1], slopes, rtol=1e-6)


def test_a_pinned_parameter_stays_where_it_is_in_logit_form():
    parameters = paper_parameters(kernel(), outputscale=(2.0, 2.0))
    theta, slope = parameters.from_logit(parameters.to_logit(parameters.start))
    assert theta[-2] == 2.0
    assert slope[-2] == 0.0


def test_a_parameter_on_its_bound_has_a_finite_logit():
    parameters = paper_parameters(kernel())
    assert np.isfinite(parameters.to_logit(parameters.low)).all()
    assert np.isfinite(parameters.to_logit(parameters.high)).all()


def test_random_starts_lie_within_the_bounds_and_depend_on_the_generator_alone():
    parameters = freed_parameters(kernel("weights", "heat"))
    drawn = [parameters.random(np.random.default_rng(5)) for _ in range(2)]
    assert np.array_equal(drawn[0], drawn[1])
    np.testing.assert_allclose(drawn[0], parameters.clipped(drawn[0]), rtol=1e-12)
