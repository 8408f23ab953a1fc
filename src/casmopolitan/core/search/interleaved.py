"""Sec. 3.2: one step of local search on h, one gradient step on x, repeated until it settles or the steps run out.

With d_x = 0 this is the local search of Sec. 3.1; with d_h = 0 it is gradient ascent.
"""

from __future__ import annotations

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.points import Points, stack
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search.eligibility import Candidate, Eligibility, best_eligible
from casmopolitan.core.search.grid import Climb, stepped
from casmopolitan.core.search.local import local_search, moved

SETTLED = 1e-4
"""A run has settled on x when Adam's step is shorter than this in every coordinate of the unit cube."""


def starts_of_walks(around: Neighbourhood, config: Config, rng: np.random.Generator) -> Points:
    """Return the starts of all runs: the centre (App. C.3), or random points of the region (Sec. 3.1)."""
    starts = stack([around.centre] * config.search_runs)
    if config.search_start == "random":
        starts = stack([around.sample(config.search_runs, rng), starts])[: config.search_runs]
    return starts


def interleaved_search(
    score: Score,
    start: Points,
    around: Neighbourhood,
    eligibility: Eligibility,
    steps: int,
    rate: float,
    rng: np.random.Generator,
) -> Candidate | None:
    """Search from all starts (rows) side by side. Adam's moments persist over the steps; its rate is relative to the box.

    The acquisition value is updated after every move of x, so that neighbours are compared with the current point. The walk
    itself leaves the grid of stepped variables; candidates are moved to the grid and scored there. At the end each run also
    tries single and geometric steps along every grid.
    """
    if around.domain.d_x == 0:
        return local_search(score, start, around, eligibility, steps, rng)
    values = np.where(eligibility.admits(start), score(start), -np.inf)
    best = best_eligible(start, values, eligibility, None)
    discrete = bool((around.domain.levels > 1).any())
    sides = around.high - around.low
    first, second = np.zeros_like(start.x), np.zeros_like(start.x)
    current = start
    for t in range(1, steps + 1):
        if discrete:
            current, values = moved(current, values, score, around, eligibility, rng)
        _, gradient = score.with_gradient(current)
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        stride = rate * sides * (first / (1 - 0.9**t)) / (np.sqrt(second / (1 - 0.999**t)) + 1e-12)
        current = Points(current.h, np.clip(current.x + stride, around.low, around.high))
        values = score(current)
        on_grid = around.snapped(current)
        best = best_eligible(on_grid, score(on_grid) if around.domain.grids else values, eligibility, best)
        if not discrete and np.abs(stride).max() < SETTLED:
            break
    if around.domain.grids:
        standing = around.snapped(current)
        values = np.where(eligibility.admits(standing), score(standing), -np.inf)
        walked = stepped(Climb(standing, values), score, around, eligibility)
        best = best_eligible(walked.points, walked.values, eligibility, best)
    return best
