"""Measure what a first design says about a function: `python -m benchmarks.designs`.

For each seed, another instance of a planted function: the correlation of the model's mean after the first design with the
function, over 300 random points. Prints the mean, and the difference to the first method with its standard error.
"""

from __future__ import annotations

import argparse

import numpy as np

import casmopolitan as cas
from benchmarks.peers.ours import config_named
from benchmarks.planted import planted
from benchmarks.statistics import mean_and_error

PROBLEMS = "additive-20-2-20,additive-20-3-20,additive-12-4-12,sparse-40-2-8,pairwise-6-4-6,sparse-6-3-4+4,additive-3-3-3+8"
METHODS = 'default:design="random",default'
POINTS = 300


def correlation(problem: cas.problems.Problem, config: cas.Config, seed: int) -> float:
    optimizer = cas.Optimizer(problem.space, seed=seed, config=config)
    for trial in optimizer.ask(config.n_initial):
        optimizer.tell(trial, problem.function(trial.configuration))
    points = problem.space.sample(POINTS, np.random.default_rng([seed, POINTS]))
    means, _ = optimizer.predict(points)
    truth = [problem.function(point) for point in points]
    return float(np.corrcoef(means, truth)[0, 1]) if np.std(means) > 1e-9 else 0.0


def measured(name: str, methods: list[str], seeds: int) -> list[list[float]]:
    """One row per method and one column per seed."""
    problems = [planted(f"{name}#{seed}") for seed in range(seeds)]
    return [[correlation(problem, config_named(m), seed) for seed, problem in enumerate(problems)] for m in methods]


def cell(row: list[float], first: list[float]) -> str:
    mean, error = mean_and_error(np.subtract(row, first))
    return f"{np.mean(row):.3f} ({mean:+.3f} ± {error:.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.designs", description=__doc__.splitlines()[0])
    parser.add_argument("--problems", default=PROBLEMS)
    parser.add_argument("--methods", default=METHODS)
    parser.add_argument("--seeds", type=int, default=60)
    options = parser.parse_args()
    methods = options.methods.split(",")
    print(f"| correlation | {' | '.join(methods)} |\n|{'---|' * (len(methods) + 1)}")
    for name in options.problems.split(","):
        rows = measured(name, methods, options.seeds)
        cells = [cell(row, rows[0]) for row in rows]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
