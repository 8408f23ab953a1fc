import math

import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.categorical import CategoricalKernel
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.points import Points


def test_two_points_that_share_one_of_two_variables_by_hand():
    domain = Domain(np.array([3, 3]), (None, None), ())
    data = coded(domain, Points(np.array([[0, 1], [0, 2]]), np.empty((2, 0))))
    K = CategoricalKernel(2).forward(np.array([0.4, 0.6]), data)[0]
    np.testing.assert_allclose(K, [[math.exp(0.5), math.exp(0.2)], [math.exp(0.2), math.exp(0.5)]], rtol=1e-15)


def test_one_lengthscale_for_all_equals_equal_ones(domain, data):
    shared, apart = CategoricalKernel(domain.d_h, ard=False), CategoricalKernel(domain.d_h)
    np.testing.assert_allclose(
        shared.forward(np.array([0.4]), data)[0], apart.forward(np.full(domain.d_h, 0.4), data)[0], rtol=1e-14
    )


def test_points_that_share_nothing_have_covariance_one_not_zero():
    domain = Domain(np.full(4, 3), (None,) * 4, ())
    data = coded(domain, Points(np.array([[0, 0, 0, 0], [1, 1, 1, 1]]), np.empty((2, 0))))
    assert CategoricalKernel(4).forward(np.full(4, 0.5), data)[0][0, 1] == pytest.approx(1.0, rel=1e-15)


def test_nothing_pulls_on_x(domain, data, candidates):
    rows = data.encode(candidates)
    pulled = CategoricalKernel(domain.d_h).pull(np.ones(domain.d_h), rows, data, None, np.ones((len(rows), len(data))))
    assert pulled.shape == candidates.x.shape
    assert not pulled.any()
