"""Count near-duplicates within batches and between workers: `python -m benchmarks.crowding [--batches 8,24,96] [--out FILE]`.

Two points are near-duplicates if their choices are equal and all their numbers lie within 1 % of the range. A batch counts
every point that is near an earlier one of it. Two workers ask an Optuna study at the same moment, round after round.
"""

from __future__ import annotations

import argparse
import json
import threading
from collections.abc import Callable
from itertools import product
from time import process_time

import numpy as np

import casmopolitan as cas
from benchmarks.peers.ours import config_named
from benchmarks.suites import problem_named

NEAR = 0.01
ROUNDS = {8: 12, 24: 5, 96: 3}
"""Batches by their size."""
WORKERS, ASKS = 2, 20


def readme() -> tuple[cas.Space, Callable]:
    """README's example of ask and tell."""
    space = cas.Space({"solvent": cas.Categorical(["water", "ethanol"]), "temperature": cas.Real(20, 120)})
    return space, lambda c: abs(c["temperature"] - 85) / 2 - 40


def reals() -> tuple[cas.Space, Callable]:
    """Four by four choices and two real numbers whose best values depend on the choices."""
    a, b = np.random.default_rng(0).random((2, 4, 4))
    choices = {name: cas.Categorical(range(4)) for name in "ab"}
    space = cas.Space(choices | {"x": cas.Real(0, 1), "y": cas.Real(0, 1)})
    return space, lambda c: (c["x"] - a[c["a"], c["b"]]) ** 2 + (c["y"] - b[c["b"], c["a"]]) ** 2 + a[c["b"], c["a"]] / 4


def plate() -> tuple[cas.Space, Callable]:
    """Four variables with twenty choices each, as in a protein of which four sites may change."""
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=(4, 20)), rng.normal(size=(4, 4, 20, 20))

    def function(c: dict) -> float:
        h = list(c.values())
        return -float(np.exp(sum(one[i, h[i]] + sum(two[i, j, h[i], h[j]] for j in range(i)) for i in range(4)) / 2))

    return cas.Space({f"site{i}": cas.Categorical(range(20)) for i in range(4)}), function


OWN = {"readme": readme, "reals": reals, "plate": plate}
PROBLEMS = (*OWN, "func2c", "func3c", "ackley-53")


def problem(name: str) -> tuple[cas.Space, Callable]:
    """The space and the function to minimise."""
    if name in OWN:
        return OWN[name]()
    found = problem_named(name)
    sign = -1.0 if found.direction == "maximize" else 1.0
    return found.space, lambda configuration: sign * found(configuration)


def distances(space: cas.Space, configurations: list[dict], others: list[dict]) -> np.ndarray:
    """The largest difference of a number in units of the range, (n, m); infinite if choices differ."""
    one, two = space.encode(configurations), space.encode(others)
    apart = (one.h[:, None] != two.h[None]).any(axis=2)
    return np.where(apart, np.inf, np.abs(one.x[:, None] - two.x[None]).max(axis=2, initial=0.0))


def batches(name: str, method: str, size: int, seed: int) -> dict:
    """Ask for batches and tell them; the first holds the random design."""
    space, function = problem(name)
    optimizer = cas.Optimizer(space, seed=seed, config=config_named(method))
    nearest, again, seconds = [], [], []
    for _ in range(ROUNDS[size]):
        seen = [trial.configuration for trial in optimizer.trials]
        began = process_time()
        trials = optimizer.ask(size)
        seconds.append(process_time() - began)
        asked = [trial.configuration for trial in trials]
        within = distances(space, asked, asked)
        nearest.append([float(within[i, :i].min()) for i in range(1, len(asked))])
        again += [float(near) for near in distances(space, asked, seen).min(axis=1)] if seen else []
        for trial in trials:
            optimizer.tell(trial, function(trial.configuration))
    finite = sorted(d for batch in nearest for d in batch if d < np.inf)
    return {
        "near": np.mean([sum(d <= NEAR for d in batch) for batch in nearest]),
        "same choices": len(finite) / ROUNDS[size],
        "distances": [round(float(q), 6) for q in np.quantile(finite, [0.0, 0.1, 0.5])] if finite else [],
        "repeats": {str(scale): sum(d <= scale for d in again) for scale in (1e-2, 1e-3, 1e-4, 1e-6)},
        "processor seconds": round(max(seconds), 3),
        "best": optimizer.best_value,
    }


def workers(name: str, method: str, seed: int) -> dict:
    """Two workers with one storage ask at the same moment; then both tell."""
    import optuna

    from casmopolitan.study import CasmopolitanSampler

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space, function = problem(name)
    storage = optuna.storages.InMemoryStorage()
    optuna.create_study(storage=storage, study_name="crowding")
    studies = [
        optuna.load_study(
            study_name="crowding", storage=storage, sampler=CasmopolitanSampler(space, seed=seed, config=config_named(method))
        )
        for _ in range(WORKERS)
    ]
    together, asked = threading.Barrier(WORKERS), [None] * WORKERS

    def ask(i: int) -> None:
        together.wait()
        trial = studies[i].ask(studies[i].sampler.infer_relative_search_space(studies[i], None))
        asked[i] = trial

    near = 0
    for _ in range(ASKS):
        threads = [threading.Thread(target=ask, args=(i,)) for i in range(WORKERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        near += bool(distances(space, [asked[0].params], [asked[1].params])[0, 0] <= NEAR)
        for study, trial in zip(studies, asked, strict=True):
            study.tell(trial, function(trial.params))
    return {"near": near / ASKS, "best": studies[0].best_value}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crowding", description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=lambda text: text.split(","), default=PROBLEMS)
    parser.add_argument("--batches", type=lambda text: [int(n) for n in text.split(",")], default=[8])
    parser.add_argument("--methods", type=lambda text: text.split(","), default=["default"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--workers", action="store_true", help="two workers instead of batches")
    parser.add_argument("--out", default="benchmarks/results/crowding.jsonl", help="rows are appended")
    options = parser.parse_args()
    with open(options.out, "a", encoding="utf-8") as file:
        for name, method, seed in product(options.problems, options.methods, range(options.seeds)):
            for size in ["workers"] if options.workers else options.batches:
                found = workers(name, method, seed) if options.workers else batches(name, method, size, seed)
                line = json.dumps({"problem": name, "method": method, "batch": size, "seed": seed} | found)
                print(line, flush=True)
                file.write(line + "\n")


if __name__ == "__main__":
    main()
