"""Measure asks on a list of candidates: 12 categorical variables of 8 choices and 4 numbers, 200 trials told.

python -m benchmarks.listed 10000 100000

Prints one JSON line per length of the list: seconds of processor time to make the space, the mean and the longest of five asks,
and the memory of the space in bytes per candidate.
"""

from __future__ import annotations

import json
import sys
import time
import tracemalloc

import numpy as np

import casmopolitan as cas

TOLD, ASKS = 200, 5


def columns(n: int) -> dict[str, list[object]]:
    rng = np.random.default_rng(0)
    choices: dict[str, list[object]] = {f"c{j}": [f"v{k}" for k in rng.integers(8, size=n)] for j in range(12)}
    return choices | {f"x{k}": rng.random(n).tolist() for k in range(4)}


def value(configuration: dict[str, object]) -> float:
    return float(sum(v == "v0" for v in configuration.values())) - float(configuration["x0"])  # type: ignore[arg-type]


def main() -> None:
    for n in map(int, sys.argv[1:] or ["10000", "100000"]):
        table = columns(n)
        tracemalloc.start()
        began = time.process_time()
        space = cas.Space.of(table)
        made, memory = time.process_time() - began, tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        optimizer = cas.Optimizer(space, seed=0)
        for configuration in space.sample(TOLD, 1):
            optimizer.tell(configuration, value(configuration))
        seconds = []
        for _ in range(ASKS):
            began = time.process_time()
            trial = optimizer.ask()
            seconds.append(time.process_time() - began)
            optimizer.tell(trial, value(trial.configuration))
        figures = {"ask_mean": np.mean(seconds), "ask_longest": max(seconds), "make": made, "bytes_per_candidate": memory / n}
        print(json.dumps({"candidates": n, **{name: round(float(figure), 3) for name, figure in figures.items()}}), flush=True)


if __name__ == "__main__":
    main()
