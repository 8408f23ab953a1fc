"""Draw the figures of the documentation, from small, real, seeded runs: `python docs/figures.py docs/images`."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

import casmopolitan as cas
from casmopolitan import plots

LIVELY = replace(cas.PAPER, ard=True, n_initial=4, initial_radius=2, success_tolerance=1, failure_tolerance=3)
"""The paper's settings with ARD, small tolerances and few initial points: the region changes often within forty trials."""


def run(objective: Callable[[dict], float], space: cas.Space, budget: int, seed: int, config: cas.Config) -> cas.Optimizer:
    """Return an optimiser after `budget` trials."""
    optimizer = cas.Optimizer(space, seed=seed, config=config)
    for _ in range(budget):
        trial = optimizer.ask()
        optimizer.tell(trial, objective(trial.configuration))
    return optimizer


def graph(budget: int = 36) -> cas.Optimizer:
    """Optimise over 81 points, four variables of three choices, with random effects per variable and per pair."""
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=(4, 3)), rng.normal(size=(4, 4, 3, 3))
    names = ["A", "B", "C", "D"]

    def landscape(configuration: dict) -> float:
        h = [int(configuration[name]) for name in names]
        pairs = sum(two[i, j, h[i], h[j]] for i in range(4) for j in range(i))
        return float(sum(one[i, h[i]] for i in range(4)) + pairs)

    return run(landscape, cas.Space({name: cas.Categorical([0, 1, 2]) for name in names}), budget, 2, LIVELY)


def tuned(budget: int = 60, config: cas.Config = LIVELY) -> cas.Optimizer:
    """Optimise a simulated training run of six variables, of which one hardly matters."""
    space = cas.Space(
        {
            "optimiser": cas.Categorical(["sgd", "adam", "rmsprop", "adagrad"]),
            "schedule": cas.Categorical(["constant", "cosine", "steps"]),
            "activation": cas.Categorical(["relu", "tanh", "gelu"]),
            "layers": cas.Ordinal([2, 4, 8, 16]),
            "learning rate": cas.Real(1e-5, 1e-1, log=True),
            "dropout": cas.Real(0.0, 0.5),
        }
    )
    best_rate = {"sgd": -1.6, "adam": -3.2, "rmsprop": -3.4, "adagrad": -2.2}
    offset = {"sgd": 0.10, "adam": 0.0, "rmsprop": 0.04, "adagrad": 0.22}

    def loss(configuration: dict) -> float:
        name = configuration["optimiser"]
        off = math.log10(configuration["learning rate"]) - best_rate[name]
        depth = math.log2(configuration["layers"]) - 3.0
        choices = {"constant": 0.05, "cosine": 0.0, "steps": 0.02}[configuration["schedule"]]
        choices += {"relu": 0.01, "tanh": 0.06, "gelu": 0.0}[configuration["activation"]]
        bowl = 0.36 * (1.0 - math.exp(-(off**2)))
        return float(0.2 + offset[name] + bowl + choices + 0.03 * depth**2 + 0.05 * (configuration["dropout"] - 0.15) ** 2)

    return run(loss, space, budget, 4, config)


def sliced(budget: int = 16) -> cas.Optimizer:
    """Optimise two choices and one rate; the run ends while the region is still narrow, so that one slice shows it all."""
    best_rate = {"sgd": -1.6, "adam": -3.2, "rmsprop": -3.4}

    def loss(configuration: dict) -> float:
        off = math.log10(configuration["learning rate"]) - best_rate[configuration["optimiser"]]
        wave = 0.06 * math.sin(4.0 * off)
        return float(0.3 + 0.36 * (1.0 - math.exp(-0.4 * off**2)) + wave + 0.05 * (configuration["schedule"] == "steps"))

    space = cas.Space(
        {
            "optimiser": cas.Categorical(["sgd", "adam", "rmsprop"]),
            "schedule": cas.Categorical(["cosine", "steps"]),
            "learning rate": cas.Real(1e-5, 1e-1, log=True),
        }
    )
    return run(loss, space, budget, 3, replace(LIVELY, n_initial=8, initial_length=0.4))


def draw(folder: Path, budgets: tuple[int, int, int, int] = (36, 60, 40, 16)) -> list[Path]:
    """Draw every figure into the folder; return the files. `budgets` are the trials of the four runs."""
    folder.mkdir(parents=True, exist_ok=True)
    first, second = graph(budgets[0]), tuned(budgets[1])
    freed = tuned(budgets[2], replace(LIVELY, kernel="heat", priors="freed", fit="lbfgs"))
    figures = {
        "region": plots.region(first),
        "convergence": plots.convergence(second),
        "trust_region": plots.trust_region(second),
        "acquisition": plots.acquisition(sliced(budgets[3])),
        "relevance": plots.relevance(freed),
        "slices": plots.slices(freed),
        "contour": plots.contour(freed, "learning rate", "optimiser"),
        "parallel_coordinates": plots.parallel_coordinates(freed, most=4),
    }
    written = []
    for name, figure in figures.items():
        written.append(folder / f"{name}.png")
        figure.savefig(written[-1], metadata={"Software": None})
    return [*written, plots.animation(first, folder / "breathing.gif")]


def main(arguments: list[str]) -> int:
    """Run the command; return its exit status."""
    if len(arguments) != 1:
        print("usage: python docs/figures.py FOLDER", file=sys.stderr)
        return 2
    for path in draw(Path(arguments[0])):
        print(f"{path}  {path.stat().st_size // 1024} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
