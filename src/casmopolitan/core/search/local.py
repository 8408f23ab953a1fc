"""Sec. 3.1: local search on h by single random changes that raise the acquisition function and stay in the region."""

from __future__ import annotations

import numpy as np

from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.points import Array, Points
from casmopolitan.core.region.hamming import step, step_active
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search.eligibility import Candidate, Eligibility, best_eligible


def moved(
    current: Points, values: Array, score: Score, around: Neighbourhood, eligibility: Eligibility, rng: np.random.Generator
) -> tuple[Points, Array]:
    """Make one step of each run (row): move to a random neighbour if it is in the region, eligible, and of higher value.

    A run at a point that is not eligible (value -inf) moves to any neighbour inside, so that evaluated points do not block it.
    """
    domain = around.domain
    if domain.conditions is None:
        neighbour = Points(step(current.h, domain.levels, rng), current.x)
    else:
        neighbour = step_active(current, domain.conditions, domain.draw_values(len(current), rng), rng)
    proposed, inside = score(neighbour), around.contains(neighbour)
    better = (proposed > values) & inside
    if better.any():
        better[better] = eligibility.admits(neighbour[better])
    goes = better | (inside & np.isneginf(values))
    h, x = (np.where(goes[:, None], new, old) for new, old in ((neighbour.h, current.h), (neighbour.x, current.x)))
    return Points(h, x), np.where(better, proposed, values)


def local_search(
    score: Score, start: Points, around: Neighbourhood, eligibility: Eligibility, steps: int, rng: np.random.Generator
) -> Candidate | None:
    """Try `steps` random neighbours from each start (row), all runs side by side; return the best eligible point found.

    A start that is not eligible (the centre has been evaluated) has no value: any neighbour is better.
    """
    values = np.where(eligibility.admits(start), score(start), -np.inf)
    best = best_eligible(start, values, eligibility, None)
    current = start
    if not (around.domain.levels > 1).any():
        return best
    for _ in range(steps):
        current, values = moved(current, values, score, around, eligibility, rng)
        best = best_eligible(current, values, eligibility, best)
    return best
