"""What `Optimizer.structure` says of planted functions, beside the truth: python -m benchmarks.structure [--at 50,100,150]

The truth is estimated from 2,000 random points: the number of variables whose relevance is above a fifth of the mean, and the
share of the variance that comes from single variables.
"""

from __future__ import annotations

import argparse

import numpy as np

import casmopolitan as cas
from benchmarks.planted import PREFIX, TUNING, planted

DRAWS = 2000


def truth(problem: cas.problems.Problem) -> tuple[int, float]:
    """Return how many variables matter, and the share of single variables."""
    first, second = (problem.space.sample(DRAWS, seed) for seed in (1, 2))
    a, b = (np.array([problem.function(one) for one in sample]) for sample in (first, second))
    changed = [
        np.array([problem.function({**one, name: other[name]}) for one, other in zip(first, second, strict=True)]) - a
        for name in problem.space.names
    ]
    relevances = np.array([change @ change for change in changed])
    whole = 0.5 * (b - a) @ (b - a)
    return int((relevances > 0.2 * relevances.mean()).sum()), 1 - (b - b.mean()) @ (b - a - sum(changed)) / whole


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", default=",".join(f"{name}#0" for name in TUNING), help="planted functions")
    parser.add_argument("--at", default="50,100,150", help="numbers of trials")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    checkpoints = [int(number) for number in options.at.split(",")]
    print("| function | truth | trials | `structure()` | explanation |\n|---|---|---|---|---|")
    for name in options.problems.split(","):
        problem = planted(name.removeprefix(PREFIX))
        matter, single = truth(problem)
        optimizer = cas.Optimizer(problem.space, seed=options.seed, noisy=bool(problem.noise))
        for number in range(1, max(checkpoints) + 1):
            trial = optimizer.ask()
            optimizer.tell(trial, problem(trial.configuration))
            if number in checkpoints:
                told, why = optimizer.structure(), trial.explanation["structure"]
                true = f"{matter} of {len(problem.space)}, {single:.0%} single"
                print(f"| {name} | {true} | {number} | {told} ({told.single:.0%} single) | {why} |", flush=True)


if __name__ == "__main__":
    main()
