"""Eq. (1):  k_h(h, h') = exp( 1/d_h  Σ_i  ℓ_i δ(h_i, h'_i) )."""

import math

import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.categorical import CategoricalKernel
from casmopolitan.core.kernels.coding import coded


def eq_1(h, h_, ells):
    total = 0.0
    for i in range(len(h)):
        delta = 1 if h[i] == h_[i] else 0
        total += ells[i] * delta
    return math.exp(total / len(h))


@pytest.mark.parametrize("levels", [[2] * 6, [5] * 4, [2, 3, 17, 1]])
def test_the_categorical_kernel_is_equation_1(levels):
    domain, rng = Domain(np.array(levels), (None,) * len(levels), ()), np.random.default_rng(0)
    data, others = coded(domain, domain.draw(10, rng)), domain.draw(8, rng)
    ells, kernel = rng.uniform(0.01, 0.5, len(levels)), CategoricalKernel(len(levels))
    own = [[eq_1(a, b, ells) for b in data.points.h] for a in data.points.h]
    cross = [[eq_1(a, b, ells) for b in data.points.h] for a in others.h]
    np.testing.assert_allclose(kernel.forward(ells, data)[0], own, rtol=1e-13)
    np.testing.assert_allclose(kernel.cross(ells, data.encode(others), data)[0], cross, rtol=1e-13)


def test_without_ard_one_lengthscale_serves_all_dimensions():
    domain, rng = Domain(np.full(5, 3), (None,) * 5, ()), np.random.default_rng(1)
    data = coded(domain, domain.draw(10, rng))
    own = [[eq_1(a, b, [0.3] * 5) for b in data.points.h] for a in data.points.h]
    np.testing.assert_allclose(CategoricalKernel(5, ard=False).forward(np.array([0.3]), data)[0], own, rtol=1e-13)
