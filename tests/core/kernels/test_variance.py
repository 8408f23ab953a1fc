"""The closed form of the split against the analysis of variance of all points of a small space."""

from __future__ import annotations

import itertools
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.additive import HeatAndAdditive
from casmopolitan.core.kernels.base import dimension
from casmopolitan.core.kernels.categorical import CategoricalKernel
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.heat import HeatKernel
from casmopolitan.core.kernels.matern import MaternKernel, matern52
from casmopolitan.core.kernels.mixed import MixedKernel
from casmopolitan.core.kernels.variance import NODES, WEIGHTS, Split, continuous_q, split
from casmopolitan.core.points import Axis

NO_CODES = np.empty(0, dtype=np.int64)
CHOICES = Domain(np.array([2, 3, 4, 2]), (None, None, np.array([0.0, 0.1, 0.7, 1.0]), np.array([0.0, 1.0])), ())
NUMBERS = Domain(NO_CODES, (), (Axis(0.0, 1.0, 0.25), Axis(0.0, 4.0, 2.0)))
MIXED = Domain(CHOICES.levels[:3], CHOICES.positions[:3], NUMBERS.axes)
HEAT, SMOOTH, MATERN = HeatKernel(4), HeatKernel(4, True, (2, 3)), MaternKernel(2)
PART, SHARED = HeatKernel(3, True, (2,)), HeatKernel(3, False)
KERNELS = {
    "heat": (HEAT, CHOICES),
    "heat with smoothness": (SMOOTH, CHOICES),
    "matern": (MATERN, NUMBERS),
    "mixed": (MixedKernel(PART, MATERN, 0.3), MIXED),
    "weights": (MixedKernel(SHARED, MATERN, "weights"), MIXED),
    "orders": (MixedKernel(PART, MATERN, "weights", HeatAndAdditive(PART)), MIXED),
}


def by_listing(kernel, theta, domain):
    """V_u = tr(P_u K) / N for every set u, with the projection P_u on the functions of exactly the variables in u."""
    points = domain.every_point()
    K, _ = kernel.forward(theta, coded(domain, points))
    sizes = [*map(int, domain.levels), *(axis.count for axis in domain.axes)]
    found = {}
    for chosen in itertools.product((False, True), repeat=len(sizes)):
        means = [np.full((n, n), 1 / n) for n in sizes]
        parts = [np.eye(n) - mean if one else mean for n, mean, one in zip(sizes, means, chosen, strict=True)]
        found[chosen] = float(np.vdot(reduce(np.kron, parts), K)) / len(points)
    involving = np.array([sum(v for u, v in found.items() if u[j]) for j in range(len(sizes))])
    whole, single = (sum(v for u, v in found.items() if sum(u) in orders) for orders in (range(1, 99), [1]))
    return Split(whole, involving, single)


@pytest.mark.parametrize("name", KERNELS)
def test_the_split_is_the_analysis_of_variance_over_all_points(name):
    kernel, domain = KERNELS[name]
    for seed in range(3):
        theta = np.random.default_rng(seed).uniform(0.1, 0.9, dimension(kernel)) * (1, 1, 3)[seed]
        if seed == 2 and name in ("heat with smoothness", "mixed", "orders"):
            theta /= 3  # λ is at most 1
        expected, found = by_listing(kernel, theta, domain), split(kernel, theta, domain)
        for field in ("whole", "involving", "single"):
            np.testing.assert_allclose(getattr(found, field), getattr(expected, field), atol=5e-5, err_msg=field)


def test_an_average_of_gaussians_is_the_matern_kernel():
    r2 = np.concatenate([[0.0], np.geomspace(1e-6, 1e4, 200)])
    averaged = np.exp(-r2[:, None] / (2 * NODES)) @ WEIGHTS
    np.testing.assert_allclose(averaged, matern52(r2.copy())[0], atol=2e-5)


def test_a_range_is_like_a_fine_grid():
    ell, fine = np.array([0.02, 0.3, 5.0]), (np.arange(1500) + 0.5) / 1500
    found = WEIGHTS @ continuous_q(ell, Domain(NO_CODES, (), (Axis(0.0, 1.0),) * 3))
    for one, q in zip(ell, found, strict=True):
        assert q == pytest.approx(1 - matern52((fine[:, None] - fine) ** 2 / one**2)[0].mean(), abs=2e-3)


def test_a_sum_of_single_variables_is_all_single():
    kernel = MixedKernel(SHARED, MATERN, "weights", HeatAndAdditive(SHARED))
    weak = np.array([1e-4, 50.0, 60.0, 1e-9, 1.0, 1.0, 1e-9])
    found = split(kernel, weak, MIXED)
    assert found.single / found.whole > 0.999


def test_other_kernels_have_no_split():
    assert split(CategoricalKernel(4), np.ones(4), CHOICES) is None
    assert split(MixedKernel(CategoricalKernel(3), MATERN, 0.5), np.ones(5), MIXED) is None


@given(st.lists(st.floats(1e-9, 60.0), min_size=4, max_size=4))
def test_shares_are_shares(rates):
    found = split(HEAT, np.array(rates), CHOICES)
    assert 0 < found.whole <= 1
    assert 0 <= found.single <= found.whole * (1 + 1e-9)
    assert (found.involving <= found.whole * (1 + 1e-9)).all()
    assert found.involving.sum() >= found.whole * (1 - 1e-9)
