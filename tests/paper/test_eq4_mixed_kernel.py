"""Eq. (4):  k(z, z') = λ k_x(x, x') k_h(h, h') + (1 - λ) (k_h(h, h') + k_x(x, x')), with k_x the Matérn 5/2 kernel."""

import math

import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis


def k_h(h, h_, ells):
    return math.exp(sum(ell for a, b, ell in zip(h, h_, ells, strict=True) if a == b) / len(h))


def k_x(x, x_, ells):
    r = math.sqrt(sum(((a - b) / ell) ** 2 for a, b, ell in zip(x, x_, ells, strict=True)))
    return (1 + math.sqrt(5) * r + 5 * r * r / 3) * math.exp(-math.sqrt(5) * r)


@pytest.mark.parametrize("lam", [0.0, 0.25, 0.5, 1.0])
def test_the_mixed_kernel_is_equation_4(lam):
    domain, rng = Domain(np.array([2, 3, 6]), (None,) * 3, (Axis(0.0, 1.0),) * 2), np.random.default_rng(0)
    points = domain.draw(12, rng)
    theta = rng.uniform(0.01, 0.5, 5)
    K = kernel_for(domain, "categorical", ard=True, trade_off=lam).forward(theta, coded(domain, points))[0]
    for i in range(12):
        for j in range(12):
            h = k_h(points.h[i], points.h[j], theta[:3])
            x = k_x(points.x[i], points.x[j], theta[3:])
            assert K[i, j] == pytest.approx(lam * x * h + (1 - lam) * (h + x), rel=1e-12)
