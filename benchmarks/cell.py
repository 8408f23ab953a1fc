"""One cell, in a process of its own: `python -m benchmarks.cell CELL`, CELL being the cell as JSON.

Writes JSON lines as it goes, so that a cell which is stopped keeps what it reached: first a header with the versions,
then one line an evaluation: [value, seconds of the suggestion, peak memory in MB].
"""

from __future__ import annotations

import json
import os
import platform
import resource
import sys
import warnings
from importlib import metadata
from time import perf_counter

import numpy as np

import casmopolitan as cas
from benchmarks.ledger import Cell
from benchmarks.peers import Configuration, load
from benchmarks.suites import problem_named

INITIAL = 20
PURPOSE = 20210721
"""Sets the initial points' stream apart from every stream that a method draws from the same seed."""

PACKAGES = ("casmopolitan", "numpy", "scipy", "optuna", "hyperopt", "smac", "torch", "botorch", "ax-platform", "HEBO")


def run(cell: Cell, emit) -> None:
    problem = problem_named(cell.problem)
    sign = -1.0 if problem.direction == "maximize" else 1.0
    optimum = None if problem.optimum is None else problem.optimum.value
    initial = initial_points(problem.space, cell.seed)
    emit({"direction": problem.direction, "optimum": optimum, "initial": len(initial), "versions": versions()})
    values = [problem(configuration) for configuration in initial]
    for value in values:
        emit([value, 0.0, peak_memory()])
    observed = list(zip(initial, [sign * value for value in values], strict=True))
    start = load(cell.method)
    clock = perf_counter()
    method = start(problem.space, observed, cell.seed)
    reached, parent = len(initial), os.getppid()
    while reached < cell.budget and os.getppid() == parent:
        count = min(cell.batch, cell.budget - reached)
        configurations = method.ask(count)
        seconds = perf_counter() - clock
        values = [problem(configuration) for configuration in configurations]
        for value in values:
            emit([value, seconds / count, peak_memory()])
        clock = perf_counter()
        method.tell(configurations, [sign * value for value in values])
        reached += count


def initial_points(space: cas.Space, seed: int) -> list[Configuration]:
    """20 distinct random points: the same for every method of a seed."""
    sample = space.sample(2 * INITIAL, np.random.default_rng([PURPOSE, seed]))
    distinct = {tuple(configuration.values()): configuration for configuration in sample}
    return list(distinct.values())[:INITIAL]


def versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main() -> None:
    warnings.simplefilter("ignore")
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def emit(line) -> None:
        print(json.dumps(line), file=results, flush=True)

    run(Cell(**json.loads(sys.argv[1])), emit)


if __name__ == "__main__":
    main()
