"""Lemma D.1: the kernels of Eq. (1) and Eq. (4) are positive semi-definite, whatever the points, lengthscales and λ."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.base import dimension
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis


@settings(max_examples=60, deadline=None)
@given(
    levels=st.lists(st.integers(1, 6), min_size=1, max_size=6),
    d_x=st.integers(0, 3),
    lam=st.floats(0, 1),
    ordinal=st.booleans(),
    n=st.integers(1, 25),
    seed=st.integers(0, 2**31),
)
def test_the_categorical_and_the_mixed_kernel_have_no_negative_eigenvalue(levels, d_x, lam, ordinal, n, seed):
    rng = np.random.default_rng(seed)
    positions = tuple(np.sort(rng.random(count)) if ordinal and j % 2 else None for j, count in enumerate(levels))
    domain = Domain(np.array(levels), positions, (Axis(0.0, 1.0),) * d_x)
    kernel = kernel_for(domain, "categorical", ard=True, trade_off=lam)
    theta = np.exp(rng.uniform(np.log(0.01), np.log(20.0), dimension(kernel)))
    K = kernel.forward(theta, coded(domain, domain.draw(n, rng)))[0]
    assert np.linalg.eigvalsh(K).min() >= -1e-11 * np.trace(K)


def test_on_every_point_of_a_small_space_the_categorical_kernel_has_the_eigenvalues_of_appendix_d():
    """One variable with n values: exp(ℓ) + n - 1 once, exp(ℓ) - 1 otherwise (App. D.2)."""
    domain, n, ell = Domain(np.array([7]), (None,), ()), 7, 0.4
    points = domain.draw(1, np.random.default_rng(0))
    every = type(points)(np.arange(7)[:, None], np.empty((7, 0)))
    K = kernel_for(domain, "categorical", ard=True, trade_off=0.5).forward(np.array([ell]), coded(domain, every))[0]
    np.testing.assert_allclose(np.linalg.eigvalsh(K), [np.exp(ell) - 1] * (n - 1) + [np.exp(ell) + n - 1], rtol=1e-12)
