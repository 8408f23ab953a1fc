"""Compare methods on problems with limits or several objectives: `python -m benchmarks.outcomes [--tables FOLDER] ...`.

Prints the best feasible value after some evaluations, or the share of the exact hypervolume, and writes them as JSON lines.
Every method chooses its own first points.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np

import casmopolitan as cas
from benchmarks import tables
from benchmarks.outcome_problems import PROBLEMS, OutcomeProblem

AT = (25, 50, 75, 100, 150)
METHODS = ("default", "random", "tpe", "nsga2", "gp")


def run_ours(problem: OutcomeProblem, budget: int, seed: int) -> list[dict | None]:
    result = cas.optimize(
        problem.measure, problem.space, budget, objectives=problem.objectives, limits=problem.limits, seed=seed, progress=False
    )
    return [trial.outcomes for trial in result.trials]


def run_random(problem: OutcomeProblem, budget: int, seed: int) -> list[dict | None]:
    answers = [problem.measure(c) for c in problem.space.sample(budget, seed)]
    return [None if answer is cas.FAILED else answer for answer in answers]


def run_optuna(problem: OutcomeProblem, budget: int, seed: int, method: str) -> list[dict | None]:
    """Run an Optuna sampler. Limits are told by `set_constraint`; rows that a table lacks are failed trials."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    kinds = {"tpe": "TPESampler", "nsga2": "NSGAIISampler", "gp": "GPSampler"}
    options = {"population_size": 20} if method == "nsga2" else {}
    sampler = getattr(optuna.samplers, kinds[method])(seed=seed, **options)
    study = optuna.create_study(directions=list(problem.objectives.values()), sampler=sampler)
    found: list[dict | None] = []
    for _ in range(budget):
        trial = study.ask()
        answer = problem.measure({name: suggested(trial, name, problem.space[name]) for name in problem.space})
        found.append(None if answer is cas.FAILED else answer)
        if found[-1] is None:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
            continue
        for name, limit in problem.limits.items():
            relation, bound = limit.split()
            over = answer[name] - float(bound)
            trial.set_constraint(name, over if relation == "<=" else -over)
        study.tell(trial, [answer[name] for name in problem.objectives])
    return found


def suggested(trial, name, variable):
    """Return Optuna's value of one variable. Ordinals are suggested by their index, which keeps their order."""
    if isinstance(variable, cas.Ordinal):
        return variable.values[trial.suggest_int(name, 0, len(variable.values) - 1)]
    if isinstance(variable, cas.Integer):
        return trial.suggest_int(name, variable.low, variable.high)
    if isinstance(variable, cas.Real):
        return trial.suggest_float(name, variable.low, variable.high)
    return trial.suggest_categorical(name, variable.choices)


def cell(name: str, method: str, seed: int, budget: int) -> dict:
    """Run one method once; return its score at each checkpoint and the seconds of processor time."""
    problem, began = PROBLEMS[name](), time.process_time()
    if method == "default":
        found = run_ours(problem, budget, seed)
    else:
        found = run_random(problem, budget, seed) if method == "random" else run_optuna(problem, budget, seed, method)
    seconds = time.process_time() - began
    scores = {str(n): problem.score(found[:n]) for n in AT if n <= budget}
    shown = {n: score if math.isfinite(score) else None for n, score in scores.items()}
    return {"problem": name, "method": method, "seed": seed, "scores": shown, "seconds": round(seconds, 1)}


def summary(cells: list[dict]) -> str:
    """Return the mean score of each problem and method, and how many runs had none."""
    lines = []
    for name, method in sorted({(c["problem"], c["method"]) for c in cells}):
        own = [c for c in cells if (c["problem"], c["method"]) == (name, method)]
        parts = []
        for n in own[0]["scores"]:
            known = [c["scores"][n] for c in own if c["scores"][n] is not None]
            missing = f" ({len(own) - len(known)} none)" if len(known) < len(own) else ""
            parts.append(f"{np.mean(known):.5g}{missing}" if known else "none")
        seconds = np.mean([c["seconds"] for c in own])
        lines.append(f"{name:22} {method:8} {' / '.join(parts)}   {len(own)} seeds, {seconds:.0f} s")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.outcomes", description=__doc__)
    parser.add_argument("--problems", default="welded-beam,pressure-vessel,zdt5,gear-train", help=", ".join(PROBLEMS))
    parser.add_argument("--methods", default="default,random", help=", ".join(METHODS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--budget", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tables", type=Path, help="folder of the tables arylation-yield-cost and lipid-particles")
    parser.add_argument("--out", type=Path, help="file of JSON lines to append to")
    options = parser.parse_args(arguments)
    if options.tables is not None:
        os.environ[tables.FOLDER] = str(options.tables.resolve())
    runs = list(product(options.problems.split(","), options.methods.split(","), range(options.seeds), [options.budget]))
    with ProcessPoolExecutor(options.jobs) as pool:
        cells = list(pool.map(cell, *zip(*runs, strict=True)))
    if options.out is not None:
        with options.out.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(c) + "\n" for c in cells)
    print(summary(cells))


if __name__ == "__main__":
    main()
