"""Golden runs: every suggestion of a fixed set of runs, to the last bit.

    python tests/contracts/golden_runs.py --write     record them in golden_runs.jsonl
    python tests/contracts/golden_runs.py             compare with the record
    python tests/contracts/golden_runs.py --quick     compare most of it, as the tests do

A refactoring must leave them equal. Floats are stored in hexadecimal. Bits depend on NumPy, SciPy and the processor, so the
file begins with the machine that recorded it; elsewhere, record again on a commit that is known to be good.
"""

from __future__ import annotations

import itertools
import json
import math
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import scipy
from optuna.trial import TrialState
from threadpoolctl import threadpool_info

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, explain, suggest

RECORD = Path(__file__).with_suffix(".jsonl")

CHOICES = cas.Space({f"c{i}": cas.Categorical(list("abcd")[: 2 + i % 3]) for i in range(8)})
MIXED = cas.Space(
    {
        "solver": cas.Categorical(["sgd", "adam", "rmsprop"]),
        "batch": cas.Ordinal([32, 64, 128, 256]),
        "layers": cas.Integer(1, 8),
        "rate": cas.Real(1e-5, 1e-1, log=True),
        "drop": cas.Real(0.0, 0.9, step=0.1),
        "flag": cas.Categorical([True, False]),
    }
)
NUMBERS = cas.Space({"x": cas.Real(-2.0, 2.0), "y": cas.Real(-2.0, 2.0), "z": cas.Real(0.0, 1.0)})
RULED = cas.Space(
    {f"c{i}": cas.Categorical(list("abc")) for i in range(6)} | {"x": cas.Real(0.0, 1.0)},
    constraint=[cas.Forbid({"c0": "a", "c1": "b"}), cas.Forbid({"c2": "c", "c3": "c"})],
)
PREDICATE = cas.Space({f"c{i}": cas.Categorical(list("abc")) for i in range(6)}, constraint=lambda c: c["c0"] != c["c5"])


def value_of(configuration: dict[str, Any]) -> float:
    """A smooth function of the numbers and a rugged one of the choices, the same on every machine."""
    total = 0.0
    for i, value in enumerate(configuration.values()):
        if isinstance(value, float):
            total += (math.log10(abs(value) + 1e-6) / 5 - 0.1 * i) ** 2
        else:
            total += (sum(map(ord, str(value))) * (i + 3)) % 7 / 5
    words = [str(value) for value in configuration.values() if not isinstance(value, float)]
    return total + 0.3 * sum((ord(a[0]) * ord(b[0])) % 5 for a, b in itertools.pairwise(words))


def noisy_value(configuration: dict[str, Any], number: int) -> float:
    return value_of(configuration) + 0.2 * math.sin(12.9898 * number)


def failing_value(configuration: dict[str, Any], number: int) -> float:
    return math.nan if next(iter(configuration.values())) in ("b", "adam") else value_of(configuration)


def one_by_one(space: cas.Space, n: int, evaluate: Callable[[dict[str, Any], int], float], **settings: Any) -> cas.Optimizer:
    optimizer = cas.Optimizer(space, **settings)
    for _ in range(n):
        trial = optimizer.ask()
        optimizer.tell(trial, evaluate(trial.configuration, trial.number))
    return optimizer


def in_batches(space: cas.Space, n: int, size: int, **settings: Any) -> cas.Optimizer:
    optimizer = cas.Optimizer(space, **settings)
    for _ in range(n):
        for trial in optimizer.ask(size):
            optimizer.tell(trial, value_of(trial.configuration))
    return optimizer


def with_pending(space: cas.Space, n: int, **settings: Any) -> cas.Optimizer:
    """Three trials always in flight, told in the order asked; one is cancelled, past data are told."""
    optimizer = cas.Optimizer(space, **settings)
    optimizer.tell({name: variable_value(space, name) for name in space}, 3.0)
    flying = optimizer.ask(3)
    for i in range(n):
        trial = flying.pop(0)
        if i == 5:
            optimizer.cancel(trial)
        else:
            optimizer.tell(trial, value_of(trial.configuration))
        flying.append(optimizer.ask())
    return optimizer


def variable_value(space: cas.Space, name: str) -> Any:
    return space.decode(space.domain.draw(1, np.random.default_rng(0)))[0][name]


def exact(configuration: dict[str, Any], number: int) -> float:
    return value_of(configuration)


def runs(quick: bool) -> Iterator[tuple[str, cas.Optimizer]]:
    """The name of each run, and the optimiser at its end; `quick` leaves out most variants of the authors' settings."""
    yield "paper as it is", one_by_one(MIXED, 24, exact, seed=0, config=cas.PAPER)
    yield "authors as it is", one_by_one(CHOICES, 24, exact, seed=0, config=cas.AUTHORS_CODE)
    small = {"n_initial": 7}
    presets = {"default": cas.DEFAULT, "paper": replace(cas.PAPER, **small), "authors": replace(cas.AUTHORS_CODE, **small)}
    if quick:
        del presets["authors"]
    for name, config in presets.items():
        more = 20 if name == "default" else 4
        yield f"{name} choices", one_by_one(CHOICES, 10 + more, exact, seed=1, config=config)
        yield f"{name} mixed", one_by_one(MIXED, 10 + more, exact, seed=2, config=config)
        yield f"{name} numbers", one_by_one(NUMBERS, 10 + more, exact, seed=3, config=config)
        yield f"{name} noisy", one_by_one(MIXED, 10 + more, noisy_value, seed=4, config=config, noisy=True)
        yield f"{name} failures", one_by_one(MIXED, 14 + more, failing_value, seed=5, config=config)
        yield f"{name} failing choices", one_by_one(CHOICES, 14 + more, failing_value, seed=5, config=config)
        yield f"{name} batch", in_batches(MIXED, 2 + more // 4, 5, seed=6, config=config)
        yield f"{name} pending", with_pending(CHOICES, 10 + more, seed=7, config=config)
        yield f"{name} rules", one_by_one(RULED, 10 + more, exact, seed=8, config=config)
        yield f"{name} predicate", one_by_one(PREDICATE, 10 + more, exact, seed=9, config=config, direction="maximize")
    for name, config in ({} if quick else cas.ABLATIONS).items():
        yield f"ablation {name}", one_by_one(MIXED, 14, exact, seed=10, config=replace(config, n_initial=8))
    short = replace(cas.PAPER, n_initial=6, failure_tolerance=2, minimum_length=0.2, initial_length=0.4, restart_initial=3)
    yield "restarts choices", one_by_one(CHOICES, 30, exact, seed=11, config=short)
    yield "restarts mixed", one_by_one(MIXED, 26, exact, seed=12, config=short)
    quick = replace(cas.DEFAULT, failure_tolerance=2, exhausted_by="either", restart_initial=3)
    yield "restarts default", one_by_one(MIXED, 50, exact, seed=13, config=quick)
    yield "restarts failures", one_by_one(CHOICES, 50, failing_value, seed=14, config=quick)
    yield "thompson", one_by_one(MIXED, 20, exact, seed=15, config=replace(cas.DEFAULT, acquisition="thompson"))
    yield "ucb", one_by_one(MIXED, 20, exact, seed=16, config=replace(cas.DEFAULT, acquisition="ucb"))
    wide = cas.Space({f"s{i}": cas.Categorical([0, 1]) for i in range(60)} | {"x": cas.Real(0.0, 1.0)})
    yield "wide", one_by_one(wide, 22, exact, seed=17)


def optuna_run(seed: int, n: int) -> list[Any]:
    """A study through the sampler, with one failed, one enqueued and one partly enqueued trial: its parameters and records."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=CasmopolitanSampler(MIXED, seed=seed))
    study.enqueue_trial({"solver": "adam", "batch": 64, "layers": 3, "rate": 1e-3, "drop": 0.5, "flag": True})
    for i in range(n):
        if i == 14:
            study.enqueue_trial({"solver": "sgd", "layers": 5})
        trial = study.ask()
        configuration = suggest(trial, MIXED)
        failed = i in (3, 12)
        study.tell(trial, None if failed else value_of(configuration), state=TrialState.FAIL if failed else None)
    return [[row["source"], bits(row["mean"]), *map(bits, row["params"].values())] for row in explain(study)]


def bits(value: Any) -> Any:
    return value.hex() if isinstance(value, float) else value


def rows_of(optimizer: cas.Optimizer) -> list[Any]:
    """Each trial's configuration, where it came from, and what was predicted there."""
    trials = []
    for trial in optimizer.trials:
        why = trial.explanation
        predicted = [bits(why.get(key)) for key in ("acquisition", "mean", "deviation", "success", "length")]
        values = [bits(value) for value in trial.configuration.values()]
        trials.append([trial.status, why["source"], why["region"], why.get("radius"), *predicted, *values])
    return trials


def lines(quick: bool = False) -> Iterator[dict[str, Any]]:
    """The record, run by run."""
    for name, optimizer in runs(quick):
        yield {"run": name, "trials": rows_of(optimizer)}
    yield {"run": "optuna", "trials": optuna_run(seed=18, n=22)}


def machine() -> dict[str, Any]:
    """What the bits depend on."""
    blas = sorted({str(pool.get("architecture")) for pool in threadpool_info() if pool["user_api"] == "blas"})
    simd = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    versions = {"numpy": np.__version__, "scipy": scipy.__version__}
    return {"machine": platform.machine(), "processor": processor(), **versions, "blas": blas, "simd": simd}


def processor() -> list[str]:
    """The model of the processor and the size of its cache: BLAS cuts its blocks by them. Linux alone says so in a file."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    keys = ("vendor_id", "cpu family", "model", "stepping", "cache size")
    return sorted({line.replace("\t", "") for line in lines if line.split(":")[0].strip() in keys})


def recorded() -> list[dict[str, Any]]:
    return [json.loads(line) for line in RECORD.read_text(encoding="utf-8").splitlines()]


def differences(quick: bool) -> Iterator[str]:
    """The first trial of each run that differs from the record."""
    expected = {line["run"]: line["trials"] for line in recorded()[1:]}
    for line in lines(quick):
        name, found = line["run"], line["trials"]
        known = expected.get(name, [])
        wrong = next((i for i, (a, b) in enumerate(zip(found, known, strict=False)) if a != b), None)
        if wrong is not None or len(found) != len(known):
            yield f"{name}: trial {wrong if wrong is not None else min(len(found), len(known))} differs"


def main() -> int:
    if "--write" in sys.argv:
        record = [machine(), *lines()]
        RECORD.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in record), encoding="utf-8")
        print(f"{len(record) - 1} runs written to {RECORD.name}")
        return 0
    wrong = list(differences("--quick" in sys.argv))
    print(*wrong, sep="\n") if wrong else print("all equal to the last bit")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
