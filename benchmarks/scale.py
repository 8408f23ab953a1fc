"""Measure asks and tells of large problems on one core: thousands of variables, thousands of trials, many choices.

python -m benchmarks.scale                      every measurement
python -m benchmarks.scale 10000 told           those whose description contains one of these words
python -m benchmarks.scale --label NAME         add a name to every row, e.g. "before"

Prints JSON lines. Seconds are of processor time, which other programs hardly affect; `value` is the least of the
repeated measurements and `mean` their mean. `results/scale.jsonl` holds figures of a machine that others were using.
"""

from __future__ import annotations

import argparse
import json
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

import casmopolitan as cas

T = TypeVar("T")
Row = dict[str, Any]


def timed(call: Callable[[], T]) -> tuple[float, T]:
    """Return the seconds of processor time of a call, and its result."""
    began = time.process_time()
    result = call()
    return time.process_time() - began, result


def row(what: str, values: list[float], limit: float | None = None) -> Row:
    return {"what": what, "value": min(values), "mean": float(np.mean(values)), "limit": limit}


def switches(count: int) -> tuple[cas.Space, Callable[[dict[str, int]], float]]:
    """Return a space of binary categorical variables, and a random quadratic function of them."""
    rng = np.random.default_rng(0)
    weights, pairs = rng.normal(size=count), rng.normal(size=count)

    def function(configuration: dict[str, int]) -> float:
        x = np.array(list(configuration.values()), dtype=float)
        return float(weights @ x + pairs @ (x * np.roll(x, 1)))

    return cas.Space({f"x{i}": cas.Categorical([0, 1]) for i in range(count)}), function


def asks(count: int, trials: int, ask_limit: float, tell_limit: float, repeats: int = 8) -> Iterator[Row]:
    """Yield the seconds of an ask and of the tell that follows it, after `trials` trials of past data."""
    space, function = switches(count)
    optimizer = cas.Optimizer(space, seed=0)
    given = []
    for configuration in space.sample(trials, 1):
        value = function(configuration)
        given.append(timed(lambda configuration=configuration, value=value: optimizer.tell(configuration, value))[0])
    asked, told = [], []
    for _ in range(repeats):
        seconds, trial = timed(optimizer.ask)
        asked.append(seconds)
        value = function(trial.configuration)
        told.append(timed(lambda trial=trial, value=value: optimizer.tell(trial, value))[0])
    yield row(f"{count} switches, {trials} trials: s per ask", asked, ask_limit)
    yield row(f"{count} switches, {trials} trials: s per tell", told, tell_limit)
    yield row(f"{count} switches, {trials} trials: s per tell of past data", given)


def past_data(trials: int, limit: float | None) -> Iterator[Row]:
    """Yield the seconds in which past data of 20 variables are told."""
    space = cas.Space(
        {f"c{i}": cas.Categorical(["a", "b", "c", "d"]) for i in range(15)} | {f"x{i}": cas.Real(0, 1) for i in range(5)}
    )
    configurations = space.sample(trials, 1)

    def tell_all() -> None:
        optimizer = cas.Optimizer(space, seed=0)
        for number, configuration in enumerate(configurations):
            optimizer.tell(configuration, float(number % 97))

    yield row(f"20 variables: s for {trials} told trials", [timed(tell_all)[0] for _ in range(3)], limit)


def many_choices(choices: int) -> Iterator[Row]:
    """Yield the seconds of a suggestion if one variable has very many choices."""
    space = cas.Space({"word": cas.Categorical(list(range(choices))), "x": cas.Real(0, 1)})
    optimizer = cas.Optimizer(space, seed=0)
    spent = []
    for _ in range(40):
        seconds, trial = timed(optimizer.ask)
        told, _ = timed(lambda trial=trial: optimizer.tell(trial, abs(trial.configuration["word"] - 500) / choices))
        spent.append(seconds + told)
    yield row(f"a variable with {choices} choices: s per ask and tell", spent)


def memory(count: int, trials: int) -> Iterator[Row]:
    """Yield the megabytes held after many told trials, and the most that one ask needs beyond that."""
    space, function = switches(count)
    points = space.sample(trials, 1)
    tracemalloc.start()
    optimizer = cas.Optimizer(space, seed=0)
    for configuration in points:
        optimizer.tell(configuration, function(configuration))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    optimizer.ask()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    yield row(f"{count} switches, {trials} trials: MB held", [held / 1e6])
    yield row(f"{count} switches, {trials} trials: MB more in an ask", [(most - held) / 1e6])


MEASUREMENTS: dict[str, Callable[[], Iterator[Row]]] = {
    "asks 200 switches": lambda: asks(200, 300, 0.5, 0.01),
    "asks 1000 switches": lambda: asks(1000, 300, 0.5, 0.01),
    "asks 10000 switches": lambda: asks(10_000, 300, 1.0, 0.01),
    "told 2500": lambda: past_data(2500, None),
    "told 10000": lambda: past_data(10_000, 2.0),
    "choices 1000": lambda: many_choices(1000),
    "choices 100000": lambda: many_choices(100_000),
    "memory 1000 switches 300 trials": lambda: memory(1000, 300),
    "memory 1000 switches 600 trials": lambda: memory(1000, 600),
    "memory 4000 switches 300 trials": lambda: memory(4000, 300),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="make only the measurements whose description contains one of these words")
    parser.add_argument("--label", default=None, help="added to every row")
    arguments = parser.parse_args()
    for name, measurement in MEASUREMENTS.items():
        if not arguments.words or any(word in name for word in arguments.words):
            for found in measurement():
                print(json.dumps({"label": arguments.label, **found, "numpy": np.__version__}), flush=True)


if __name__ == "__main__":
    main()
