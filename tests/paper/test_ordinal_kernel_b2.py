"""App. B.2:  k_o(h, h') = exp( 1/d_h  Σ_i  ℓ_i (1 - |h_i - h'_i| / |h_i - h'_i|_max) )."""

import math

import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.categorical import CategoricalKernel
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.points import Points

BATCH_SIZES = [64, 128, 256, 512]


def k_o(h, h_, values, ells):
    total = 0.0
    for i in range(len(h)):
        furthest = max(values[i]) - min(values[i])
        total += ells[i] * (1 - abs(values[i][h[i]] - values[i][h_[i]]) / furthest)
    return math.exp(total / len(h))


def positions(values):
    return np.array([(value - min(values)) / (max(values) - min(values)) for value in values])


def test_the_ordinal_kernel_is_the_equation_of_appendix_b2():
    values = [BATCH_SIZES, list(range(51)), [0.1, 1.0, 10.0]]
    domain = Domain(np.array([4, 51, 3]), tuple(positions(v) for v in values), ())
    rng = np.random.default_rng(0)
    data, others = coded(domain, domain.draw(9, rng)), domain.draw(20, rng)
    ells, kernel = rng.uniform(0.01, 0.5, 3), CategoricalKernel(3)
    own = [[k_o(a, b, values, ells) for b in data.points.h] for a in data.points.h]
    cross = [[k_o(a, b, values, ells) for b in data.points.h] for a in others.h]
    np.testing.assert_allclose(kernel.forward(ells, data)[0], own, rtol=1e-13)
    np.testing.assert_allclose(kernel.cross(ells, data.encode(others), data)[0], cross, rtol=1e-13)


def test_a_batch_of_128_is_more_like_64_than_like_256():
    domain = Domain(np.array([4]), (positions(BATCH_SIZES),), ())
    data = coded(domain, Points(np.array([[1]]), np.empty((1, 0))))
    others = data.encode(Points(np.array([[0], [2]]), np.empty((2, 0))))
    near, far = CategoricalKernel(1).cross(np.array([1.0]), others, data)[0][:, 0]
    assert near == pytest.approx(math.exp(1 - 64 / 448))
    assert far == pytest.approx(math.exp(1 - 128 / 448))


def test_without_ordinal_structure_it_reduces_to_equation_1():
    rng = np.random.default_rng(1)
    ordinal = Domain(np.full(3, 2), (np.array([0.0, 1.0]),) * 3, ())
    categorical = Domain(np.full(3, 2), (None,) * 3, ())
    points, ells = ordinal.draw(8, rng), rng.uniform(0.01, 0.5, 3)
    np.testing.assert_allclose(
        CategoricalKernel(3).forward(ells, coded(ordinal, points))[0],
        CategoricalKernel(3).forward(ells, coded(categorical, points))[0],
        rtol=1e-14,
    )
