"""How far the search for the next trial stays below the best of many ascents, run one at a time:

    python -m benchmarks.outcomes.shortfall [--problem cat-cstrs-11] [--seeds 2] [--trials 100] [--together]

The unit is the logarithm of the acquisition function. With --together the climbers of a search share the step lengths of one
L-BFGS-B, as they do with one objective and no limits.
"""

from __future__ import annotations

import argparse
import warnings
from unittest import mock

import numpy as np
from scipy.optimize import minimize

import casmopolitan as cas
from benchmarks.__main__ import seeds
from benchmarks.outcomes.problems import PROBLEMS
from benchmarks.page import Table, markdown
from benchmarks.statistics import mean_and_error
from casmopolitan.core import algorithm
from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.points import Array, Points, stack
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search.eligibility import Eligibility
from casmopolitan.core.search.steepest import steepest_search

NUMBERED = [
    *("cat-cstrs-2", "cat-cstrs-6", "cat-cstrs-7", "cat-cstrs-11", "cat-cstrs-12", "pressure-vessel"),
    *("re22", "re23", "re25", "re35", "re36", "oil-sorbent"),
]
"""The problems with real or integer variables."""
EVERY = 8
"""Every EVERY-th search is compared."""
RANDOM, BESIDE, STARTS = 4000, 60, 40
"""Random points, points beside each observed one at each distance, and how many of the best points ascents start from."""
DISTANCES = (0.3, 0.1, 0.03, 0.01, 0.003)
LARGEST = 20.0
"""Shortfalls above this count as this, and negative ones as 0, in the mean."""


def best_of_single_ascents(score: Score, around: Neighbourhood, eligibility: Eligibility, observed: Points) -> float:
    """Return the largest score that ascents find: all numbers move, then those that are not on a grid."""
    rng, known = np.random.default_rng(0), observed[around.contains(observed)]
    starts = [around.sample(RANDOM, rng, apart=True)]
    for distance in DISTANCES:
        h, x = np.repeat(known.h, BESIDE, axis=0), np.repeat(known.x, BESIDE, axis=0)
        starts.append(around.snapped(Points(h, np.clip(x + distance * rng.standard_normal(x.shape), around.low, around.high))))
    every = stack(starts)
    every = every[eligibility.admits(every)]
    best = float("-inf")
    for i in np.argsort(-score(every))[:STARTS]:
        rounded = ascent(score, around, every[int(i)], held=())
        for point in (
            ascent(score, around, rounded, around.domain.grids),
            ascent(score, around, every[int(i)], around.domain.grids),
        ):
            if eligibility.admits(point)[0]:
                best = max(best, float(score(point)[0]))
    return best


def ascent(score: Score, around: Neighbourhood, start: Points, held: tuple[int, ...] | list[int]) -> Points:
    """Return where one ascent ends, rounded to the grids; the coordinates `held` stay as they are."""
    low, high = np.broadcast_to(around.low, start.x.shape).copy(), np.broadcast_to(around.high, start.x.shape).copy()
    low[:, held] = high[:, held] = start.x[:, held]

    def loss(x: Array) -> tuple[float, Array]:
        value, slope = score.with_gradient(Points(start.h, x[None]))
        return -float(np.clip(value[0], -1e10, 1e10)), -np.nan_to_num(slope[0])

    bounds = list(zip(low[0], high[0], strict=True))
    found = minimize(loss, np.clip(start.x[0], low[0], high[0]), jac=True, method="L-BFGS-B", bounds=bounds)
    return around.snapped(Points(start.h, found.x[None]))


def shortfalls(name: str, seed: int, trials: int, together: bool) -> list[float]:
    """Run the default on a problem; return the shortfalls of the searches that are compared."""
    problem, found, count = PROBLEMS[name](), [], 0

    def compared(score, around, eligibility, observed, candidates, starts, rng, singly, limited):
        nonlocal count
        count += 1
        how = {} if together else {"singly": singly, "limited": limited}
        one = steepest_search(score, around, eligibility, observed, candidates, starts, rng, **how)
        if count % EVERY == 0 and one is not None:
            reached = one.value
            found.append(best_of_single_ascents(score, around, eligibility, observed) - reached)
        return one

    goals = {"objectives": problem.objectives, "limits": problem.limits}
    with mock.patch.object(algorithm, "steepest_search", compared):
        cas.optimize(problem.measure, problem.space, trials, **goals, seed=seed, progress=False)
    return found


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.outcomes.shortfall",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--problem", choices=NUMBERED, default="cat-cstrs-11")
    parser.add_argument("--seeds", type=seeds, default=range(2), help="2 for seeds 0 and 1, or 5-9")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--together", action="store_true")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    found = np.array([s for seed in options.seeds for s in shortfalls(options.problem, seed, options.trials, options.together)])
    mean, error = mean_and_error(list(np.clip(found, 0.0, LARGEST)))
    titles = ["problem", "searches", "mean shortfall", "above 0.5", "better than the ascents"]
    row = [
        options.problem,
        str(len(found)),
        f"{mean:.2f} ± {error:.2f}",
        f"{np.mean(found > 0.5):.0%}",
        f"{np.mean(found < -0.01):.0%}",
    ]
    print(markdown([Table(titles, [row])], "images"))


if __name__ == "__main__":
    main()
