"""Compare prior means with two objectives: `python -m benchmarks.outcomes.quadratics [--means clear-bowl,zero] [--seeds 16]`.

Each objective is a quadratic function of two ordinals and four real variables, plus an effect of each of three choices. The
best values of the ordered variables are inside their ranges, or all at their ends. Every seed has its own functions. The
table shows the hypervolume divided by that of 4,000 random points, so it can exceed 1.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np

import casmopolitan as cas
from benchmarks.__main__ import seeds
from benchmarks.outcomes.problem import hypervolume
from benchmarks.page import Table, markdown
from benchmarks.statistics import mean_and_error

CHOICES, LEVELS, PLACES = "abcd", [1, 2, 4, 8, 16], ("inside", "ends")
OBJECTIVES = {"f0": "minimize", "f1": "minimize"}
SPACE = cas.Space(
    {f"c{k}": cas.Categorical(list(CHOICES)) for k in range(3)}
    | {f"o{k}": cas.Ordinal(LEVELS) for k in range(2)}
    | {f"x{k}": cas.Real(0, 1) for k in range(4)}
)
AT = (20, 30, 40, 60)
RANDOM_POINTS = 4000
REFERENCE_QUANTILE = 0.6
"""The reference point is this quantile of the random points in each objective."""

Measure = Callable[[dict], dict[str, float]]


def functions(place: str, seed: int) -> Measure:
    """Return the two functions of a seed; `place` says where the best values of the ordered variables are."""
    rng = np.random.default_rng([77, seed])
    effects = 0.5 * rng.normal(size=(2, 3, len(CHOICES)))
    best = rng.uniform(0.1, 0.9, size=(2, 6)) if place == "inside" else rng.integers(0, 2, size=(2, 6)).astype(float)
    weights = rng.uniform(0.6, 6.0, size=(2, 6))

    def measure(c: dict) -> dict[str, float]:
        u = np.array([LEVELS.index(c[f"o{k}"]) / (len(LEVELS) - 1) for k in range(2)] + [c[f"x{k}"] for k in range(4)])
        chosen = [CHOICES.index(c[f"c{k}"]) for k in range(3)]
        squares = (weights * (u - best) ** 2).sum(axis=1)
        return {f"f{j}": float(effects[j, range(3), chosen].sum() + squares[j]) for j in range(2)}

    return measure


def shares(place: str, seed: int, mean: str) -> list[float]:
    """Run the default with a prior mean; return its share of the random points' hypervolume at each number of trials in AT."""
    measure = functions(place, seed)
    drawn = np.array([list(measure(c).values()) for c in SPACE.sample(RANDOM_POINTS, seed)])
    reference = np.quantile(drawn, REFERENCE_QUANTILE, axis=0)
    config = replace(cas.DEFAULT, mean=mean)
    result = cas.optimize(measure, SPACE, max(AT), objectives=OBJECTIVES, seed=seed, progress=False, config=config)
    values = np.array([list(trial.outcomes.values()) for trial in result.trials])
    of_random_points = hypervolume(drawn, reference)
    return [hypervolume(values[:n], reference) / of_random_points for n in AT]


def main(arguments: list[str] | None = None) -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(prog="python -m benchmarks.outcomes.quadratics", description=__doc__)
    parser.add_argument("--means", default="clear-bowl,zero", help="clear-bowl (bowl means the same here), zero, or both")
    parser.add_argument("--seeds", type=seeds, default=range(16))
    options = parser.parse_args(arguments)
    rows = []
    for place in PLACES:
        for mean in options.means.split(","):
            columns = zip(*(shares(place, seed, mean) for seed in options.seeds), strict=True)
            rows.append([place, mean, *("{:.3f} ± {:.3f}".format(*mean_and_error(column)) for column in columns)])
    print(markdown([Table(["best values", "mean", *(f"at {n}" for n in AT)], rows)], "images"))


if __name__ == "__main__":
    main()
