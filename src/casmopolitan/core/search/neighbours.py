"""Acquisition values after every single change of a discrete variable, computed together.

Some kernels have a table of the covariances after a change (`Kernel.change_table`). It lists the levels that occur in the
data, and one random level for those that do not, since the kernel cannot tell these apart. For other kernels every neighbour
is scored as a point of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.posterior import Posterior
from casmopolitan.core.kernels.base import ChangeTable
from casmopolitan.core.points import Array, Codes, Mask, Points

BLOCK = 4_000_000
"""Covariances computed at a time (32 MB), so that memory stays bounded in high dimension."""

EVERY_LEVEL = 64
"""Ordinals with up to this many levels may change to any of them; longer ones to the levels in the data and one other."""


@dataclass(frozen=True, eq=False)
class Moves:
    """The listed single changes: variable `which[k]` to `level[k]`. `rows` finds the change to a given level."""

    which: Codes
    level: Codes
    _first: Codes
    _row: Codes

    @classmethod
    def of(cls, domain: Domain, h: Codes, rng: np.random.Generator) -> Moves:
        """List every level of short ordinals; else the levels that occur in h and one random level of the others."""
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
        """Return the listed change to each level of each point: (m, d_h). The random level stands for all unlisted ones."""
        rows: Codes = self._row[self._first + h]
        return rows


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The moves, the score they are for, and the kernel's table of covariances after each move (None if it has none).

    `added` holds the same moves for the score that is added.
    """

    score: Score
    moves: Moves
    table: ChangeTable | None
    added: Neighbours | None = None

    @classmethod
    def of(cls, score: Score, rng: np.random.Generator) -> Neighbours:
        """Prepare the neighbours for a score. Levels that occur in the data of any of its models are listed."""
        seen, also = [score.posterior.points.h], score.added
        while also is not None:
            seen.append(also.posterior.points.h)
            also = also.added
        return cls.listed(score, Moves.of(score.posterior.domain, np.concatenate(seen), rng))

    @classmethod
    def listed(cls, score: Score, moves: Moves) -> Neighbours:
        """Prepare the neighbours for these moves."""
        added = None if score.added is None else cls.listed(score.added, moves)
        return cls(score.alone(), moves, _table(score.posterior, moves), added)

    def values(self, points: Points, allowed: Mask) -> Array:
        """Return the score after each allowed move from each point, -inf elsewhere.   allowed: (m, moves) -> (m, moves)"""
        out = np.full(allowed.shape, -np.inf)
        at, move = np.nonzero(allowed)
        block = max(1, BLOCK // max(1, len(self.score.posterior.points)))
        for first in range(0, len(at), block):
            part = slice(first, first + block)
            out[at[part], move[part]] = self._scored(points, at[part], move[part])
        if self.added is not None:
            out += self.added.values(points, allowed)
        return out

    def _scored(self, points: Points, at: Codes, move: Codes) -> Array:
        """Return the score of points[at[k]] after move[k], for every k."""
        posterior, which, level = self.score.posterior, self.moves.which[move], self.moves.level[move]
        if self.table is None or posterior.data is None:
            h = points.h[at]
            h[np.arange(len(at)), which] = level
            return self.score(Points(h, points.x[at]))
        old = self.moves.rows(points.h)[at, which]
        K = self.table.covariances(posterior.data.encode(points), at, old, move)
        half = K @ posterior.inverse_factor.T
        variance = posterior.prior_variance - np.einsum("mn,mn->m", half, half)
        np.maximum(variance, 1e-14 * posterior.prior_variance, out=variance)
        mean = K @ posterior.alpha + posterior.prior_mean(points)[at]
        if posterior.bowl is not None:
            mean += posterior.steepness * posterior.bowl.rise(which, points.h[at, which], level)
        return self.score.rule(mean, variance)[0]


def _table(posterior: Posterior, moves: Moves) -> ChangeTable | None:
    """Return the kernel's table for these moves; None without data, or if not every level of an ordinal is listed."""
    if posterior.data is None or any(p is not None and len(p) > EVERY_LEVEL for p in posterior.domain.positions):
        return None
    theta, output_scale, _ = posterior.hyperparameters
    return posterior.kernel.change_table(theta, posterior.data, moves.which, moves.level, output_scale)
