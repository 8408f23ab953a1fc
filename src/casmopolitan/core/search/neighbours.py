"""All single changes of a discrete variable at once, from one table:  k_h(h', z_i) = k_h(h, z_i) · e_j(h'_j, i) / e_j(h_j, i).

With the heat kernel, changing variable j multiplies each entry of k_* by a factor that depends on the old level, the new level
and the datum alone: e_j(l, i) = exp(-w_j d_j(l, h_ij)). The table holds e for the levels that occur in the data and one
random stand-in for those that do not, since the kernel cannot tell them apart. What two points have in common (`shares.py`)
changes by the difference of two entries of a second table, u_j δ_j(l, h_ij).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.arrays import Array, Codes, Mask
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.posterior import Posterior
from casmopolitan.core.kernels.heat import HeatKernel
from casmopolitan.core.kernels.mixed import MixedKernel
from casmopolitan.core.points import Points

BLOCK = 4_000_000
"""Entries of k_* handled at a time, so that memory stays bounded in high dimension."""

EVERY_LEVEL = 64
"""Ordinals up to this many levels may go to any of them; longer ones to the levels seen and one other."""


@dataclass(frozen=True, eq=False)
class Moves:
    """Which variable may go to which level, and where in that list each level of each variable stands."""

    which: Codes
    level: Codes
    _first: Codes
    _row: Codes

    @classmethod
    def of(cls, domain: Domain, h: Codes, rng: np.random.Generator) -> Moves:
        """Every level of short ordinals; else the levels that occur in h and one random stand-in for the rest."""
        levels = domain.levels
        first = np.concatenate([[0], np.cumsum(levels)[:-1]]).astype(np.int64) if len(levels) else levels
        row = np.zeros(int(levels.sum()), dtype=np.int64)
        which, level, count = [], [], 0
        for j, n in enumerate(map(int, levels)):
            if domain.positions[j] is not None and n <= EVERY_LEVEL:
                codes = np.arange(n)
            else:
                codes = np.unique(h[:, j])
                if len(codes) < n:
                    row[first[j] : first[j] + n] = count + len(codes)
                    rank = int(rng.integers(n - len(codes)))
                    unseen = rank + int(np.searchsorted(codes - np.arange(len(codes)), rank, side="right"))
                    codes = np.append(codes, unseen)
            row[first[j] + codes] = count + np.arange(len(codes))
            which.append(np.full(len(codes), j))
            level.append(codes)
            count += len(codes)
        empty = np.empty(0, dtype=np.int64)
        return cls(
            np.concatenate(which, dtype=np.int64) if which else empty,
            np.concatenate(level, dtype=np.int64) if level else empty,
            first, row,
        )  # fmt: skip

    def rows(self, h: Codes) -> Codes:
        """Where each point's own levels stand in the list: (m, d_h). A level that is not listed shares its stand-in's row."""
        rows: Codes = self._row[self._first + h]
        return rows


@dataclass(frozen=True, eq=False)
class Flips:
    """The moves, their factors on k_* (None where the kernel allows no short cut), and the score they are for.

    `part` is what a level does not share with each datum, where the kernel has a part of single variables; `added` are the same
    moves for what is added to the score.
    """

    score: Score
    moves: Moves
    factor: Array | None
    part: Array | None = None
    added: Flips | None = None

    @classmethod
    def of(cls, score: Score, rng: np.random.Generator) -> Flips:
        """The table for a score's posterior; levels that any of its models has seen are moves of their own."""
        seen, also = [score.posterior.points.h], score.added
        while also is not None:
            seen.append(also.posterior.points.h)
            also = also.added
        return cls.listed(score, Moves.of(score.posterior.domain, np.concatenate(seen), rng))

    @classmethod
    def listed(cls, score: Score, moves: Moves) -> Flips:
        """The table for these moves."""
        added = None if score.added is None else cls.listed(score.added, moves)
        return cls(score.alone(), moves, *_tables(score.posterior, moves), added)

    def values(self, points: Points, allowed: Mask) -> Array:
        """The score after each allowed move from each point, -inf elsewhere.   allowed: (m, moves)   ->   (m, moves)"""
        out = np.full(allowed.shape, -np.inf)
        at, move = np.nonzero(allowed)
        block = max(1, BLOCK // max(1, len(self.score.posterior.points)))
        for first in range(0, len(at), block):
            part = slice(first, first + block)
            changed = self._short if self.factor is not None else self._long
            out[at[part], move[part]] = changed(points, at[part], move[part])
        if self.added is not None:
            out += self.added.values(points, allowed)
        return out

    def _long(self, points: Points, at: Codes, move: Codes) -> Array:
        """By scoring every neighbour as a point of its own."""
        h = points.h[at]
        h[np.arange(len(at)), self.moves.which[move]] = self.moves.level[move]
        return self.score(Points(h, points.x[at]))

    def _short(self, points: Points, at: Codes, move: Codes) -> Array:
        """By the table: one product for the means and one for the variances of all neighbours."""
        posterior, factor = self.score.posterior, self.factor
        if factor is None or posterior.data is None:
            return self._long(points, at, move)
        slope, K_h, shift, reach = _affine(posterior, points)
        K_h *= slope
        own = self.moves.rows(points.h)[at, self.moves.which[move]]
        K = factor[move]
        K /= factor[own]
        K *= K_h[at]
        if shift is not None:
            K += shift[at]
        if reach is not None and self.part is not None:
            gained = self.part[own]
            gained -= self.part[move]
            gained *= reach[at]
            K += gained
        V = K @ posterior.inverse_factor.T
        variance = posterior.prior_variance - np.einsum("mn,mn->m", V, V)
        np.maximum(variance, 1e-14 * posterior.prior_variance, out=variance)
        mean = K @ posterior.alpha + posterior.trend(points)[at]
        if posterior.bowl is not None:
            which, level = self.moves.which[move], self.moves.level[move]
            mean += posterior.steepness * posterior.bowl.rise(which, points.h[at, which], level)
        return self.score.rule(mean, variance)[0]


def _affine(posterior: Posterior, points: Points) -> tuple[Array, Array, Array | None, Array | None]:
    """k_* = slope ∘ K_h + shift: what of the covariance with the data a change of h leaves alone.

    The last is by how much k_* grows with what is shared, where the kernel has a part of single variables; `shift` holds that
    part before any change.
    """
    data, kernel, theta, scale = posterior.data, posterior.kernel, posterior.theta[:-2], posterior.theta[-2:-1]
    if data is None:
        raise TypeError("a posterior without data has no covariance with them")
    rows = data.encode(points)
    if not isinstance(kernel, MixedKernel):
        return scale, kernel.cross(theta, rows, data)[0], None, None
    (a, b, c, e), parts = kernel.split(theta)[2], kernel.parts(theta, rows, data)
    K_h, K_x = parts.K_h, parts.K_x
    if parts.K_1 is None:
        return scale * (a * K_x + b), K_h, scale * (c * K_x), None
    return scale * (a * K_x + b), K_h, scale * (c + e * parts.K_1) * K_x, scale * (e * K_x)


def _tables(posterior: Posterior, moves: Moves) -> tuple[Array | None, Array | None]:
    """e_j(l, i) and u_j δ_j(l, i) for every move: (moves, n).

    None unless the discrete kernel is the heat kernel and every level is listed; the second, unless there is a part for it.
    """
    kernel, theta, single = posterior.kernel, posterior.theta[:-2], None
    if isinstance(kernel, MixedKernel):
        theta, single, kernel = kernel.split(theta)[0], kernel.single, kernel.discrete
    if not isinstance(kernel, HeatKernel) or posterior.data is None:
        return None, None
    positions = posterior.domain.positions
    if any(p is not None and len(p) > EVERY_LEVEL for p in positions):
        return None, None
    h = posterior.points.h.T[moves.which]
    distance = (h != moves.level[:, None]).astype(float)
    for at, j in enumerate(moves.which):
        p = positions[j]
        if p is not None:
            distance[at] = np.abs(p[h[at]] - p[moves.level[at]])
    part = None if single is None else distance * single.shares(theta)[moves.which][:, None]
    if kernel.ordered:
        distance += kernel.smoothness(theta) * (distance**2 - distance)
    distance *= -kernel.rates(theta)[moves.which][:, None]
    factors: Array = np.exp(distance, out=distance)
    return factors, part
