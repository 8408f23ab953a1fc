"""Sec. 3.1:  the overlap kernel  k(h, h') = σ/d_h  Σ_i δ(h_i, h'_i),  σ being the outputscale of the Gaussian process."""

import numpy as np

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.kernels.overlap import OverlapKernel


def test_the_overlap_kernel_with_the_outputscale_is_the_papers():
    domain, rng = Domain(np.array([2, 3, 4, 5]), (None,) * 4, ()), np.random.default_rng(0)
    points, others, sigma = domain.draw(10, rng), domain.draw(7, rng), 2.5
    posterior = condition(domain, OverlapKernel(4), np.array([sigma, 0.01]), points, rng.standard_normal(10))
    expected = [[sigma / 4 * sum(int(a[i] == b[i]) for i in range(4)) for b in points.h] for a in others.h]
    np.testing.assert_allclose(posterior.cross(others), expected, atol=1e-13)
    assert posterior.prior_variance == sigma
