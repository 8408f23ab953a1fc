"""Sec. 3.2: one step of local search on h, one gradient step on x, repeated until it settles or the steps run out.

With d_x = 0 this is the local search of Sec. 3.1; with d_h = 0 it is gradient ascent.
"""

from __future__ import annotations

from itertools import islice

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.points import Array, Points, stack
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search.eligibility import Candidate, Eligibility, best_eligible
from casmopolitan.core.search.grid import Climb, stepped
from casmopolitan.core.search.local import local_search, moved

DRAWN = 2000
"""Random points of the region among which the runs after the first choose their starts, in spaces with x."""

CHECKED = 64
"""How many of the best of them are checked against the constraint, which may be costly."""

SMALLEST = 2.0**-10
"""The shortest step in x, relative to the first. A run without discrete variables ends if even this one is not uphill."""


def starts_of_walks(
    score: Score, around: Neighbourhood, eligibility: Eligibility, config: Config, rng: np.random.Generator
) -> Points:
    """Return the starts of all runs: the centre (App. C.3), or random points of the region (Sec. 3.1).

    In spaces with x the first run starts at the centre, and the others at the best of many random points of the region: EI has
    one maximum near each group of observed points, and gradient steps do not leave the one that they start at.
    """
    runs = config.search_runs
    starts = stack([around.centre] * runs)
    if config.search_start == "random":
        return stack([around.sample(runs, rng), starts])[:runs]
    if around.domain.d_x == 0 or runs == 1:
        return starts
    drawn = around.draw(DRAWN, rng)
    best = np.argsort(-score(drawn), kind="stable")[:CHECKED]
    eligible = (drawn[int(i)] for i in best if eligibility.admits(drawn[int(i)])[0])
    return stack([around.centre, *islice(eligible, runs - 1), starts])[:runs]


def interleaved_search(
    score: Score,
    start: Points,
    around: Neighbourhood,
    eligibility: Eligibility,
    steps: int,
    rate: float,
    rng: np.random.Generator,
) -> Candidate | None:
    """Search from all starts (rows) side by side; `rate` is the first step in x, relative to the sides of the box.

    The value of a start counts even if it is evaluated already: EI often has a narrow maximum beside the best point, with the
    same h, and a neighbour that is no better than the start would lead away from it.

    A step in x follows the gradient and is made only if it leads uphill. The next step is then twice as long, up to `rate`;
    otherwise half as long. Its length does not depend on the length of the gradient, which may be tiny late in a run.

    The acquisition value is updated after every move of x, so that neighbours are compared with the current point. The walk
    itself leaves the grid of stepped variables; candidates are moved to the grid and scored there. At the end each run also
    tries single and geometric steps along every grid.
    """
    if around.domain.d_x == 0:
        return local_search(score, start, around, eligibility, steps, rng)
    values = score(start)
    best = best_eligible(start, values, eligibility, None)
    discrete = bool((around.domain.levels > 1).any())
    length = np.full((len(start), 1), rate)
    current = start
    for _ in range(steps):
        if discrete:
            current, values = moved(current, values, score, around, eligibility, rng)
        here, gradient = score.with_gradient(current)
        gradient = np.where(around.domain.active(current)[:, around.domain.d_h :], gradient, 0.0)
        x = np.clip(current.x + length * uphill(current.x, gradient, around), around.low, around.high)
        further = around.domain.canonical(Points(current.h, x))
        there = score(further)
        rises = there > here
        current = Points(current.h, np.where(rises[:, None], further.x, current.x))
        values = np.where(rises, there, values)
        on_grid = around.snapped(current)
        best = best_eligible(on_grid, score(on_grid) if around.domain.grids else values, eligibility, best)
        settled = ~rises & (length <= SMALLEST * rate)[:, 0]
        if settled.all() and not discrete:
            break
        if settled.any():
            settled[settled] = ~eligibility.admits(current[settled])
            values = np.where(settled, -np.inf, values)  # nothing to suggest here, so any neighbour is better
        length = np.where(rises[:, None], np.minimum(2 * length, rate), np.maximum(length / 2, SMALLEST * rate))
    if around.domain.grids:
        standing = around.snapped(current)
        values = np.where(eligibility.admits(standing), score(standing), -np.inf)
        walked = stepped(Climb(standing, values), score, around, eligibility)
        best = best_eligible(walked.points, walked.values, eligibility, best)
    return best


def uphill(x: Array, gradient: Array, around: Neighbourhood) -> Array:
    """Return the direction of the gradient, relative to the sides of the box, with its longest component scaled to one side.

    Components that would leave the box are zero, and so is the direction of a zero gradient.
    """
    sides = around.high - around.low
    outward = ((x <= around.low) & (gradient < 0)) | ((x >= around.high) & (gradient > 0))
    relative = np.where(outward, 0.0, gradient * sides)
    longest = np.abs(relative).max(axis=1, keepdims=True)
    direction: Array = sides * np.divide(relative, longest, out=np.zeros_like(relative), where=longest > 0)
    return direction
