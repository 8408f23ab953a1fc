"""Measure the time of a suggestion on one core: `make bench-speed`, or `python -m benchmarks.speed`.

An ask limits BLAS to one thread. Prints one line per measurement, with its limit if it has one, and stores them as JSON lines.
"""

import json
import math
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import casmopolitan as cas

RESULTS = Path(__file__).parent / "results" / "speed.jsonl"
Row = dict[str, object]


def row(what: str, seconds: float, limit: float | None = None, **more: object) -> Row:
    met = "" if limit is None else f"  limit {limit:g}: {'met' if seconds <= limit else 'NOT met'}"
    print(f"{what:<58} {seconds:9.4f}{met}", flush=True)
    return {"what": what, "value": seconds, "limit": limit, **more}


def imports() -> Iterator[Row]:
    """A fresh interpreter with the import, less one without."""
    times = {}
    for code in ("pass", "import casmopolitan"):
        spent = []
        for _ in range(7):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            spent.append(time.perf_counter() - began)
        times[code] = min(spent)
    yield row("import casmopolitan, s beyond the interpreter", times["import casmopolitan"] - times["pass"], 0.35)


def problems() -> Iterator[Row]:
    """Yield the mean over evaluations 20 to 200."""
    for name, limit in (("pest-25", 0.05), ("ackley-53", 0.12), ("rosenbrock-200", 0.8)):
        for preset, config, held in (("DEFAULT", cas.DEFAULT, limit), ("PAPER", cas.PAPER, 1.0)):
            if name == "rosenbrock-200" and preset == "PAPER":
                continue
            problem = cas.problems.get(name)
            optimizer = cas.Optimizer(problem.space, seed=0, config=config)
            spent = []
            for _ in range(200):
                began = time.perf_counter()
                trial = optimizer.ask()
                spent.append(time.perf_counter() - began)
                optimizer.tell(trial, problem(trial.configuration))
            yield row(f"{preset} on {name}, s a suggestion", float(np.mean(spent[20:])), held)


def filled(variables: int, n: int) -> tuple[cas.Optimizer, Callable[[dict[str, int]], float]]:
    """Return an optimiser that was told n random points of a random quadratic function of binary variables."""
    rng = np.random.default_rng(0)
    weights, pairs = rng.normal(size=variables), rng.normal(size=variables)
    space = cas.Space({f"x{i}": cas.Categorical([0, 1]) for i in range(variables)})

    def function(configuration: dict[str, int]) -> float:
        x = np.array(list(configuration.values()), dtype=float)
        return float(weights @ x + pairs @ (x * np.roll(x, 1)))

    optimizer = cas.Optimizer(space, seed=0)
    for configuration in space.sample(n, rng):
        optimizer.tell(configuration, function(configuration))
    return optimizer, function


def ask_seconds(variables: int, n: int, asks: int = 5) -> float:
    optimizer, function = filled(variables, n)
    spent = []
    for _ in range(asks):
        began = time.perf_counter()
        trial = optimizer.ask()
        spent.append(time.perf_counter() - began)
        optimizer.tell(trial, function(trial.configuration))
    return float(np.mean(spent))


def exponent(sizes: list[int], seconds: list[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def scale() -> Iterator[Row]:
    sizes, seconds = [100, 200, 400, 1000, 4000, 10000], []
    for n in sizes:
        limit = {1000: 1.5, 10000: 3.0}.get(n)
        seconds.append(ask_seconds(60, n))
        yield row(f"60 binaries, n = {n}, s an ask", seconds[-1], limit)
    yield row("growth in n up to the capacity of 500 (exponent)", exponent(sizes[:3], seconds[:3]))
    yield row("growth in n beyond it (exponent)", exponent(sizes[3:], seconds[3:]))
    widths, seconds = [50, 100, 200, 500, 1000], []
    for d in widths:
        seconds.append(ask_seconds(d, 300))
        yield row(f"{d} binaries, n = 300, s an ask", seconds[-1], 3.0 if d == 1000 else None)
    yield row("growth in d (exponent)", exponent(widths, seconds))
    space = cas.Space({"word": cas.Categorical(list(range(100_000))), "x": cas.Real(0, 1)})
    optimizer = cas.Optimizer(space, seed=0)
    began = time.perf_counter()
    for _ in range(40):
        trial = optimizer.ask()
        optimizer.tell(trial, abs(trial.configuration["word"] - 500) / 1e5 + trial.configuration["x"])
    yield row("a variable with 100000 choices, s a suggestion", (time.perf_counter() - began) / 40)


def memory() -> Iterator[Row]:
    """Return the growth of resident memory over 5,000 tells, after 500 to warm up."""
    optimizer, function = filled(60, 500)
    rng = np.random.default_rng(1)

    def asked() -> float:
        optimizer.cancel(optimizer.ask())
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    before = asked()
    for configuration in optimizer.space.sample(5000, rng):
        optimizer.tell(configuration, function(configuration))
    after = asked()
    yield row("5,000 tells of 60 binaries, MB of memory grown", after - before, 100.0)


def main() -> None:
    began = time.time()
    rows = [r for part in (imports, problems, scale, memory) for r in part()]
    about = {
        "command": "python -m benchmarks.speed",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
    }
    RESULTS.write_text("".join(json.dumps({**r, **about}) + "\n" for r in rows))
    assert all(math.isfinite(float(str(r["value"]))) for r in rows)
    print(f"{time.time() - began:.0f} s in all; written to {RESULTS}")


if __name__ == "__main__":
    main()
