from dataclasses import replace

import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.kernels.additive import HeatAndAdditive, both
from casmopolitan.core.kernels.heat import HeatKernel
from casmopolitan.core.kernels.matern import MaternKernel
from casmopolitan.core.kernels.mixed import MixedKernel
from casmopolitan.core.points import Axis, Points


def mixed(heat, d_x):
    return MixedKernel(heat, MaternKernel(d_x), "weights", HeatAndAdditive(heat))


def test_relative_rates_sum_to_one_with_and_without_ard(domain):
    rates = np.linspace(0.1, 0.9, domain.d_h)
    np.testing.assert_allclose(HeatAndAdditive(HeatKernel(domain.d_h)).relative_rates(rates), rates / rates.sum())
    np.testing.assert_allclose(HeatAndAdditive(HeatKernel(domain.d_h, ard=False)).relative_rates(rates[:1]), 1 / domain.d_h)


@pytest.mark.parametrize("ordered", [(), (4, 5, 6, 7)])
def test_the_first_is_the_heat_kernel_and_the_second_falls_linearly_with_the_distance(domain, data, candidates, ordered):
    heat, rates = HeatKernel(domain.d_h, ordered=ordered), np.linspace(0.1, 0.9, domain.d_h)
    theta, rows = np.append(rates, [0.4] if ordered else []), data.encode(candidates)
    pair = HeatAndAdditive(heat)
    for (K_h, K_1), K, D in (
        (pair.forward(theta, data), heat.forward(theta, data)[0], data.self_distances(rates)),
        (pair.cross(theta, rows, data), heat.cross(theta, rows, data)[0], data.distances(rows, rates)),
    ):
        np.testing.assert_allclose(K_h, K, rtol=1e-14)
        np.testing.assert_allclose(K_1, 1 - D / rates.sum(), rtol=1e-13, atol=1e-14)


def test_a_change_of_one_variable_moves_the_additive_kernel_by_the_difference_of_two_losses(domain, data, candidates):
    pair, theta = HeatAndAdditive(HeatKernel(domain.d_h)), np.linspace(0.1, 0.9, domain.d_h)
    before, after = candidates[:1], Points(candidates.h[:1].copy(), candidates.x[:1])
    after.h[0, 4] = (before.h[0, 4] + 2) % domain.levels[4]
    losses = pair.losses(theta, data, np.array([4, 4]), np.array([before.h[0, 4], after.h[0, 4]]))
    k_1 = [pair.cross(theta, data.encode(points), data)[1][0] for points in (before, after)]
    np.testing.assert_allclose(k_1[1] - k_1[0], losses[0] - losses[1], atol=1e-14)


def test_the_second_distance_stays_as_it_was_and_the_first_is_overwritten():
    D, D_1 = np.array([[0.0, 2.0]]), np.array([[0.0, 1.0]])
    K_h, K_1 = both(D, D_1, 4.0)
    assert K_h is D
    assert D_1.tolist() == [[0.0, 1.0]]
    assert K_1.tolist() == [[1.0, 0.75]]


def test_without_weight_the_additive_terms_say_nothing(domain, data, candidates):
    heat, rng = HeatKernel(domain.d_h), np.random.default_rng(0)
    theta = rng.uniform(0.2, 1.0, domain.d_h + domain.d_x + 3)
    four, rows = mixed(heat, domain.d_x), data.encode(candidates)
    three, full = replace(four, additive=None), np.append(theta, 0.0)
    np.testing.assert_allclose(four.forward(full, data)[0], three.forward(theta, data)[0], rtol=1e-14)
    np.testing.assert_allclose(four.cross(full, rows, data)[0], three.cross(theta, rows, data)[0], rtol=1e-14)


def test_additive_terms_know_a_sum_of_functions_of_x_from_its_terms():
    """f(h, x) = f_1(h_1, x) + f_2(h_2, x):  f(1, 1) = f(0, 1) + f(1, 0) - f(0, 0) at one x, without noise and surely."""
    domain = Domain(np.array([2, 2]), (None, None), (Axis(0.0, 1.0),))
    theta = np.array([0.4, 0.9, 0.5, 0.0, 0.0, 0.0, 1.0, 1.0, 1e-10])
    at = Points(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.full((4, 1), 0.3))
    posterior = condition(domain, mixed(HeatKernel(2), 1), theta, at[:3], np.array([1.0, 3.0, 4.0]))
    (mean,), (variance,) = posterior.moments(at[3:])
    assert mean == pytest.approx(6.0, abs=1e-6)
    assert variance < 1e-6
