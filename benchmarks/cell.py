"""Run one cell in its own process: `python -m benchmarks.cell CELL [SECONDS]`, where CELL is JSON.

Writes JSON lines as it runs, so that a stopped cell keeps its results: first a header with the versions, then one line per
evaluation: [value, seconds of the suggestion, peak memory in MB]. The seconds are processor time, which other programs on the
machine hardly change. The limit SECONDS is processor time too: when it is reached, the system ends the process. A run on a
problem with a goal ends when the goal is reached; its last line holds the configuration.
"""

from __future__ import annotations

import json
import math
import os
import platform
import resource
import sys
import warnings
from collections.abc import Sequence
from importlib import metadata
from time import process_time

import numpy as np

import casmopolitan as cas
from benchmarks.ledger import Cell
from benchmarks.peers import Configuration, load, peer
from benchmarks.suites import problem_named

INITIAL = 20
OWN_START = 10
"""Random points for a method without a start of its own, if the others choose theirs."""
PURPOSE = 20210721
"""Separates the stream of the initial points from the streams that methods draw from the same seed."""

PEER_PACKAGES = ("optuna", "hyperopt", "smac", "torch", "gpytorch", "botorch", "ax-platform", "HEBO")
PACKAGES = ("casmopolitan", "numpy", "scipy", *PEER_PACKAGES, "scikit-learn", "xgboost")
"""Problems that train models with the last two have other values under another version."""


def run(cell: Cell, emit) -> None:
    problem = problem_named(cell.problem).seeded(cell.seed)
    optimum = None if problem.optimum is None else problem.optimum.value
    initial = initial_points(problem.space, cell.seed, initial_count(cell))
    emit({"direction": problem.direction, "optimum": optimum, "initial": len(initial), "versions": versions()})
    values, losses = evaluated(problem, initial, [])
    for value in values:
        emit([value, 0.0, peak_memory()])
    observed = list(zip(initial, losses, strict=True))
    seen = list(losses)
    start = load(cell.method)
    clock = process_time()
    method = start(problem.space, observed, cell.seed)
    reached, parent = len(initial), os.getppid()
    solution = solution_in(problem, initial, values)
    while reached < cell.budget and solution is None and os.getppid() == parent:
        count = min(cell.batch, cell.budget - reached)
        configurations = method.ask(count)
        seconds = process_time() - clock
        values, losses = evaluated(problem, configurations, seen)
        for value in values:
            emit([value, seconds / count, peak_memory()])
        seen += losses
        clock = process_time()
        method.tell(configurations, losses)
        reached += count
        solution = solution_in(problem, configurations, values)
    if solution is not None:
        emit({"solution": solution})


def solution_in(problem: cas.problems.Problem, configurations: Sequence[Configuration], values: Sequence[float]):
    """Return the first configuration that reaches the problem's goal, which ends the run; None if there is none."""
    if problem.goal is None:
        return None
    pairs = zip(configurations, values, strict=True)
    return next((configuration for configuration, value in pairs if problem.solved(value)), None)


def evaluated(problem: cas.problems.Problem, configurations: Sequence[Configuration], seen: Sequence[float]):
    """Return the values without noise, which are recorded, and the losses that the method is told.

    A configuration that was never measured (nan) is told as the worst loss so far, since most methods know no failures.
    """
    sign = -1.0 if problem.direction == "maximize" else 1.0
    told = [problem(configuration) for configuration in configurations]
    values = [float(problem.function(configuration)) for configuration in configurations] if problem.noise else told
    losses = [sign * value for value in told]
    known = [loss for loss in (*seen, *losses) if not math.isnan(loss)]
    return values, [max(known, default=0.0) if math.isnan(loss) else loss for loss in losses]


def initial_count(cell: Cell) -> int:
    """Return how many random points a method is given: none if it chooses its own."""
    if cell.start == "own":
        return 0 if peer(cell.method).own_start else OWN_START
    return INITIAL if cell.start == "shared" else int(cell.start)


def initial_points(space: cas.Space, seed: int, count: int = INITIAL) -> list[Configuration]:
    """Return distinct random points, the same for every method with this seed."""
    sample = space.sample(2 * max(count, INITIAL), np.random.default_rng([PURPOSE, seed]))
    distinct = {tuple(configuration.values()): configuration for configuration in sample}
    return list(distinct.values())[:count]


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

    cell, *cap = sys.argv[1:]
    if cap:
        limit_processor_time(math.ceil(float(cap[0])))
    run(Cell(**json.loads(cell)), emit)


def limit_processor_time(seconds: int) -> None:
    """Let the system end this process with SIGXCPU after so many seconds of processor time, without a core dump."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.getrlimit(resource.RLIMIT_CPU)[1]))


if __name__ == "__main__":
    main()
