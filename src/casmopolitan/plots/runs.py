"""The runs that the documentation's pictures are drawn from: real ones, small, seeded."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from casmopolitan.config import Config
from casmopolitan.optimizer import Optimizer
from casmopolitan.presets import PAPER
from casmopolitan.space import Categorical, Ordinal, Real, Space
from casmopolitan.space.variables import Variable
from casmopolitan.trial import Configuration

LIVELY = replace(PAPER, ard=True, n_initial=4, initial_radius=2, success_tolerance=1, failure_tolerance=3)
"""The paper's settings with ARD, small tolerances and few initial points: a region that breathes within forty trials."""


def told(objective: Callable[[Configuration], float], space: Space, budget: int, seed: int, config: Config) -> Optimizer:
    """An optimiser after `budget` trials."""
    optimizer = Optimizer(space, seed=seed, config=config)
    for _ in range(budget):
        trial = optimizer.ask()
        optimizer.tell(trial, objective(trial.configuration))
    return optimizer


def graph(budget: int = 36) -> Optimizer:
    """81 points, four variables of three choices: random effects of each variable and of each pair of variables."""
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=(4, 3)), rng.normal(size=(4, 4, 3, 3))
    names = ["A", "B", "C", "D"]

    def landscape(configuration: Configuration) -> float:
        h = [int(configuration[name]) for name in names]
        pairs = sum(two[i, j, h[i], h[j]] for i in range(4) for j in range(i))
        return float(sum(one[i, h[i]] for i in range(4)) + pairs)

    return told(landscape, Space({name: Categorical([0, 1, 2]) for name in names}), budget, 2, LIVELY)


def tuned(budget: int = 60, config: Config = LIVELY) -> Optimizer:
    """A pretended training run: an optimiser, a schedule, an activation, a depth and two rates, of which one matters little."""
    variables: dict[str, Variable] = {
        "optimiser": Categorical(["sgd", "adam", "rmsprop", "adagrad"]),
        "schedule": Categorical(["constant", "cosine", "steps"]),
        "activation": Categorical(["relu", "tanh", "gelu"]),
        "layers": Ordinal([2, 4, 8, 16]),
        "learning rate": Real(1e-5, 1e-1, log=True),
        "dropout": Real(0.0, 0.5),
    }
    space = Space(variables)
    best_rate = {"sgd": -1.6, "adam": -3.2, "rmsprop": -3.4, "adagrad": -2.2}
    offset = {"sgd": 0.10, "adam": 0.0, "rmsprop": 0.04, "adagrad": 0.22}

    def loss(configuration: Configuration) -> float:
        name = configuration["optimiser"]
        off = math.log10(configuration["learning rate"]) - best_rate[name]
        depth = math.log2(configuration["layers"]) - 3.0
        words = {"constant": 0.05, "cosine": 0.0, "steps": 0.02}[configuration["schedule"]]
        words += {"relu": 0.01, "tanh": 0.06, "gelu": 0.0}[configuration["activation"]]
        bowl = 0.36 * (1.0 - math.exp(-(off**2)))
        return float(0.2 + offset[name] + bowl + words + 0.03 * depth**2 + 0.05 * (configuration["dropout"] - 0.15) ** 2)

    return told(loss, space, budget, 4, config)


def sliced(budget: int = 16) -> Optimizer:
    """Two choices and one rate, seen while the region is still narrow: little enough to draw all that the model believes."""
    best_rate = {"sgd": -1.6, "adam": -3.2, "rmsprop": -3.4}

    def loss(configuration: Configuration) -> float:
        off = math.log10(configuration["learning rate"]) - best_rate[configuration["optimiser"]]
        wave = 0.06 * math.sin(4.0 * off)
        return float(0.3 + 0.36 * (1.0 - math.exp(-0.4 * off**2)) + wave + 0.05 * (configuration["schedule"] == "steps"))

    variables: dict[str, Variable] = {
        "optimiser": Categorical(["sgd", "adam", "rmsprop"]),
        "schedule": Categorical(["cosine", "steps"]),
        "learning rate": Real(1e-5, 1e-1, log=True),
    }
    return told(loss, Space(variables), budget, 3, replace(LIVELY, n_initial=8, initial_length=0.4))
