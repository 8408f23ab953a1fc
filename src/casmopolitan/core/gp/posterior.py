"""The posterior of App. A:  μ(z) = k_* K̃⁻¹ y,   σ²(z) = k_** - k_* K̃⁻¹ k_*ᵀ   (noise-free).

With a mean βφ (`mean.py`), y - βφ takes the place of y and βφ(z) is added to μ. β is fixed at its best value given the data.

Every Posterior can be queried: `condition` factorises the covariance, once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtri

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.hyperparameters import Hyperparameters
from casmopolitan.core.gp.mean import Bowl, best_steepness
from casmopolitan.core.kernels.base import Data, Kernel, Rows
from casmopolitan.core.kernels.coding import NO_TASKS, coded
from casmopolitan.core.points import Array, Codes, Mask, Points, stack

JITTERS = (0.0, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2)
"""Added to the diagonal, relative to its mean, in this order until the factorisation succeeds."""

Rule = Callable[[Array, Array], tuple[Array, Array, Array]]
"""A function of μ and σ² at each point that returns a value and its derivatives by μ and by σ²."""

BATCH, BLOCK = 4096, 2_000_000
"""Rows, and discrete values, handled at a time, so that memory stays bounded for any number of candidates."""

CACHED = 20_000
"""Covariances computed at a time for a whole domain: few enough for the processor's cache."""


@dataclass(frozen=True)
class Breakdown:
    """The result of a conditioning that failed even with the largest jitter."""

    reason: str


class Crossing(NamedTuple):
    """μ and σ² at some points, and what `Posterior.gradient` needs: coded points, values kept by the kernel, and k_* L⁻ᵀ."""

    mean: Array
    variance: Array
    rows: Rows | None
    kept: Any
    half: Array


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

    @cached_property
    def hyperparameters(self) -> Hyperparameters:
        """θ split into its parts."""
        return Hyperparameters.of(self.theta)

    @property
    def task(self) -> Codes:
        """The task of every datum; empty if there are no earlier studies."""
        return NO_TASKS if self.data is None else self.data.task

    @property
    def present(self) -> Mask:
        """Which data belong to the present task."""
        return self.task == 0 if len(self.task) else np.ones(len(self.points), dtype=bool)

    @cached_property
    def prior_variance(self) -> float:
        """k_**, the same everywhere."""
        return self.hyperparameters.output_scale * self.kernel.diagonal(self.hyperparameters.kernel)

    def cross(self, points: Points) -> Array:
        """Return k_*: (m, n), times the output scale."""
        if self.data is None:
            return np.zeros((len(points), 0))
        rows = self.data.rows if points is self.points else self.data.encode(points)
        K, _ = self.kernel.cross(self.hyperparameters.kernel, rows, self.data)
        K *= self.hyperparameters.output_scale
        return K

    def prior_mean(self, points: Points) -> Array:
        """Return βφ at every point: the value of μ far from all data."""
        return np.zeros(len(points)) if self.bowl is None else self.steepness * self.bowl(points)

    def moments(self, points: Points) -> tuple[Array, Array]:
        """Return μ and σ² at many points, in batches; σ² is always positive."""
        means, variances = [], []
        batch = min(BATCH, max(1, BLOCK // (1 + points.h.shape[1])))
        for first in range(0, max(len(points), 1), batch):
            part = points if len(points) <= batch else points[first : first + batch]
            mean, variance = self.explained(self.cross(part))
            means.append(mean + self.prior_mean(part))
            variances.append(variance)
        return np.concatenate(means), np.concatenate(variances)

    def moments_everywhere(self, every: Points) -> tuple[Array, Array]:
        """Return μ and σ² at every point of a domain without x, listed as by `Domain.every_point`.

        If the kernel is a product over the variables, and any levels go together, few factors give all covariances.
        """
        levels, (theta, output_scale, _) = self.domain.levels, self.hyperparameters
        which, first = np.repeat(np.arange(len(levels)), levels), np.cumsum(levels) - levels
        level = np.arange(len(which)) - first[which]
        factor = None if self.data is None else self.kernel.factors(theta, self.data, which, level)
        if factor is None or len(every) < math.prod(levels.tolist()):
            return self.moments(every)
        blocks, middle = np.split(factor, first[1:]), len(levels) // 2
        head, tail = output_scale * _products(blocks[:middle], factor), _products(blocks[middle:], factor)
        rows = max(1, CACHED // tail.size)
        parts = (head[k : k + rows, None] * tail for k in range(0, len(head), rows))
        means, variances = zip(*(self.explained(K.reshape(-1, factor.shape[1])) for K in parts), strict=True)
        return np.concatenate(means) + self.prior_mean(every), np.concatenate(variances)

    def explained(self, K: Array) -> tuple[Array, Array]:
        """Return μ without the prior mean, and σ², from the covariances k_* with the data; σ² is always positive."""
        half = K @ self.inverse_factor.T
        variance = self.prior_variance - np.einsum("mn,mn->m", half, half)
        return K @ self.alpha, np.maximum(variance, 1e-14 * self.prior_variance, out=variance)

    def rule_with_gradient(self, points: Points, rule: Rule, before: Crossing | None = None) -> tuple[Array, Array]:
        """Return a function r of μ and σ² at every point, and its gradient by x. k_* is computed once for both.

        `before` is the crossing of points with the same h, if there is one.
        """
        crossing = self.crossing(points, before)
        value, by_mean, by_variance = rule(crossing.mean, crossing.variance)
        return value, self.gradient(points, crossing, by_mean, by_variance)

    def rule_along_x(self, points: Points, rule: Rule) -> Callable[[Array], tuple[Array, Array]]:
        """Return `rule_with_gradient` as a function of x at the h of the points."""
        before = self.crossing(points)
        return lambda x: self.rule_with_gradient(Points(points.h, x), rule, before)

    def crossing(self, points: Points, before: Crossing | None = None) -> Crossing:
        """Return μ and σ² at every point, and what their gradients need. `before` is that of points with the same h."""
        if self.data is None:
            return Crossing(*self.moments(points), None, None, np.empty((len(points), 0)))
        theta, output_scale, _ = self.hyperparameters
        if before is None or before.rows is None:
            rows = self.data.encode(points)
            K, kept = self.kernel.cross(theta, rows, self.data)
        else:
            rows = replace(before.rows, x=points.x)
            K, kept = self.kernel.cross_again(theta, rows, self.data, before.kept)
        K *= output_scale
        half = K @ self.inverse_factor.T
        variance = np.maximum(self.prior_variance - np.einsum("mn,mn->m", half, half), 1e-14 * self.prior_variance)
        return Crossing(K @ self.alpha + self.prior_mean(points), variance, rows, kept, half)

    def gradient(self, points: Points, crossing: Crossing, by_mean: Array, by_variance: Array) -> Array:
        """Return the gradient by x of a function r of μ and σ², given its derivatives.

        ∂r/∂k_* = ∂r/∂μ α - 2 ∂r/∂σ² K̃⁻¹ k_*.
        """
        if self.data is None or crossing.rows is None:
            return np.zeros_like(points.x)
        theta, output_scale, _ = self.hyperparameters
        by_cross = np.multiply.outer(by_mean, self.alpha)
        by_cross -= (crossing.half * (2.0 * by_variance)[:, None]) @ self.inverse_factor
        by_cross *= output_scale
        gradient = self.kernel.pull(theta, crossing.rows, self.data, crossing.kept, by_cross)
        if self.bowl is not None:
            gradient += (self.steepness * by_mean)[:, None] * self.bowl.gradient(points.x)
        return gradient

    def covariance(self, points: Points) -> Array:
        """Return the covariance among m points: (m, m).

        Points and data are coded together, so that levels that do not occur in the data still differ from each other.
        """
        n = len(self.points)
        K = self._prior_covariance(coded(self.domain, stack([self.points, points]), self.task))
        half = K[n:, :n] @ self.inverse_factor.T
        covariance: Array = K[n:, n:] - half @ half.T
        return covariance

    def _prior_covariance(self, data: Data) -> Array:
        covariance: Array = self.hyperparameters.output_scale * self.kernel.forward(self.hyperparameters.kernel, data)[0]
        return covariance

    def sample(self, points: Points, count: int, rng: np.random.Generator) -> Array:
        """Draw the noise-free function at m points `count` times: (count, m). The covariance may be singular."""
        mean, _ = self.moments(points)
        values, vectors = np.linalg.eigh(self.covariance(points))
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        draws: Array = mean + rng.standard_normal((count, len(points))) @ root.T
        return draws

    def extended(self, points: Points, y: Array) -> Posterior:
        """Return the posterior after adding y at `points`, with the same hyperparameters and β. The factor is extended.

        With K̃ = LLᵀ the new rows of the inverse of the factor are  -M⁻¹ L₂₁ L⁻¹  and  M⁻¹,  where  L₂₁ = K₂₁ L⁻ᵀ  and
        MMᵀ = K₂₂ - L₂₁ L₂₁ᵀ.  If no jitter gives an M, the posterior is returned unchanged.
        """
        n, m = len(self.points), len(points)
        if m == 0:
            return self
        data = coded(self.domain, stack([self.points, points]), self.task)
        K22 = self._prior_covariance(
            coded(self.domain, points, NO_TASKS if not len(self.task) else np.zeros(m, dtype=np.int64))
        )
        L21 = self.cross(points) @ self.inverse_factor.T
        factored = inverse_of_factor(K22 - L21 @ L21.T, self.hyperparameters.noise + self.jitter)
        if isinstance(factored, Breakdown):
            return self
        corner, _ = factored
        inverse = np.zeros((n + m, n + m))
        inverse[:n, :n] = self.inverse_factor
        inverse[n:, :n] = -corner @ (L21 @ self.inverse_factor)
        inverse[n:, n:] = corner
        values = np.concatenate([self.y, y])
        alpha = inverse.T @ (inverse @ (values - self.prior_mean(data.points)))
        return replace(self, points=data.points, y=values, data=data, inverse_factor=inverse, alpha=alpha)


def _products(blocks: list[Array], factor: Array) -> Array:
    """Return the products of one row from each block, in lexicographic order of the rows."""
    product = np.ones((1, factor.shape[1]))
    for block in blocks:
        product = (product[:, None] * block).reshape(-1, factor.shape[1])
    return product


def inverse_of_factor(K: Array, noise: float) -> tuple[Array, float] | Breakdown:
    """Return L⁻¹ with LLᵀ = K + (noise + jitter) I, and the smallest jitter of JITTERS that gives it."""
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
    domain: Domain, kernel: Kernel, theta: Array, points: Points, y: Array, bowl: Bowl | None = None, data: Data | None = None
) -> Posterior | Breakdown:
    """Condition a Gaussian process with hyperparameters θ on y at the points; without points it is the prior.

    The mean is the bowl of best steepness, or zero if `bowl` is None. `data` are the points as a fit coded them, if it did.
    """
    if len(points) == 0:
        return Posterior(domain, kernel, theta, points, y, None, np.empty((0, 0)), np.empty(0), 0.0)
    data, (kernel_theta, output_scale, noise) = data or coded(domain, points), Hyperparameters.of(theta)
    factored = inverse_of_factor(output_scale * kernel.forward(kernel_theta, data)[0], noise)
    if isinstance(factored, Breakdown):
        return factored
    inverse, jitter = factored
    half, steepness = inverse @ y, 0.0
    if bowl is not None:
        half_phi = inverse @ bowl(points)
        steepness = best_steepness(float(half_phi @ half), float(half_phi @ half_phi), bowl.least)
        half -= steepness * half_phi
    alpha = inverse.T @ half
    if not np.isfinite(alpha).all():
        return Breakdown("the targets are not finite")
    return Posterior(domain, kernel, theta, points, y, data, inverse, alpha, jitter, bowl if steepness else None, steepness)
