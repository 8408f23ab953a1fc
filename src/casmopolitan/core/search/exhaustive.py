"""Exhaustive search of a small discrete space: the acquisition function at every point of the area."""

from __future__ import annotations

import numpy as np

from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.domain import Domain
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search.eligibility import Candidate, Eligibility

COVARIANCES = 500_000
"""The largest number of points times trials. Beyond it a climb from some of the points costs less."""

LEVEL = 1e-9
"""Scores that differ by less are level: points with different values that were never tried differ by rounding errors only."""


def is_small(domain: Domain, trials: int) -> bool:
    """Return whether every point of the domain can be scored under a model of so many trials."""
    return domain.d_x == 0 and domain.size * max(trials, 1) <= COVARIANCES


def exhaustive_search(
    score: Score, around: Neighbourhood, eligibility: Eligibility, rng: np.random.Generator
) -> Candidate | None:
    """Return the eligible point of the area with the largest score; one at random of several that are level."""
    every = around.domain.every_point()
    values = np.where(around.contains(every), score.everywhere(every), -np.inf)
    while np.isfinite(best := values.max()):
        level = np.flatnonzero(values >= best - LEVEL)
        fresh = level[eligibility.fresh(every[level])]
        i = int(fresh[rng.integers(len(fresh))]) if len(fresh) else None
        if i is not None and around.domain.allows(every[i])[0]:
            return Candidate(every[i], float(values[i]))
        values[level if i is None else i] = -np.inf
    return None
