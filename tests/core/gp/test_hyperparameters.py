import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp import priors
from casmopolitan.core.gp.hyperparameters import Hyperparameters, Parameters, paper_parameters
from casmopolitan.core.gp.priors import Prior
from casmopolitan.core.kernels.base import Role, placed
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis

MIXED = Domain(np.array([3, 4, 5]), (None,) * 3, (Axis(0.0, 1.0),) * 2)


def freed_parameters(kernel, **settings):
    return priors.freed_parameters(kernel, MIXED.d_h, MIXED.d_x, **settings)


def kernel(trade_off=0.5, family="categorical", ard=True):
    return kernel_for(MIXED, family, ard=ard, trade_off=trade_off)


def test_the_log_prior_sums_its_parts_and_takes_logarithms():
    parts = (Prior(slice(0, 2), 0.0, 1.0), Prior(slice(1, 3), 1.0, 0.5))
    parameters = Parameters(np.full(3, 1e-3), np.full(3, 1e3), np.ones(3), parts)
    theta = np.array([0.5, 2.0, 3.0])
    value, gradient = parameters.log_prior(theta)
    assert value == pytest.approx(sum(part.log_density(np.log(theta))[0] for part in parts))
    np.testing.assert_allclose(gradient, sum(part.log_density(np.log(theta))[1] for part in parts))


def test_the_papers_bounds_are_those_of_appendix_c3():
    parameters = paper_parameters(kernel("learnt"))
    low, high = Hyperparameters.of(parameters.low), Hyperparameters.of(parameters.high)
    assert (low.output_scale, high.output_scale) == (0.5, 5.0)
    assert (low.noise, high.noise) == (1e-5, 0.1)
    *lengthscales, trade_off = zip(low.kernel, high.kernel, strict=True)
    assert trade_off == (1e-3, 1 - 1e-3)
    assert lengthscales == [(0.01, 0.5)] * 5
    assert parameters.priors == ()


@pytest.mark.parametrize("family", ["categorical", "overlap", "heat", "one-hot"])
@pytest.mark.parametrize("trade_off", [0.5, "learnt", "weights", "orders"])
@pytest.mark.parametrize("make", [paper_parameters, freed_parameters])
@pytest.mark.parametrize("ard", [True, False])
def test_every_start_lies_within_its_bounds(family, trade_off, make, ard):
    parameters = make(kernel(trade_off, family, ard))
    assert len(parameters) == len(parameters.low) == len(parameters.start)
    assert (parameters.low > 0).all()
    assert (parameters.low <= parameters.start).all()
    assert (parameters.start <= parameters.high).all()


@pytest.mark.parametrize("make", [paper_parameters, lambda chosen: priors.freed_parameters(chosen, 2, 0)])
def test_the_smoothness_of_ordinals_is_a_share(make):
    chosen = kernel_for(Domain(np.array([5, 3]), (np.linspace(0, 1, 5), None), ()), "heat", ard=True, trade_off=0.5)
    parameters = make(chosen)
    (at,) = (where for block, where in placed(chosen.blocks) if block.role is Role.SMOOTHNESS)
    assert 0 < parameters.low[at] < 0.05
    assert 0.95 < parameters.high[at] < 1


def test_custom_bounds_replace_the_papers():
    parameters = paper_parameters(kernel(), lengthscale=(0.1, 2.0), outputscale=(1.0, 1.0), noise=(0.01, 0.02))
    assert parameters.high[0] == 2.0
    assert Hyperparameters.of(parameters.start).noise == 0.01
    assert parameters.free().tolist() == [True] * 5 + [False, True]


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
    assert Hyperparameters.of(theta).output_scale == 2.0
    assert Hyperparameters.of(slope).output_scale == 0.0


def test_a_parameter_on_its_bound_has_a_finite_logit():
    parameters = paper_parameters(kernel())
    assert np.isfinite(parameters.to_logit(parameters.low)).all()
    assert np.isfinite(parameters.to_logit(parameters.high)).all()


def test_random_starts_lie_within_the_bounds_and_depend_on_the_generator_alone():
    parameters = freed_parameters(kernel("weights", "heat"))
    drawn = [parameters.random(np.random.default_rng(5)) for _ in range(2)]
    assert np.array_equal(drawn[0], drawn[1])
    np.testing.assert_allclose(drawn[0], parameters.clipped(drawn[0]), rtol=1e-12)


def test_hyper_parameters_taken_apart_and_put_together_are_the_same_vector():
    theta = np.array([0.3, 0.7, 2.0, 1e-3])
    apart = Hyperparameters.of(theta)
    assert (apart.kernel.tolist(), apart.output_scale, apart.noise) == ([0.3, 0.7], 2.0, 1e-3)
    assert np.array_equal(apart.flat(), theta)
    assert np.array_equal(apart._replace(noise=0.1).flat(), [0.3, 0.7, 2.0, 0.1])
