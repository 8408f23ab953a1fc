"""Theorem 3.1: the decomposition behind it (App. D.2), and its bounds against the exact information gain on small spaces.

The gain is γ(T) = max ½ log |I + σ⁻²K| over T points, as Theorem 3.1 defines it (App. D leaves out the ½). A point may be
chosen several times, as in App. D.2.
"""

from __future__ import annotations

from functools import reduce
from itertools import combinations_with_replacement

import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis, Points

NOISE = 0.1
"""σ², the largest of App. C.3."""


def phi(n):
    """Φ_A: a column of ones; row q also has -1 in column q (q > 1) and 1 in column q + 1 (q < n)."""
    rows = np.zeros((n, n))
    rows[:, 0] = 1.0
    for q in range(1, n + 1):
        if q > 1:
            rows[q - 1, q - 1] = -1.0
        if q < n:
            rows[q - 1, q] = 1.0
    return rows


def psi(n):
    """Ψ_A: 1/n in the first column; column r of row q is (n - r + 1)/n if q < r and -(r - 1)/n otherwise."""
    q, r = np.arange(1, n + 1)[:, None], np.arange(1, n + 1)
    return np.where(r == 1, 1.0, np.where(q < r, n - r + 1.0, 1.0 - r)) / n


def spectrum(n, ell):
    return np.array([np.exp(ell) + n - 1] + [np.exp(ell) - 1] * (n - 1))


def covariance(domain, theta, trade_off, points):
    return kernel_for(domain, "categorical", ard=True, trade_off=trade_off).forward(theta, coded(domain, points))[0]


def gain(K):
    return 0.5 * np.linalg.slogdet(np.eye(len(K)) + K / NOISE)[1]


def most_gain(K, T):
    """γ(T) by trying every choice of T points; K is the covariance of all points of the space."""
    return max(gain(K[np.ix_(chosen, chosen)]) for chosen in combinations_with_replacement(range(len(K)), T))


@pytest.mark.parametrize("n", [2, 3, 5, 8])
@pytest.mark.parametrize("ell", [0.01, 0.5, 2.5])
def test_one_variable_decomposes_as_appendix_d2_says(n, ell):
    domain = Domain(np.array([n]), (None,), ())
    h = np.concatenate([np.arange(n), np.random.default_rng(n).integers(0, n, 12)])
    K = covariance(domain, np.array([ell]), 0.5, Points(h[:, None], np.empty((len(h), 0))))
    np.testing.assert_allclose(phi(n)[h] @ np.diag(spectrum(n, ell)) @ psi(n)[h].T, K, rtol=1e-12)
    np.testing.assert_allclose(psi(n).T @ phi(n), np.eye(n), atol=1e-14)


@pytest.mark.parametrize("levels", [(2, 3), (3, 2, 2), (4, 3)])
def test_several_variables_are_the_kronecker_product_of_such_decompositions(levels):
    domain, ell = Domain(np.array(levels), (None,) * len(levels), ()), np.linspace(0.1, 0.5, len(levels))
    K = covariance(domain, ell, 0.5, domain.every_point())
    factors = [(phi(n), spectrum(n, e / len(levels)), psi(n)) for n, e in zip(levels, ell, strict=True)]
    Phi, E, Psi = (reduce(np.kron, parts) for parts in zip(*factors, strict=True))
    np.testing.assert_allclose(Phi @ np.diag(E) @ Psi.T, K, rtol=1e-12)
    np.testing.assert_allclose(Psi.T @ Phi, np.eye(len(K)), atol=1e-13)
    np.testing.assert_allclose(np.sort(E), np.linalg.eigvalsh(K), rtol=1e-10)
    assert np.linalg.matrix_rank(K) == len(K)  # at most Ñ, which part 2 of the theorem uses


@pytest.mark.parametrize("T", range(1, 7))
@pytest.mark.parametrize("levels", [(2,), (4,), (2, 2)])
def test_part_1_bounds_the_gain_of_the_categorical_kernel(levels, T):
    """γ(T) <= ½ Ñ log(1 + σ⁻² T Π_j (exp(ℓ_j/d_h) + n_j - 1))."""
    domain, ell = Domain(np.array(levels), (None,) * len(levels), ()), np.linspace(0.2, 0.5, len(levels))
    exact = most_gain(covariance(domain, ell, 0.5, domain.every_point()), T)
    top = np.prod([np.exp(e / len(levels)) + n - 1 for n, e in zip(levels, ell, strict=True)])
    bound = 0.5 * np.prod(levels) * np.log(1 + T * top / NOISE)
    assert 0 < exact <= bound
    assert exact >= 0.25 * bound / np.prod(levels)  # and not by an empty margin: one eigenvalue alone reaches this share


def mixed_gains(lam, T):
    """γ(T) of the mixed kernel and of k_x on a grid of two choices and three numbers."""
    domain = Domain(np.array([2]), (None,), (Axis(0.0, 1.0),))
    x = np.tile([0.1, 0.4, 0.9], 2)[:, None]
    K = covariance(domain, np.array([0.4, 0.3]), lam, Points(np.repeat([[0], [1]], 3, axis=0), x))
    only_x = Domain(np.empty(0, dtype=np.int64), (), domain.axes)
    Kx = covariance(only_x, np.array([0.3]), lam, Points(np.empty((3, 0), dtype=np.int64), x[:3]))
    return most_gain(K, T), most_gain(Kx, T)


@pytest.mark.parametrize("T", range(2, 6))
@pytest.mark.parametrize("lam", [0.0, 0.5, 1.0])
def test_part_2_bounds_the_gain_of_the_mixed_kernel(lam, T):
    """γ(T; k) <= (λÑ + 1 - λ) γ(T; k_x) + (Ñ + 2 - 2λ) log T, with the constant of the O left at one."""
    exact, gain_x = mixed_gains(lam, T)
    assert 0 < exact <= (2 * lam + 1 - lam) * gain_x + (2 + 2 - 2 * lam) * np.log(T)


def test_part_2_needs_its_constant_for_a_single_point():
    """With λ = 0 and T = 1 the logarithm is zero, and a variance of exp(ℓ) + 1 exceeds that of k_x."""
    exact, gain_x = mixed_gains(0.0, 1)
    assert exact > gain_x
