import numpy as np
import pytest

from casmopolitan.core.kernels.categorical import CategoricalKernel
from casmopolitan.core.kernels.matern import MaternKernel
from casmopolitan.core.kernels.mixed import MixedKernel, combined


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
        np.testing.assert_allclose(kernel.cross(full, rows, data), fixed.cross(theta, rows, data), rtol=1e-14)
        assert kernel.diagonal(full) == pytest.approx(fixed.diagonal(theta), rel=1e-14)


def test_the_names_end_with_the_mixings_own(parts, domain):
    count = domain.d_h + domain.d_x
    assert len(MixedKernel(*parts, 0.5).names) == count
    assert MixedKernel(*parts, "learnt").names[count:] == ("trade-off",)
    assert MixedKernel(*parts, "weights").names[count:] == ("weight[product]", "weight[discrete]", "weight[continuous]")


def test_combining_is_the_equation_and_leaves_its_parts_alone():
    K_h, K_x = np.array([[2.0]]), np.array([[3.0]])
    assert combined(0.5, 0.25, 4.0, K_h, K_x)[0, 0] == 0.5 * 6 + 0.25 * 2 + 4 * 3
    assert (K_h[0, 0], K_x[0, 0]) == (2.0, 3.0)
