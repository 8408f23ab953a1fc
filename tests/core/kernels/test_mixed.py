import numpy as np
import pytest

from casmopolitan.core.kernels.additive import HeatAndAdditive
from casmopolitan.core.kernels.base import Role
from casmopolitan.core.kernels.categorical import CategoricalKernel
from casmopolitan.core.kernels.heat import HeatKernel
from casmopolitan.core.kernels.matern import MaternKernel
from casmopolitan.core.kernels.mixed import MixedKernel, Weights, combined


@pytest.fixture
def parts(domain):
    return CategoricalKernel(domain.d_h), MaternKernel(domain.d_x)


def with_additive(heat, continuous):
    return MixedKernel(heat, continuous, "weights", HeatAndAdditive(heat))


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


def test_the_blocks_end_with_the_mixings_own(parts, domain):
    def own(kernel):
        return [(block.role, block.size) for block in kernel.blocks[2:]]

    assert own(MixedKernel(*parts, 0.5)) == []
    assert own(MixedKernel(*parts, "learnt")) == [(Role.TRADE_OFF, 1)]
    assert own(MixedKernel(*parts, "weights")) == [(Role.WEIGHT, 3)]
    assert own(with_additive(HeatKernel(domain.d_h), parts[1])) == [(Role.WEIGHT, 1), (Role.WEIGHT, 3)]


def test_combining_is_the_equation_and_leaves_its_parts_alone():
    K_h, K_x = np.array([[2.0]]), np.array([[3.0]])
    assert combined(Weights(0.5, 0.25, 4.0), K_h, K_x)[0, 0] == 0.5 * 6 + 0.25 * 2 + 4 * 3
    K_1 = np.array([[5.0]])
    assert combined(Weights(0.5, 0.25, 4.0, 2.0), K_h, K_x, K_1)[0, 0] == 0.5 * 6 + 0.25 * 2 + 4 * 3 + 2 * 15
    assert (K_h[0, 0], K_x[0, 0], K_1[0, 0]) == (2.0, 3.0, 5.0)


def test_additive_terms_without_weights_are_refused(parts, domain):
    additive = HeatAndAdditive(HeatKernel(domain.d_h))
    with pytest.raises(TypeError, match="additive terms need the trade-off 'weights', not 'learnt'"):
        MixedKernel(additive.heat, parts[1], "learnt", additive)
