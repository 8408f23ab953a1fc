import numpy as np
import pytest
from sklearn.gaussian_process.kernels import Matern

from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.matern import MaternKernel, matern52, squared_distances
from casmopolitan.core.points import Axis


@pytest.mark.parametrize("theta", [np.array([0.2, 0.7, 1.5]), np.array([0.3])])
def test_it_agrees_with_scikit_learns_matern(theta):
    domain = Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 1.0),) * 3)
    points = domain.draw(20, np.random.default_rng(0))
    K = MaternKernel(3, ard=len(theta) > 1).forward(theta, coded(domain, points))[0]
    np.testing.assert_allclose(K, Matern(length_scale=np.resize(theta, 3), nu=2.5)(points.x), rtol=1e-12)


def test_the_derivative_by_the_squared_distance_is_its_slope_and_finite_at_zero():
    r2, step = np.array([0.01, 0.3, 2.0, 30.0]), 1e-6
    slope = (matern52(r2 + step)[0] - matern52(r2 - step)[0]) / (2 * step)
    np.testing.assert_allclose(matern52(r2.copy())[1], slope, rtol=1e-6, atol=1e-12)
    assert matern52(np.zeros(1))[1] == pytest.approx(-5 / 6)


def test_squared_distances_are_never_negative_even_far_from_the_origin():
    a = 1e4 + np.random.default_rng(1).random((30, 3))
    r2 = squared_distances(a, a)
    assert r2.min() >= 0.0
    np.testing.assert_allclose(r2, ((a[:, None] - a) ** 2).sum(-1), atol=1e-6)


def test_a_very_short_lengthscale_gives_the_identity_without_overflow():
    domain = Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 1.0),))
    data = coded(domain, domain.draw(10, np.random.default_rng(2)))
    np.testing.assert_allclose(MaternKernel(1).forward(np.array([1e-8]), data)[0], np.eye(10), atol=1e-100)
