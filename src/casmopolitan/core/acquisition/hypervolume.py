"""Expected hypervolume improvement over the boxes [l, u] of the region that the front does not dominate.

    EHVI = Σ_boxes Π_j ( ψ_j(u_j) - ψ_j(l_j) ),      ψ_j(v) = E max(v - Y_j, 0) = EI with the incumbent v

The processes are independent, so the expectation of a product is the product of expectations. Everything is computed in
logarithms: far from the front EHVI underflows, and its logarithm does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from casmopolitan.core.acquisition.expected_improvement import log_h
from casmopolitan.core.points import Array, Codes

ENTRIES = 3_000
"""Maximum of points times boxes that are computed at a time. More no longer fit into the cache and take twice as long."""

LEAST, TINY = float(np.finfo(np.float64).min), float(np.finfo(np.float64).tiny)
"""Lower bounds of a logarithm and of a divisor. They matter only where no box can be reached."""


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

    @cached_property
    def _columns(self) -> tuple[Array, Codes, list[Factor]]:
        """The edges of all objectives in one column, the objective of each edge, and the factors, which index this column."""
        sizes = [len(edges) for edges in self.edges]
        first = np.cumsum(sizes) - sizes
        factors = [Factor.of(self.low[:, j], self.high[:, j], int(start)) for j, start in enumerate(first)]
        return np.concatenate(self.edges)[:, None], np.repeat(np.arange(len(sizes)), sizes), factors

    def _rule(self, mean: Array, variance: Array) -> tuple[Array, Array, Array]:
        edges, owner, factors = self._columns
        deviation = np.sqrt(variance).take(owner, 0)
        log, tail, density = log_h((edges - mean.take(owner, 0)) / deviation)  # of all objectives at once: (edges, n)
        log += np.log(deviation)
        tail /= -deviation
        density /= 2.0 * deviation * deviation
        parts = [factor(log, tail, density) for factor in factors]
        logs = parts[0][0]
        for part in parts[1:]:
            logs += part[0]
        largest = np.maximum(logs.max(axis=0), LEAST)
        share = np.exp(np.subtract(logs, largest, out=logs), out=logs)
        total = share.sum(axis=0)
        with np.errstate(divide="ignore"):  # no box can be reached: log EHVI is -inf
            value: Array = largest + np.log(total)
        share /= np.maximum(total, TINY)
        by_mean, by_variance = (np.stack([np.einsum("bn,bn->n", share, part[k]) for part in parts]) for k in (1, 2))
        return value, by_mean, by_variance


class Factor(NamedTuple):
    """ψ(u) - ψ(l) of every box in one objective.

    high: the row of each u among all edges. bounded: the boxes with a finite l. low: the row of each such l.
    """

    high: Codes
    bounded: Codes
    low: Codes

    @classmethod
    def of(cls, low: Codes, high: Codes, first: int) -> Factor:
        """Index the edges of one objective, which begin at row `first`; a `low` of -1 is an l of -inf."""
        bounded = np.flatnonzero(low >= 0)
        return cls(first + high, bounded, first + low[bounded])

    def __call__(self, log: Array, by_mean: Array, by_variance: Array) -> tuple[Array, Array, Array]:
        """Return log(ψ(u) - ψ(l)) of every box and its derivatives by μ and σ², from those of ψ at all edges: (b, n) each."""
        high, at, low = self
        value, slope_mean, slope_variance = log.take(high, 0), by_mean.take(high, 0), by_variance.take(high, 0)
        if len(at):
            # With r = ψ(l)/ψ(u):  log(ψ(u) - ψ(l)) = log ψ(u) + log(1 - r), and its slope is (slope_u - r slope_l) / (1 - r).
            r = np.exp(np.minimum(log.take(low, 0) - value[at], -1e-15))
            rest = 1.0 - r
            value[at] += np.log(rest)
            slope_mean[at] = (slope_mean[at] - r * by_mean.take(low, 0)) / rest
            slope_variance[at] = (slope_variance[at] - r * by_variance.take(low, 0)) / rest
        return value, slope_mean, slope_variance
