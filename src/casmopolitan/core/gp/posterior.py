"""The posterior of App. A:  μ(z) = k_* K̃⁻¹ y,   σ²(z) = k_** - k_* K̃⁻¹ k_*ᵀ   (noise-free).

With a mean βφ (`trend.py`), y - βφ stands for y and βφ(z) is added to μ; β is fixed at its best value given the data.

If you can hold a Posterior, you can query it: the factorisation happens in `condition`, once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtri

from casmopolitan.core.arrays import Array
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.mean import Bowl, best_steepness
from casmopolitan.core.kernels.base import Data, Kernel
from casmopolitan.core.points import Points, stack

JITTERS = (0.0, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2)
"""Added to the diagonal, relative to its mean, one after the other until the factorisation succeeds."""

Rule = Callable[[Array, Array], tuple[Array, Array, Array]]
"""From μ and σ² to a value for each point and its derivatives by μ and by σ²."""

BATCH = 4096
"""Rows handled at a time, so that memory stays bounded whatever the number of candidates."""


@dataclass(frozen=True)
class Breakdown:
    """The typed outcome of a conditioning that failed even with the largest jitter."""

    reason: str


@dataclass(frozen=True, eq=False)
class Posterior:
    """A Gaussian process conditioned on data (n >= 0)."""

    domain: Domain
    kernel: Kernel
    theta: Array
    points: Points
    y: Array
    data: Data | None
    inverse_factor: Array
    alpha: Array
    jitter: float
    bowl: Bowl | None = None
    steepness: float = 0.0

    @property
    def prior_variance(self) -> float:
        """k_**, the same everywhere."""
        return float(self.theta[-2]) * self.kernel.diagonal(self.theta[:-2])

    def cross(self, points: Points) -> Array:
        """k_*: (m, n), scaled by the outputscale."""
        if self.data is None:
            return np.zeros((len(points), 0))
        K, _ = self.kernel.cross(self.theta[:-2], self.data.encode(points), self.data)
        K *= self.theta[-2]
        return K

    def trend(self, points: Points) -> Array:
        """βφ at every point, what μ is far from all data."""
        return np.zeros(len(points)) if self.bowl is None else self.steepness * self.bowl(points)

    def moments(self, points: Points) -> tuple[Array, Array]:
        """μ and σ² at many points, in batches; σ² is never negative."""
        means, variances = [], []
        for first in range(0, max(len(points), 1), BATCH):
            part = points[first : first + BATCH]
            K = self.cross(part)
            V = K @ self.inverse_factor.T
            means.append(K @ self.alpha + self.trend(part))
            variances.append(self.prior_variance - np.einsum("mn,mn->m", V, V))
        floor = 1e-14 * self.prior_variance
        return np.concatenate(means), np.maximum(np.concatenate(variances), floor)

    def rule_with_gradient(self, points: Points, rule: Rule) -> tuple[Array, Array]:
        """A function r of μ and σ² at every point, and its gradient in x; k_* is made once for both.

        ∂r/∂k_* = ∂r/∂μ α - 2 ∂r/∂σ² K̃⁻¹ k_*.
        """
        if self.data is None:
            return rule(*self.moments(points))[0], np.zeros_like(points.x)
        theta, rows = self.theta[:-2], self.data.encode(points)
        K, tape = self.kernel.cross(theta, rows, self.data)
        K *= self.theta[-2]
        half = K @ self.inverse_factor.T
        variance = np.maximum(self.prior_variance - np.einsum("mn,mn->m", half, half), 1e-14 * self.prior_variance)
        value, by_mean, by_variance = rule(K @ self.alpha + self.trend(points), variance)
        V = np.multiply.outer(by_mean, self.alpha)
        half *= (2.0 * by_variance)[:, None]
        V -= half @ self.inverse_factor
        V *= self.theta[-2]
        gradient = self.kernel.pull(theta, rows, self.data, tape, V)
        if self.bowl is not None:
            gradient += (self.steepness * by_mean)[:, None] * self.bowl.gradient(points.x)
        return value, gradient

    def covariance(self, points: Points) -> Array:
        """Among m points: (m, m). The points and the data are coded together, so that levels never seen still compare."""
        n = len(self.points)
        both = Data.of(self.domain, stack([self.points, points]))
        K = self.theta[-2] * self.kernel.forward(self.theta[:-2], both)[0]
        V = K[n:, :n] @ self.inverse_factor.T
        covariance: Array = K[n:, n:] - V @ V.T
        return covariance

    def sample(self, points: Points, count: int, rng: np.random.Generator) -> Array:
        """`count` draws of the noise-free function at m points: (count, m); an eigen-decomposition tolerates lost rank."""
        mean, _ = self.moments(points)
        values, vectors = np.linalg.eigh(self.covariance(points))
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        draws: Array = mean + rng.standard_normal((count, len(points))) @ root.T
        return draws

    def believing(self, points: Points, y: Array) -> Posterior:
        """The posterior after also seeing y at `points`, hyper-parameters and β kept: the factor is extended, not made again.

        With K̃ = LLᵀ the new rows of the factor's inverse are  -M⁻¹ L₂₁ L⁻¹  and  M⁻¹,  where  L₂₁ = K₂₁ L⁻ᵀ  and
        MMᵀ = K₂₂ - L₂₁ L₂₁ᵀ.  Where even jitter gives no M, what cannot be believed is not: the posterior stays as it is.
        """
        n, m = len(self.points), len(points)
        if m == 0:
            return self
        data = Data.of(self.domain, stack([self.points, points]))
        extra = Data.of(self.domain, points)
        K22 = self.theta[-2] * self.kernel.forward(self.theta[:-2], extra)[0]
        L21 = self.cross(points) @ self.inverse_factor.T
        factored = inverse_of_factor(K22 - L21 @ L21.T, float(self.theta[-1]) + self.jitter)
        if isinstance(factored, Breakdown):
            return self
        corner, _ = factored
        inverse = np.zeros((n + m, n + m))
        inverse[:n, :n] = self.inverse_factor
        inverse[n:, :n] = -corner @ (L21 @ self.inverse_factor)
        inverse[n:, n:] = corner
        values = np.concatenate([self.y, y])
        alpha = inverse.T @ (inverse @ (values - self.trend(data.points)))
        return replace(self, points=data.points, y=values, data=data, inverse_factor=inverse, alpha=alpha)


def inverse_of_factor(K: Array, noise: float) -> tuple[Array, float] | Breakdown:
    """L⁻¹ with LLᵀ = K + (noise + jitter) I, climbing the jitter ladder; and the jitter that was needed."""
    n = len(K)
    if n == 0:
        return np.empty((0, 0)), 0.0
    if not np.isfinite(K).all():
        return Breakdown("the covariance holds values that are not finite")
    scale = max(float(np.trace(K)) / n, 1e-12)
    for relative in JITTERS:
        covariance = K.copy()
        covariance.ravel()[:: n + 1] += noise + relative * scale
        factor, failed = dpotrf(covariance.T, lower=1, clean=1, overwrite_a=1)
        if failed:
            continue
        inverse, failed = dtrtri(factor, lower=1)
        if not failed and np.isfinite(inverse).all():
            return np.ascontiguousarray(inverse), relative * scale
    return Breakdown(f"the covariance of {n} points is not positive definite, even with jitter {JITTERS[-1]:g}")


def condition(
    domain: Domain, kernel: Kernel, theta: Array, points: Points, y: Array, bowl: Bowl | None = None
) -> Posterior | Breakdown:
    """The Gaussian process with hyper-parameters θ given y at the points, its mean the best `bowl` (None: zero).

    n = 0 gives the prior.
    """
    if len(points) == 0:
        return Posterior(domain, kernel, theta, points, y, None, np.empty((0, 0)), np.empty(0), 0.0)
    data = Data.of(domain, points)
    K = theta[-2] * kernel.forward(theta[:-2], data)[0]
    factored = inverse_of_factor(K, float(theta[-1]))
    if isinstance(factored, Breakdown):
        return factored
    inverse, jitter = factored
    half, steepness = inverse @ y, 0.0
    if bowl is not None:
        half_phi = inverse @ bowl(points)
        steepness = best_steepness(float(half_phi @ half), float(half_phi @ half_phi))
        half -= steepness * half_phi
    alpha = inverse.T @ half
    if not np.isfinite(alpha).all():
        return Breakdown("the targets are not finite")
    return Posterior(domain, kernel, theta, points, y, data, inverse, alpha, jitter, bowl if steepness else None, steepness)
