import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.kernels.categorical import CategoricalKernel
from casmopolitan.core.kernels.heat import HeatKernel
from casmopolitan.core.kernels.matern import MaternKernel
from casmopolitan.core.kernels.mixed import MixedKernel, Weights, combined
from casmopolitan.core.points import Axis, Points


@pytest.fixture
def parts(domain):
    return CategoricalKernel(domain.d_h), MaternKernel(domain.d_x)


@pytest.fixture
def theta(domain):
    return np.random.default_rng(0).uniform(0.2, 1.0, domain.d_h + domain.d_x)


def test_a_trade_off_of_one_is_the_product(parts, theta, domain, data):
    K_h, K_x = parts[0].forward(theta[: domain.d_h], data)[0], parts[1].forward(theta[domain.d_h :], data)[0]
    np.testing.assert_allclose(MixedKernel(*parts, 1.0).forward(theta, data)[0], K_h * K_x, rtol=1e-14)


def test_a_trade_off_of_zero_is_the_sum(parts, theta, domain, data):
    K_h, K_x = parts[0].forward(theta[: domain.d_h], data)[0], parts[1].forward(theta[domain.d_h :], data)[0]
    np.testing.assert_allclose(MixedKernel(*parts, 0.0).forward(theta, data)[0], K_h + K_x, rtol=1e-14)


@pytest.mark.parametrize("lam", [0.001, 0.3, 0.999])
def test_a_learnt_trade_off_equals_the_same_one_fixed_and_three_such_weights(parts, theta, data, candidates, lam):
    rows = data.encode(candidates)
    fixed = MixedKernel(*parts, lam)
    learnt, weights = np.append(theta, lam), np.concatenate([theta, [lam, 1 - lam, 1 - lam]])
    for kernel, full in ((MixedKernel(*parts, "learnt"), learnt), (MixedKernel(*parts, "weights"), weights)):
        np.testing.assert_allclose(kernel.forward(full, data)[0], fixed.forward(theta, data)[0], rtol=1e-14)
        np.testing.assert_allclose(kernel.cross(full, rows, data)[0], fixed.cross(theta, rows, data)[0], rtol=1e-14)
        assert kernel.diagonal(full) == pytest.approx(fixed.diagonal(theta), rel=1e-14)


def test_the_names_end_with_the_mixings_own(parts, domain):
    count = domain.d_h + domain.d_x
    assert len(MixedKernel(*parts, 0.5).names) == count
    assert MixedKernel(*parts, "learnt").names[count:] == ("trade-off",)
    assert MixedKernel(*parts, "weights").names[count:] == ("weight[product]", "weight[discrete]", "weight[continuous]")
    assert MixedKernel(*parts, "orders").names[count:] == (*MixedKernel(*parts, "weights").names[count:], "weight[single]")


def test_combining_is_the_equation_and_leaves_its_parts_alone():
    K_h, K_x = np.array([[2.0]]), np.array([[3.0]])
    assert combined(Weights(0.5, 0.25, 4.0), K_h, K_x)[0, 0] == 0.5 * 6 + 0.25 * 2 + 4 * 3
    K_1 = np.array([[5.0]])
    assert combined(Weights(0.5, 0.25, 4.0, 2.0), K_h, K_x, K_1)[0, 0] == 0.5 * 6 + 0.25 * 2 + 4 * 3 + 2 * 15
    assert (K_h[0, 0], K_x[0, 0], K_1[0, 0]) == (2.0, 3.0, 5.0)


def test_without_weight_the_part_of_single_variables_says_nothing(domain, data, candidates):
    parts, rng = (HeatKernel(domain.d_h), MaternKernel(domain.d_x)), np.random.default_rng(0)
    theta = rng.uniform(0.2, 1.0, domain.d_h + domain.d_x + 3)
    three, four, rows = MixedKernel(*parts, "weights"), MixedKernel(*parts, "orders"), data.encode(candidates)
    full = np.append(theta, 0.0)
    np.testing.assert_allclose(four.forward(full, data)[0], three.forward(theta, data)[0], rtol=1e-14)
    np.testing.assert_allclose(four.cross(full, rows, data)[0], three.cross(theta, rows, data)[0], rtol=1e-14)


def test_a_part_of_single_variables_knows_a_sum_of_functions_of_x_from_its_terms():
    """f(h, x) = f_1(h_1, x) + f_2(h_2, x):  f(1, 1) = f(0, 1) + f(1, 0) - f(0, 0) at one x, without noise and surely."""
    domain = Domain(np.array([2, 2]), (None, None), (Axis(0.0, 1.0),))
    kernel = MixedKernel(HeatKernel(2), MaternKernel(1), "orders")
    theta = np.array([0.4, 0.9, 0.5, 0.0, 0.0, 0.0, 1.0, 1.0, 1e-10])
    at = Points(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.full((4, 1), 0.3))
    posterior = condition(domain, kernel, theta, at[:3], np.array([1.0, 3.0, 4.0]))
    (mean,), (variance,) = posterior.moments(at[3:])
    assert mean == pytest.approx(6.0, abs=1e-6)
    assert variance < 1e-6


def test_only_the_heat_kernel_has_rates_for_a_part_of_single_variables(parts, theta, data):
    with pytest.raises(TypeError, match="heat kernel"):
        MixedKernel(*parts, "orders").forward(np.append(theta, [1.0, 1.0, 1.0, 1.0]), data)
