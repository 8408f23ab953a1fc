import numpy as np

from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.overlap import OverlapKernel
from casmopolitan.core.points import Points


def test_the_overlap_is_the_share_of_variables_on_which_two_points_agree():
    domain = Domain(np.full(4, 3), (None,) * 4, ())
    data = coded(domain, Points(np.array([[0, 1, 2, 0], [0, 1, 2, 1], [0, 0, 0, 1]]), np.empty((3, 0))))
    K = OverlapKernel(4).forward(np.empty(0), data)[0]
    np.testing.assert_allclose(K, [[1, 0.75, 0.25], [0.75, 1, 0.5], [0.25, 0.5, 1]], rtol=1e-14)


def test_it_has_no_hyper_parameter_and_so_no_gradient(domain, data):
    kernel = OverlapKernel(domain.d_h)
    assert kernel.blocks == ()
    assert kernel.backward(np.empty(0), data, None, np.eye(len(data))).shape == (0,)
