"""The maximum of the acquisition function over a list of candidates: every row is scored, or many and then their neighbours."""

from __future__ import annotations

import numpy as np

from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.candidates import Candidates
from casmopolitan.core.points import Array, Codes, Points
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search.eligibility import Candidate, Eligibility, best_eligible

WORK = 1_000_000_000
"""Multiplications for the variances of all rows scored at random, n^2 each for n observations: about half a second."""

BLOCK = 2_000_000
"""Covariances computed at a time, so that memory stays bounded."""

ROUNDS, BEST, NEAREST = 4, 8, 128
"""If rows were left out: how often the NEAREST rows of the BEST so far are scored too, as long as that improves."""


def listed_search(
    score: Score, around: Neighbourhood, eligibility: Eligibility, candidates: Candidates, rng: np.random.Generator
) -> Candidate | None:
    """Return the best eligible row of the list inside an area; None if there is none.

    Short lists are scored whole. Of long ones a random part is scored, and then the nearest rows of the best.
    """
    inside = around.listed
    n = max(1, *(len(part.points) for one in score.chain() for part in one.parts))
    most = max(1000, WORK // (n * n))
    chosen = inside if len(inside) <= most else np.sort(rng.choice(inside, most, replace=False))
    values = _scored(score, candidates.points, chosen, n)
    if len(chosen) < len(inside):
        chosen, values = _refined(score, candidates.points, inside, chosen, values, n)
    return best_eligible(candidates.points[chosen], values, eligibility, None)


def _scored(score: Score, points: Points, rows: Codes, n: int) -> Array:
    """Return the scores of some rows, block by block."""
    block = max(64, BLOCK // n)
    parts = [score(points[rows[first : first + block]]) for first in range(0, len(rows), block)]
    return np.concatenate(parts) if parts else np.empty(0)


def _refined(score: Score, points: Points, inside: Codes, chosen: Codes, values: Array, n: int) -> tuple[Codes, Array]:
    """Return more rows and their scores: those nearest to the best ones, as long as they improve on them."""
    known = np.zeros(len(points), dtype=bool)
    known[chosen] = True
    for _ in range(ROUNDS):
        top = chosen[np.argsort(-values, kind="stable")[:BEST]]
        near = np.unique(np.concatenate([_nearest(points, inside, int(row)) for row in top]))
        new = near[~known[near]]
        if not len(new):
            break
        known[new] = True
        before = values.max()
        chosen, values = np.concatenate([chosen, new]), np.concatenate([values, _scored(score, points, new, n)])
        if not values.max() > before:
            break
    return chosen, values


def _nearest(points: Points, inside: Codes, row: int) -> Codes:
    """Return the rows nearest to one row: by the number of different levels plus the distances of coordinates."""
    distance = np.zeros(len(inside))
    for j in range(points.h.shape[1]):  # column by column, so that memory stays linear in the rows
        distance += points.h[inside, j] != points.h[row, j]
    for k in range(points.x.shape[1]):
        distance += np.abs(points.x[inside, k] - points.x[row, k])
    few = min(NEAREST, len(inside))
    return inside[np.argpartition(distance, few - 1)[:few]]
