"""A list of candidates: the only points of a domain that exist. Rows are found by hashes, so memory and time are linear."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from casmopolitan.core.points import Codes, Mask, Points

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Distinct points, in the order of the list."""

    points: Points

    def __len__(self) -> int:
        return len(self.points)

    @cached_property
    def _sorted(self) -> tuple[int, Hashes, Codes]:
        """The seed of the hashes, the hashes in increasing order, and the row of each; no two rows have the same hash."""
        for seed in range(100):
            hashes = _hashes(self.points, seed)
            order = np.argsort(hashes, kind="stable")
            if not (np.diff(hashes[order]) == 0).any():
                return seed, hashes[order], order
        raise ValueError("the rows of a list of candidates must be distinct")

    def rows(self, points: Points) -> Codes:
        """Return the row of each point, -1 for a point that is not in the list."""
        seed, hashes, order = self._sorted
        place = np.minimum(np.searchsorted(hashes, _hashes(points, seed)), len(hashes) - 1)
        found = order[place]
        same = (self.points.h[found] == points.h).all(axis=1) & (self.points.x[found] == points.x).all(axis=1)
        return np.where(same, found, -1)

    def contains(self, points: Points) -> Mask:
        """Return which points are in the list."""
        listed: Mask = self.rows(points) >= 0
        return listed


def distinct(points: Points) -> Codes:
    """Return the first row of every distinct point, in increasing order."""
    hashes = _hashes(points, seed=0)
    order = np.argsort(hashes, kind="stable")
    again = np.zeros(len(points), dtype=bool)
    same = order[1:][np.diff(hashes[order]) == 0]
    before = order[:-1][np.diff(hashes[order]) == 0]
    again[same] = (points.h[same] == points.h[before]).all(axis=1) & (points.x[same] == points.x[before]).all(axis=1)
    return np.flatnonzero(~again)


def _hashes(points: Points, seed: int) -> Hashes:
    """Return a hash of each row: random multiples of its coordinates, added modulo 2^64, with the high bits mixed in."""
    x = np.ascontiguousarray(points.x + 0.0).view(np.uint64)  # -0.0 becomes 0.0
    together = np.concatenate([points.h.astype(np.uint64), x ^ (x >> np.uint64(29))], axis=1)
    factors = np.random.default_rng(seed).integers(0, 2**63, size=together.shape[1], dtype=np.uint64) * np.uint64(
        2
    ) + np.uint64(1)
    hashes: Hashes = (together * factors).sum(axis=1, dtype=np.uint64)
    return hashes ^ (hashes >> np.uint64(31))
