"""App. A:  μ(z) = k_* [K + σ²I]⁻¹ y,   σ²(z) = k_** - k_* [K + σ²I]⁻¹ k_*ᵀ."""

import math

import numpy as np

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.kernels.categorical import CategoricalKernel


def k(h, h_, ells, scale):
    return scale * math.exp(sum(ell for a, b, ell in zip(h, h_, ells, strict=True) if a == b) / len(h))


def test_mean_and_variance_are_the_equations_of_appendix_a():
    domain, rng = Domain(np.array([3, 4, 2]), (None,) * 3, ()), np.random.default_rng(0)
    points, others, y = domain.draw(9, rng), domain.draw(6, rng), rng.standard_normal(9)
    ells, scale, noise = np.array([0.1, 0.3, 0.5]), 1.7, 0.05
    K = np.array([[k(a, b, ells, scale) for b in points.h] for a in points.h])
    inverse = np.linalg.inv(K + noise * np.eye(9))
    posterior = condition(domain, CategoricalKernel(3), np.array([*ells, scale, noise]), points, y)
    mean, variance = posterior.moments(others)
    for i, z in enumerate(others.h):
        k_star = np.array([k(z, b, ells, scale) for b in points.h])
        np.testing.assert_allclose(mean[i], k_star @ inverse @ y, rtol=1e-10)
        np.testing.assert_allclose(variance[i], k(z, z, ells, scale) - k_star @ inverse @ k_star, rtol=1e-10)
