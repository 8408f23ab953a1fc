"""Expected hypervolume improvement over the boxes [l, u] of the region that the front does not dominate.

    EHVI = Σ_boxes Π_j ( ψ_j(u_j) - ψ_j(l_j) ),      ψ_j(v) = E max(v - Y_j, 0) = EI with the incumbent v

The processes are independent, so the expectation of a product is the product of expectations. Everything is computed in
logarithms: far from the front EHVI underflows, and its logarithm does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casmopolitan.core.acquisition.expected_improvement import log_h
from casmopolitan.core.points import Array, Codes

ENTRIES = 400_000
"""Maximum of points times boxes that are computed at a time, which limits the memory."""


@dataclass(frozen=True, eq=False)
class HypervolumeImprovement:
    """log EHVI as a function of μ and σ² of all objectives.

    `edges[j]` are the distinct finite corners of all boxes in objective j. `low` and `high` (b, m) index them; -1 is -inf.
    """

    edges: tuple[Array, ...]
    low: Codes
    high: Codes

    @classmethod
    def of(cls, low: Array, high: Array) -> HypervolumeImprovement:
        """Prepare the rule for boxes with these corners (b, m)."""
        edges = [np.unique(part[np.isfinite(part)]) for part in (np.append(low[:, j], high[:, j]) for j in range(low.shape[1]))]
        places = [
            np.stack([np.where(np.isfinite(v[:, j]), np.searchsorted(e, v[:, j]), -1) for j, e in enumerate(edges)], axis=1)
            for v in (low, high)
        ]
        return cls(tuple(edges), *places)

    def __call__(self, mean: Array, variance: Array) -> tuple[Array, Array, Array]:
        """Return log EHVI (n,) and its derivatives by μ and σ² (m, n).   mean, variance: (m, n)"""
        n, step = mean.shape[1], max(1, ENTRIES // len(self.low))
        if n <= step:
            return self._rule(mean, variance)
        parts = [self._rule(mean[:, k : k + step], variance[:, k : k + step]) for k in range(0, n, step)]
        value, by_mean, by_variance = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
        return value, by_mean, by_variance

    def _rule(self, mean: Array, variance: Array) -> tuple[Array, Array, Array]:
        factors = [self._factor(j, mean[j], variance[j]) for j in range(len(self.edges))]
        logs: Array = np.sum([log for log, _, _ in factors], axis=0)
        largest = logs.max(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):  # no box can be reached: log EHVI is -inf
            share = np.nan_to_num(np.exp(logs - largest))
            total = share.sum(axis=1)
            value: Array = largest[:, 0] + np.log(total)
            share = np.nan_to_num(share / total[:, None])
        by_mean = np.stack([(share * slope).sum(axis=1) for _, slope, _ in factors])
        return value, by_mean, np.stack([(share * slope).sum(axis=1) for _, _, slope in factors])

    def _factor(self, j: int, mean: Array, variance: Array) -> tuple[Array, Array, Array]:
        """Return log(ψ(u) - ψ(l)) of every box in objective j, and its derivatives by μ and σ²: (n, b) each."""
        deviation = np.sqrt(variance)[:, None]
        log, tail, density = log_h((self.edges[j][None, :] - mean[:, None]) / deviation)
        log += np.log(deviation)
        by_mean, by_variance = -tail / deviation, density / (2.0 * variance[:, None])
        low, high = self.low[:, j], self.high[:, j]
        if (low < 0).all():
            return log[:, high], by_mean[:, high], by_variance[:, high]
        # With r = ψ(l)/ψ(u):  log(ψ(u) - ψ(l)) = log ψ(u) + log(1 - r), and its slope is (slope_u - r slope_l) / (1 - r).
        r = np.where(low < 0, 0.0, np.exp(np.minimum(log[:, low] - log[:, high], -1e-15)))
        rest = 1.0 - r
        return (
            log[:, high] + np.log(rest),
            (by_mean[:, high] - r * by_mean[:, low]) / rest,
            (by_variance[:, high] - r * by_variance[:, low]) / rest,
        )
