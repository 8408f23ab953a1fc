"""Pest control (App. C.1; Oh et al. 2019): choose one of four pesticides, or none, at each stage."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from casmopolitan.problems.problem import Array, Configuration, Optimum, Problem, numbered
from casmopolitan.space import Categorical, Space

RUNS = 100
THRESHOLD = 0.1
PRICE = (1.0, 0.8, 0.7, 0.5)
DISCOUNT = (0.2, 0.3, 0.3, 0.0)
CONTROL = (2 / 7, 3 / 7, 3 / 7, 5 / 7)
"""b_j of the control Beta(1, b_j) when pesticide j is used for the first time."""
TOLERANCE = (1 / 7, 2.5 / 7, 2 / 7, 0.5 / 7)
"""t_j: each use of pesticide j raises b_j by t_j / n."""

PAPER_SEEDS = (8194, 8142, 8110, 7591, 6924)
"""The seeds of the authors' first five trials."""
STUDIED = {(25, 0), (80, 0), *((25, seed) for seed in PAPER_SEEDS)}
"""(stages, seed) for which a long search found nothing better than pesticide 3 at every stage except the last."""


@dataclass(frozen=True, eq=False)
class Season:
    """All random draws of one instance; they depend on the seed, the pesticide and its earlier uses only.

    initial (runs,), spread (runs,), left (4, n, runs): the part of the pest that use number k of pesticide j leaves.
    """

    initial: Array
    spread: Array
    left: Array


def season(stages: int, seed: int) -> Season:
    """Draw a season. Every draw is the first of a fresh RandomState(seed), so the spread is the same at every stage."""
    left = np.empty((len(PRICE), stages, RUNS))
    for j, (first, raised) in enumerate(zip(CONTROL, TOLERANCE, strict=True)):
        for k in range(stages):
            left[j, k] = 1 - np.random.RandomState(seed).beta(1, first + k * raised / stages, RUNS)
    return Season(np.random.RandomState(seed).beta(1, 30, RUNS), np.random.RandomState(seed).beta(1, 17 / 3, RUNS), left)


def cost(actions: list[int], instance: Season) -> float:
    """Return the cost of a season: the prices paid plus, for each stage, the share of runs in which the pest exceeds 0.1.

    Stage i first counts the share and then acts:  z <- (1 − c) z  with pesticide,  z <- z + s (1 − z)  without.
    One use of pesticide j costs price_j (1 − discount_j · uses of j in the whole season / n).
    """
    z, exceeded = instance.initial, 0
    uses = [0] * len(PRICE)
    for action in actions:
        exceeded += int(np.count_nonzero(z > THRESHOLD))
        if action:
            z = instance.left[action - 1, uses[action - 1]] * z
            uses[action - 1] += 1
        else:
            z = instance.spread * (1 - z) + z
    paid = sum(u * p * (1 - d * u / len(actions)) for u, p, d in zip(uses, PRICE, DISCOUNT, strict=True))
    return paid + exceeded / RUNS


def pest(stages: int = 25, *, seed: int = 0) -> Problem:
    """x_i in {0, ..., 4}: the pesticide of stage i, 0 for none. 80 stages are the paper's DifficultPest."""
    names = numbered("x", stages)
    function = partial(_cost, names=names, instance=season(stages, seed))
    optimum = None
    if (stages, seed) in STUDIED:
        best = dict(zip(names, [3] * (stages - 1) + [0], strict=True))
        optimum = Optimum(function(best), best, exact=False)
    return Problem(
        name=f"pest-{stages}" + (f"-seed{seed}" if seed else ""),
        space=Space({name: Categorical([0, 1, 2, 3, 4]) for name in names}),
        function=function,
        source="Wan et al. 2021, App. C.1; Oh et al. 2019",
        optimum=optimum,
    )


def _cost(configuration: Configuration, names: tuple[str, ...], instance: Season) -> float:
    """Return `cost` of a configuration."""
    return cost([configuration[name] for name in names], instance)
