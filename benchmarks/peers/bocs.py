"""BOCS: a sparse Bayesian regression on pairs of bits and Thompson sampling (Baptista & Poloczek, ICML 2018), BOCS-SA.

The model is α₀ + Σ_i α_i x_i + Σ_{i<j} α_ij x_i x_j with noise σ², x in {0, 1}^d. Its prior is the horseshoe

    α_k ~ N(0, β_k² τ² σ²),   β_k, τ ~ C⁺(0, 1),   p(α₀, σ²) ∝ σ⁻².

α₀ is integrated out by centring. The rest is drawn by Gibbs sampling with auxiliary inverse-gamma variables (Makalic &
Schmidt, 2016), α itself by the algorithm of Bhattacharya et al. (2016) if there are more coefficients than data. A suggestion
minimises the model with one sample of α, by simulated annealing. Differences from the authors' released code: the Markov
chain continues from the last suggestion instead of starting again, the annealing has another length and other temperatures, no
point is suggested twice, and each point of a batch has its own sample.

Binary variables only. For categorical variables the authors' code uses the numbers of the choices in the same regression, and
its annealing draws a new choice for one variable at a time. That imposes an order on the choices and is left out here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from benchmarks.axes import axes_of, configuration_of, numbers_of

STEPS = 1000
"""Steps of the chain per sample, as in the authors' code."""
LEAST, MOST = 1e-10, 1e10
"""Bounds of all variances, so that every Cholesky factor exists. Losses are scaled to variance one."""
RESTARTS, SWEEPS = 10, 20
HOT, COLD = 1.0, 0.01
"""First and last temperature, as shares of the mean change by one flip."""


@dataclass(frozen=True)
class Chain:
    """A state of the Gibbs sampler: coefficients α, local and global shrinkage β², τ² with auxiliary ν, ξ, and noise σ²."""

    alpha: np.ndarray
    beta2: np.ndarray
    nu: np.ndarray
    tau2: float = 1.0
    xi: float = 1.0
    sigma2: float = 1.0


class Bocs:
    def __init__(self, space, initial, seed):
        self._axes, self._rng = axes_of(space), np.random.default_rng(seed)
        if any(axis.kind == "real" or axis.size != 2 for axis in self._axes):
            raise SystemExit("bocs supports binary variables only: every variable must have two values.")
        self._names, self._low = [axis.name for axis in self._axes], np.array([axis.low for axis in self._axes])
        self._X, self._y, self._chain = np.empty((0, len(self._axes))), np.empty(0), None
        self.tell([configuration for configuration, _ in initial], [loss for _, loss in initial])

    def ask(self, count):
        tried, chosen = {row.tobytes() for row in self._X}, []
        for _ in range(count):
            linear, pairs = quadratic(self._sample(), len(self._axes))
            chosen.append(least_untried(anneal(linear, pairs, self._rng), linear, pairs, tried, self._rng))
            tried.add(chosen[-1].tobytes())
        return [configuration_of(self._axes, dict(zip(self._names, self._low + x, strict=True))) for x in chosen]

    def tell(self, configurations, losses):
        rows = [numbers_of(self._axes, configuration) for configuration in configurations]
        X = np.array([[row[name] for name in self._names] for row in rows], float).reshape(-1, len(self._names))
        self._X, self._y = np.concatenate([self._X, X - self._low]), np.concatenate([self._y, losses])

    def _sample(self):
        """Return α after further steps of the chain."""
        F = features(self._X)
        F, y = F - F.mean(axis=0), self._y - self._y.mean()
        y /= y.std() or 1.0
        chain = self._chain or Chain(np.zeros(F.shape[1]), np.ones(F.shape[1]), np.ones(F.shape[1]))
        for _ in range(STEPS):
            chain = gibbs_step(chain, F, y, self._rng)
        self._chain = chain
        return chain.alpha


def features(X):
    """x_i for all i, then x_i x_j for all i < j."""
    i, j = np.triu_indices(X.shape[1], 1)
    return np.hstack([X, X[:, i] * X[:, j]])


def quadratic(alpha, d):
    """Return the weights of x_i and the symmetric matrix of the weights of x_i x_j: the model is b'x + x'Qx/2."""
    Q = np.zeros((d, d))
    Q[np.triu_indices(d, 1)] = alpha[d:]
    return alpha[:d], Q + Q.T


def gibbs_step(chain, F, y, rng):
    """Draw α, σ², β², ν, τ², ξ in turn, each given the others; F and y are centred.

    IG(a, b) is b / Gamma(a), and x ~ C⁺(0, 1) is x² | ν ~ IG(1/2, 1/ν), ν ~ IG(1/2, 1). One degree of freedom is α₀'s.
    """
    n, p = F.shape
    scales = np.clip(chain.beta2 * chain.tau2, LEAST, MOST)
    alpha = coefficients(F, y, scales, chain.sigma2, rng)
    rate = (np.sum((y - F @ alpha) ** 2) + np.sum(alpha**2 / scales)) / 2
    sigma2 = bounded(rate / rng.gamma((n - 1 + p) / 2))
    beta2 = bounded((1 / chain.nu + alpha**2 / (2 * chain.tau2 * sigma2)) / rng.gamma(1.0, size=p))
    nu = bounded((1 + 1 / beta2) / rng.gamma(1.0, size=p))
    tau2 = bounded((1 / chain.xi + np.sum(alpha**2 / beta2) / (2 * sigma2)) / rng.gamma((p + 1) / 2))
    xi = bounded((1 + 1 / tau2) / rng.gamma(1.0))
    return Chain(alpha, beta2, nu, tau2, xi, sigma2)


def bounded(variance):
    return np.clip(variance, LEAST, MOST)


def coefficients(F, y, scales, sigma2, rng):
    """α ~ N(A⁻¹F'y, σ²A⁻¹) with A = F'F + diag(1/scales)."""
    draw = coefficients_of_many if F.shape[1] > F.shape[0] else coefficients_of_few
    return draw(F, y, scales, sigma2, rng)


def coefficients_of_few(F, y, scales, sigma2, rng):
    """By the Cholesky factor of A."""
    factor = cho_factor(F.T @ F + np.diag(1 / scales), lower=True)
    noise = solve_triangular(factor[0], rng.standard_normal(len(scales)), lower=True, trans="T")
    return cho_solve(factor, F.T @ y) + np.sqrt(sigma2) * noise


def coefficients_of_many(F, y, scales, sigma2, rng):
    """By a system of one equation per datum: a prior draw u and noise δ, corrected so that Fu + δ becomes y/σ."""
    u = np.sqrt(scales) * rng.standard_normal(len(scales))
    delta = rng.standard_normal(len(y))
    root = F * np.sqrt(scales)
    w = cho_solve(cho_factor(root @ root.T + np.eye(len(y))), y / np.sqrt(sigma2) - F @ u - delta)
    return np.sqrt(sigma2) * (u + scales * (F.T @ w))


def anneal(linear, pairs, rng):
    """Return the best point of each of the RESTARTS walks. All walks run at once, with one random flip per step."""
    d, walks = len(linear), np.arange(RESTARTS)
    X = rng.integers(0, 2, (RESTARTS, d)).astype(float)
    slope = linear + X @ pairs
    value, scale = np.zeros(RESTARTS), np.abs(slope).mean() or 1.0
    best, least = X.copy(), value.copy()
    for temperature in np.geomspace(HOT * scale, COLD * scale, SWEEPS * d):
        i = rng.integers(d, size=RESTARTS)
        step = 1 - 2 * X[walks, i]
        change = step * slope[walks, i]
        accepted = change < temperature * rng.exponential(size=RESTARTS)
        step, change = step * accepted, change * accepted
        X[walks, i] += step
        slope += step[:, None] * pairs[i]
        value += change
        better = value < least
        best[better], least[better] = X[better], value[better]
    return best


def least_untried(points, linear, pairs, tried, rng):
    """Return the best untried point among the points and their neighbours; if there is none, a random one."""
    d = len(linear)
    flipped = np.abs(points[:, None] - np.eye(d)).reshape(-1, d)
    near = np.concatenate([points, flipped])
    values = near @ linear + 0.5 * np.einsum("ni,ij,nj->n", near, pairs, near)
    other = rng.integers(0, 2, (100, d)).astype(float)
    for x in (*near[np.argsort(values, kind="stable")], *other):
        if x.tobytes() not in tried:
            return x
    return near[values.argmin()]


def start(space, initial, seed, variant):
    return Bocs(space, initial, seed)
