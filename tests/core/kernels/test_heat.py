import numpy as np

from casmopolitan.core.kernels.categorical import CategoricalKernel
from casmopolitan.core.kernels.heat import HeatKernel


def test_the_heat_kernel_is_the_categorical_one_with_its_diagonal_divided_out(domain, data):
    ell = np.random.default_rng(0).uniform(0.1, 3.0, domain.d_h)
    eq_1, heat = CategoricalKernel(domain.d_h), HeatKernel(domain.d_h)
    np.testing.assert_allclose(
        heat.forward(ell / domain.d_h, data)[0], eq_1.forward(ell, data)[0] / eq_1.diagonal(ell), rtol=1e-13
    )


def test_the_correlation_falls_to_nothing_as_the_rates_grow(domain, data):
    K = HeatKernel(domain.d_h, ard=False).forward(np.array([1e4]), data)[0]
    np.testing.assert_allclose(K[:13, :13], np.eye(13), atol=1e-100)


def test_a_rate_of_zero_ignores_its_variable(domain, data, candidates):
    rates = np.array([0.0] + [0.3] * (domain.d_h - 1))
    other = data.encode(candidates)
    moved = candidates.h.copy()
    moved[:, 0] = (moved[:, 0] + 1) % domain.levels[0]
    there = data.encode(type(candidates)(moved, candidates.x))
    kernel = HeatKernel(domain.d_h)
    np.testing.assert_allclose(kernel.cross(rates, other, data)[0], kernel.cross(rates, there, data)[0], rtol=1e-14)
