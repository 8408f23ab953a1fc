import numpy as np
import pytest
from sklearn.gaussian_process.kernels import Matern

from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.base import dimension
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.onehot import OneHotKernel
from casmopolitan.core.points import Axis


def test_it_is_scikit_learns_matern_on_the_one_hot_columns():
    domain = Domain(np.array([3, 4]), (None, None), (Axis(0.0, 1.0),))
    points = domain.draw(15, np.random.default_rng(0))
    columns = np.hstack([np.eye(3)[points.h[:, 0]], np.eye(4)[points.h[:, 1]], points.x])
    expected = Matern(length_scale=[0.8] * 3 + [1.3] * 4 + [0.5], nu=2.5)(columns)
    K = OneHotKernel(2, 1).forward(np.array([0.8, 1.3, 0.5]), coded(domain, points))[0]
    np.testing.assert_allclose(K, expected, rtol=1e-12)


@pytest.mark.parametrize(("d_h", "d_x", "ard"), [(0, 2, True), (2, 0, True), (0, 2, False), (2, 0, False)])
def test_an_absent_part_has_no_lengthscale_and_no_gradient(d_h, d_x, ard):
    domain = Domain(np.full(d_h, 3), (None,) * d_h, (Axis(0.0, 1.0),) * d_x)
    data, kernel = coded(domain, domain.draw(6, np.random.default_rng(1))), OneHotKernel(d_h, d_x, ard)
    assert dimension(kernel) == (2 if ard else 1)
    theta = np.ones(dimension(kernel))
    _, kept = kernel.forward(theta, data)
    assert kernel.backward(theta, data, kept, np.triu(np.ones((6, 6)))).shape == theta.shape
    _, kept = kernel.cross(theta, data.rows, data)
    assert kernel.pull(theta, data.rows, data, kept, np.ones((6, 6))).shape == (6, d_x)


@pytest.mark.parametrize(
    ("ard", "h", "x"), [(True, 2.0, 2.0), ("continuous", np.sqrt(125), 2.0), (False, np.sqrt(125), np.sqrt(3))]
)
def test_a_shared_lengthscale_may_be_as_long_as_the_root_of_its_columns(ard, h, x):
    """TuRBO's bounds: 2 for one of several lengthscales, √m for one of m columns. Pest-25 has 125 columns."""
    discrete, continuous = OneHotKernel(25, 3, ard, columns=125).blocks
    assert discrete.bounds == (0.005, h)
    assert continuous.bounds == (0.005, x)
