"""ALEBO: Bayesian optimisation in a random linear embedding with a Mahalanobis kernel and a polytope of feasible points.

Letham, Calandra, Rai and Bakshy, "Re-Examining Linear Embeddings for High-Dimensional Bayesian Optimization", NeurIPS 2020.
The columns of B (d x D) are random points of the unit sphere. A point y of the embedding stands for x = B⁺y, and it is
feasible if -1 <= B⁺y <= 1: nothing is clipped. The kernel is s exp(-½ (y - y')ᵀ Γ (y - y')) with Γ = LLᵀ, L triangular: if f is
a Gaussian process with a Gaussian kernel on any d linear features of x, this is its kernel in the embedding. The posterior
of L is approximated at its mode by a normal distribution (Laplace) with the diagonal of the Hessian. Mean and variance of f
are those of the mixture over a few draws of L, and log EI is maximised by SLSQP under the linear constraints.

Each variable is one coordinate of x; that of a discrete variable is rounded to a level. The initial points lie outside the
embedding and do not enter the model; the method starts with a design of its own. y is measured in units of √(D/3d), its
deviation for uniform x. Our choices: d = 10; the prior of each entry of L is normal with variance 1/d; the value of earlier
points of a batch is assumed to be the posterior mean.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from benchmarks.cube import points_in
from benchmarks.improvement import log_improvement
from casmopolitan.core.gp.targets import standardising
from casmopolitan.core.kernels.matern import squared_distances

DESIGN, DRAWS = 10, 10
"""Points of the first design, and draws of L."""
CANDIDATES, STARTS = 500, 2
"""Random points that are scored, and how many of the best start a climb, in addition to the best known point."""
SCALE, NOISE = (0.05, 20.0), (1e-6, 0.1)
"""Bounds of s and of the noise variance."""


class Alebo:
    def __init__(self, space, seed, dimension):
        self._space, self._rng = space, np.random.default_rng(seed)
        size = space.domain.d_h + space.domain.d_x
        d = min(dimension, size)
        B = self._rng.standard_normal((d, size))
        B /= np.linalg.norm(B, axis=0)
        unit = math.sqrt(size / (3 * d))
        self._down, self.up = B / unit, np.linalg.pinv(B) * unit
        self._Y, self._losses, self._theta = np.empty((0, d)), np.empty(0), first_theta(d)

    def ask(self, count):
        self._pending = self.feasible(count) if len(self._losses) < DESIGN else self._improving(count)
        return self._space.decode(points_in(self._space.domain, np.clip((1.0 + self._pending @ self.up.T) / 2.0, 0.0, 1.0)))

    def tell(self, configurations, losses):
        self._Y, self._losses = np.concatenate([self._Y, self._pending]), np.concatenate([self._losses, losses])

    def feasible(self, count):
        """Return `count` feasible points y = Bx, with x drawn uniformly."""
        found = np.empty((0, len(self._down)))
        while len(found) < count:
            Y = self._rng.uniform(-1.0, 1.0, (2 * count, self._down.shape[1])) @ self._down.T
            found = np.concatenate([found, Y[self._overshoot(Y) <= 1.0]])
        return found[:count]

    def _overshoot(self, Y):
        """Return max |B⁺y|, at most 1 in the polytope."""
        return np.abs(Y @ self.up.T).max(axis=1)

    def _improving(self, count):
        """Return `count` points of large EI, one after the other."""
        Y, t = self._Y, standardising(self._losses).apply(self._losses)
        self._theta = mode(Y, t, self._theta)
        thetas, best = laplace_draws(self._theta, Y, t, self._rng), float(t.min())
        for _ in range(count):
            posteriors = [Posterior(theta, Y, t) for theta in thetas]
            y = self._climbed(posteriors, best, Y[np.argmin(t)])
            Y, t = np.concatenate([Y, y]), np.concatenate([t, mixture(posteriors, y)[0]])
        return Y[-count:]

    def _climbed(self, posteriors, best, incumbent):
        """Return the best feasible point of several climbs of log EI."""

        def loss(y):
            mean, variance, by_y, variance_by_y = mixture(posteriors, np.atleast_2d(y))
            value, by_mean, by_variance = log_improvement(mean, variance, best)
            return -value, -(by_mean[:, None] * by_y + by_variance[:, None] * variance_by_y)

        Y = self.feasible(CANDIDATES)
        far = Y / self._overshoot(Y)[:, None] * self._rng.random((len(Y), 1))  # anywhere on the ray through y
        Y = np.concatenate([Y, far])
        Y = np.concatenate([Y[np.argsort(loss(Y)[0], kind="stable")[:STARTS]], incumbent[None]])
        C = np.concatenate([self.up, -self.up])
        inside = {"type": "ineq", "fun": lambda y: 1.0 - C @ y, "jac": lambda y: -C}
        options = {"jac": True, "method": "SLSQP", "constraints": inside, "options": {"maxiter": 30}}
        ends = [minimize(lambda y: tuple(part[0] for part in loss(y)), y, **options).x for y in Y]
        Y = np.concatenate([Y, [y for y in ends if np.isfinite(y).all()]])
        Y /= np.maximum(self._overshoot(Y), 1.0)[:, None]
        return Y[[np.argmin(loss(Y)[0])]]


class Posterior:
    """A Gaussian process with the Mahalanobis kernel, conditioned on t at Y."""

    def __init__(self, theta, Y, t):
        (self._L, self._scale, noise), self._Y = parts(theta, Y.shape[1]), Y
        factor = cho_factor(self._scale * kernel(Y, Y, self._L) + noise * np.eye(len(Y)), lower=True)
        self._inverse = cho_solve(factor, np.eye(len(Y)))
        self._alpha = self._inverse @ t

    def moments(self, Z):
        """Return mean and variance at Z, and their gradients by Z, row by row."""
        k = self._scale * kernel(Z, self._Y, self._L)
        weights = k @ self._inverse
        variance = np.maximum(self._scale - np.einsum("mn,mn->m", k, weights), 1e-12)
        return k @ self._alpha, variance, self._pull(Z, k * self._alpha), -2.0 * self._pull(Z, k * weights)

    def _pull(self, Z, W):
        """∂k_i/∂z = -k_i Γ (z - y_i), summed with the weights of W = k · weight."""
        return (W @ self._Y - W.sum(axis=1)[:, None] * Z) @ self._L @ self._L.T


def mixture(posteriors, Z):
    """Return mean and variance of the mixture, and their gradients by Z."""
    means, variances, by_z, variances_by_z = (np.array(part) for part in zip(*(p.moments(Z) for p in posteriors), strict=True))
    mean, gradient = means.mean(axis=0), by_z.mean(axis=0)
    apart = means - mean
    variance_by_z = (variances_by_z + 2.0 * apart[:, :, None] * by_z).mean(axis=0)
    return mean, (variances + apart**2).mean(axis=0), gradient, variance_by_z


def kernel(Y, Z, L):
    """exp(-½ (y - z)ᵀ LLᵀ (y - z)) for all pairs."""
    return np.exp(-0.5 * squared_distances(Y @ L, Z @ L))


def parts(theta, d):
    """Return L, s and the noise variance; θ = (the lower triangle of L, log s, log noise)."""
    L = np.zeros((d, d))
    L[np.tril_indices(d)] = theta[:-2]
    return L, math.exp(theta[-2]), math.exp(theta[-1])


def first_theta(d):
    return np.concatenate([np.eye(d)[np.tril_indices(d)] / math.sqrt(d), [0.0, math.log(1e-3)]])


def log_posterior(theta, Y, t):
    """Return log p(t | θ) + log p(L) up to a constant, and its gradient.

    With W = ½ (ααᵀ - K⁻¹) ∘ sk the derivative by Γ is -½ Σ_ij W_ij (y_i - y_j)(y_i - y_j)ᵀ = -Yᵀ(diag(W1) - W)Y, and by L it is
    twice that, times L.
    """
    d = Y.shape[1]
    L, scale, noise = parts(theta, d)
    K = scale * kernel(Y, Y, L)
    factor = cho_factor(K + (noise + 1e-10) * np.eye(len(Y)), lower=True)
    inverse = cho_solve(factor, np.eye(len(Y)))
    alpha = inverse @ t
    value = -0.5 * t @ alpha - np.log(np.diag(factor[0])).sum() - 0.5 * d * (L * L).sum()
    slope = 0.5 * (np.outer(alpha, alpha) - inverse)
    W = slope * K
    by_L = 2.0 * -(Y.T @ (W.sum(axis=1)[:, None] * Y - W @ Y)) @ L - d * L
    return value, np.concatenate([by_L[np.tril_indices(d)], [W.sum(), noise * np.trace(slope)]])


def mode(Y, t, theta):
    """Return the θ of largest posterior density, found from this one."""
    limits = [(-10.0, 10.0)] * (len(theta) - 2) + [tuple(np.log(SCALE)), tuple(np.log(NOISE))]

    def loss(theta):
        value, gradient = log_posterior(theta, Y, t)
        return -value, -gradient

    return minimize(loss, theta, jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": 100}).x


def laplace_draws(theta, Y, t, rng, step=1e-4):
    """Draw L around the mode; its precisions are minus the second derivatives, at least those of the prior."""
    draws, d = np.tile(theta, (DRAWS, 1)), Y.shape[1]
    for k in range(len(theta) - 2):
        ends = [log_posterior(theta + sign * step * np.eye(len(theta))[k], Y, t)[1][k] for sign in (-1.0, 1.0)]
        precision = max((ends[0] - ends[1]) / (2.0 * step), d)
        draws[:, k] += rng.standard_normal(DRAWS) / math.sqrt(precision)
    return draws


def start(space, initial, seed, variant):
    return Alebo(space, seed, int(variant))
