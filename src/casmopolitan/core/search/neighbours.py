"""Acquisition values after every single change of a discrete variable, computed together.

Some kernels have a table of the covariances after a change (`Kernel.change_table`). It lists the levels that occur in the
data, and one random level for those that do not, since the kernel cannot tell these apart. Of ordinal and described
variables it lists every level. For other kernels every neighbour is scored as a point of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.posterior import Posterior
from casmopolitan.core.kernels.base import ChangeTable, Levels
from casmopolitan.core.points import Array, Codes, Mask, Points, occurring

BLOCK = 4_000_000
"""Covariances computed at a time (32 MB), so that memory stays bounded in high dimension."""

MANY, PROMISING = 1024, 32
"""With more than MANY moves only the PROMISING ones are scored exactly: those with the highest estimates.

With 1,000 switches the best of 400 had rank 0 by its estimate in 80 % of the moves and at most 5 in 99 %.
"""

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
        """List every level of short ordinals and of described variables; else those in h and one random level of the others.

        Codes of inactive variables are never listed.
        """
        levels = domain.levels
        first = np.cumsum(domain.codes) - domain.codes
        of_level = np.repeat(np.arange(len(levels)), domain.codes)
        listed = occurring(h, domain.codes)
        listed[(first + levels)[domain.codes > levels]] = False
        for j, positions in enumerate(domain.positions):
            if positions is not None and levels[j] <= EVERY_LEVEL:
                listed[first[j] : first[j] + levels[j]] = True
        for j, _ in domain.described:
            listed[first[j] : first[j] + levels[j]] = True
        short = np.flatnonzero(np.bincount(of_level[listed], minlength=len(levels)) < levels)
        drawn = np.zeros(len(short), dtype=np.int64)
        for k, j in enumerate(short.tolist()):  # one draw after the other, as recorded runs have them
            unlisted = np.flatnonzero(~listed[first[j] : first[j] + levels[j]])
            drawn[k] = first[j] + unlisted[int(rng.integers(len(unlisted)))]
        # The drawn level comes last among those of its variable, and stands for all that are not listed.
        at = np.concatenate([np.flatnonzero(listed), drawn])
        at = at[np.argsort(of_level[at], kind="stable")]
        row, last = np.zeros(len(of_level), dtype=np.int64), np.cumsum(np.bincount(of_level[at], minlength=len(levels))) - 1
        row[:] = last[of_level]
        row[at] = np.arange(len(at))
        return cls(of_level[at], at - first[of_level[at]], first, row)

    def rows(self, h: Codes) -> Codes:
        """Return the listed change to each level of each point: (m, d_h). The random level stands for all unlisted ones."""
        rows: Codes = self._row[self._first + h]
        return rows


@dataclass(frozen=True, eq=False)
class Changes:
    """One posterior, and the kernel's table of covariances after each move (None if it has none).

    With more than MANY moves the table is not made in advance: `levels` serves to find the promising moves, and only these
    are scored.
    """

    posterior: Posterior
    table: ChangeTable | None
    levels: Levels | None = None

    @classmethod
    def of(cls, posterior: Posterior, moves: Moves) -> Changes:
        """Prepare the moves under a posterior."""
        data, which, level = posterior.data, moves.which, moves.level
        levels = None if data is None or len(which) <= MANY else data.listed(which, level)
        complete = all(p is None or len(p) <= EVERY_LEVEL for p in posterior.domain.positions)
        return cls(posterior, _table(posterior, which, level) if complete and levels is None else None, levels)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The moves, the score they are for, and the changes under each of its posteriors.

    `added` holds the same moves for the score that is added.
    """

    score: Score
    moves: Moves
    changes: tuple[Changes, ...]
    added: Neighbours | None = None
    spare: Points | None = None
    """The values of variables that a move makes active; None if no variable depends on another."""

    @classmethod
    def of(cls, score: Score, rng: np.random.Generator) -> Neighbours:
        """Prepare the neighbours for a score. Levels that occur in the data of any of its models are listed."""
        seen = [part.points.h for one in score.chain() for part in one.parts]
        first = score.parts[0]
        moves, spare = Moves.of(first.domain, np.concatenate(seen), rng), None
        if first.domain.conditions is not None:
            order = np.argsort(first.y, kind="stable")
            spare = first.domain.conditions.best_known(first.points, order, first.domain.draw_values(1, rng))
        return cls.listed(score, moves, spare)

    @classmethod
    def listed(cls, score: Score, moves: Moves, spare: Points | None = None) -> Neighbours:
        """Prepare the neighbours for these moves."""
        added = None if score.added is None else cls.listed(score.added, moves, spare)
        return cls(score.alone(), moves, tuple(Changes.of(part, moves) for part in score.parts), added, spare)

    def moved(self, points: Points, move: Codes) -> Points:
        """Return points[k] after move[k], for every k. A change of a parent also sets its children."""
        which, level = self.moves.which[move], self.moves.level[move]
        conditions = self.score.parts[0].domain.conditions
        if conditions is not None and self.spare is not None:
            return conditions.changed(points, which, level, self.spare)
        h = points.h.copy()
        h[np.arange(len(h)), which] = level
        return Points(h, points.x)

    def values(self, points: Points, allowed: Mask) -> Array:
        """Return the score after each allowed move from each point, -inf elsewhere.   allowed: (m, moves) -> (m, moves)

        With more than MANY moves only the PROMISING best of each point are scored; the others count as not allowed.
        """
        starts = Starts.of(self, points)
        return starts.values(starts.promising(allowed) if allowed.shape[1] > MANY else allowed)


@dataclass(frozen=True, eq=False)
class Starts:
    """Points that moves start from, and what `Kernel.cross` returns for them under each posterior (None without data)."""

    neighbours: Neighbours
    points: Points
    crossed: tuple[tuple[Array, Any] | None, ...]
    added: Starts | None

    @classmethod
    def of(cls, neighbours: Neighbours, points: Points) -> Starts:
        """Compute the covariances of the points once, for all their moves."""
        crossed = tuple(_crossed(changes.posterior, points) for changes in neighbours.changes)
        return cls(neighbours, points, crossed, None if neighbours.added is None else cls.of(neighbours.added, points))

    def promising(self, allowed: Mask) -> Mask:
        """Return the PROMISING allowed moves of each point with the highest estimates; all if there are no estimates."""
        estimates = self.estimates(allowed)
        if estimates is None:
            return allowed
        best = np.argpartition(-estimates, PROMISING, axis=1)[:, :PROMISING]
        mask = np.zeros_like(allowed)
        np.put_along_axis(mask, best, True, axis=1)
        return mask & allowed

    def estimates(self, allowed: Mask) -> Array | None:
        """Return the score after each allowed move with an upper bound of σ²; None if a kernel has no `change_sums`."""
        bounds = [self._bounds(*pair) for pair in zip(self.neighbours.changes, self.crossed, strict=True)]
        known = [bound for bound in bounds if bound is not None]
        if len(known) < len(bounds):
            return None
        value = np.full(allowed.shape, -np.inf)
        value[allowed] = self.neighbours.score.from_moments([(mean[allowed], variance[allowed]) for mean, variance in known])
        more = None if self.added is None else self.added.estimates(allowed)
        return value if more is None else value + more

    def _bounds(self, changes: Changes, crossed: tuple[Array, Any] | None) -> tuple[Array, Array] | None:
        """Return μ and an upper bound of σ² after each move; None if the kernel has no `change_sums`.

        A move adds d to k_*, and σ² becomes σ² - 2dᵀK̃⁻¹k_* - dᵀK̃⁻¹d. The last term, the only one that is not a weighted sum
        of covariances, is left out.
        """
        posterior, moves, levels = changes.posterior, self.neighbours.moves, changes.levels
        if levels is None or crossed is None:
            return None
        theta, output_scale, _ = posterior.hyperparameters
        half = (output_scale * crossed[0]) @ posterior.inverse_factor.T
        z = np.stack([np.broadcast_to(posterior.alpha, half.shape), half @ posterior.inverse_factor], axis=1)
        old = moves.rows(self.points.h)[:, moves.which]
        sums = posterior.kernel.change_sums(theta, crossed, output_scale * z, levels, old)
        if sums is None:
            return None
        variance = posterior.prior_variance + np.einsum("mn,mn->m", half, half)[:, None] - 2.0 * sums[:, 1]
        np.maximum(variance, 1e-14 * posterior.prior_variance, out=variance)
        mean = sums[:, 0] + posterior.prior_mean(self.points)[:, None]
        if posterior.bowl is not None:
            mean += posterior.steepness * posterior.bowl.rise(moves.which, self.points.h[:, moves.which], moves.level)
        return mean, variance

    def values(self, allowed: Mask) -> Array:
        """Return the score after each allowed move, -inf elsewhere."""
        out = np.full(allowed.shape, -np.inf)
        at, move = np.nonzero(allowed)
        block = max(1, BLOCK // max(1, *(len(changes.posterior.points) for changes in self.neighbours.changes)))
        for first in range(0, len(at), block):
            part = slice(first, first + block)
            out[at[part], move[part]] = self._scored(at[part], move[part])
        if self.added is not None:
            out += self.added.values(allowed)
        return out

    def _scored(self, at: Codes, move: Codes) -> Array:
        """Return the score of points[at[k]] after move[k], for every k."""
        pairs = zip(self.neighbours.changes, self.crossed, strict=True)
        return self.neighbours.score.from_moments([self._moments(changes, crossed, at, move) for changes, crossed in pairs])

    def _moments(self, changes: Changes, crossed: tuple[Array, Any] | None, at: Codes, move: Codes) -> tuple[Array, Array]:
        """Return μ and σ² of points[at[k]] after move[k], for every k."""
        conditions = changes.posterior.domain.conditions
        parent = None if conditions is None else conditions.controls[self.neighbours.moves.which[move]]
        if parent is None or not parent.any():
            return self._single(changes, crossed, at, move)
        mean, variance = np.empty(len(at)), np.empty(len(at))
        moved = self.neighbours.moved(self.points[at[parent]], move[parent])
        mean[parent], variance[parent] = changes.posterior.moments(moved)
        if not parent.all():
            mean[~parent], variance[~parent] = self._single(changes, crossed, at[~parent], move[~parent])
        return mean, variance

    def _single(self, changes: Changes, crossed: tuple[Array, Any] | None, at: Codes, move: Codes) -> tuple[Array, Array]:
        """Return μ and σ² after moves that change a single variable."""
        moves, points, posterior = self.neighbours.moves, self.points, changes.posterior
        which, level = moves.which[move], moves.level[move]
        table, old, new = changes.table, moves.rows(points.h)[at, which], move
        if changes.levels is not None:
            used, place = np.unique(np.concatenate([old, new]), return_inverse=True)
            table, old, new = _table(posterior, moves.which[used], moves.level[used]), place[: len(at)], place[len(at) :]
        if table is None or crossed is None:
            h = points.h[at]
            h[np.arange(len(at)), which] = level
            return posterior.moments(Points(h, points.x[at]))
        K = table.covariances(crossed, at, old, new)
        half = K @ posterior.inverse_factor.T
        variance = posterior.prior_variance - np.einsum("mn,mn->m", half, half)
        np.maximum(variance, 1e-14 * posterior.prior_variance, out=variance)
        mean = K @ posterior.alpha + posterior.prior_mean(points)[at]
        if posterior.bowl is not None:
            mean += posterior.steepness * posterior.bowl.rise(which, points.h[at, which], level)
        return mean, variance


def _crossed(posterior: Posterior, points: Points) -> tuple[Array, Any] | None:
    """Return what `Kernel.cross` returns for the points; None without data."""
    if posterior.data is None:
        return None
    return posterior.kernel.cross(posterior.hyperparameters.kernel, posterior.data.encode(points), posterior.data)


def _table(posterior: Posterior, which: Codes, level: Codes) -> ChangeTable | None:
    """Return the kernel's table for these moves; None without data."""
    if posterior.data is None:
        return None
    theta, output_scale, _ = posterior.hyperparameters
    return posterior.kernel.change_table(theta, posterior.data, which, level, output_scale)
