"""Measure the gain from learning from failures: `python -m benchmarks.failing [--seeds N] [--jobs J] [--out FILE]`.

Discrete and mixed functions whose trials fail by a rule or at random; a different function for each seed. Each is minimised by
DEFAULT with failures learnt and with failures avoided.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import product

import numpy as np

import casmopolitan as cas
from benchmarks.progress import Progress

CHOICES, MIXED = (10, 8, 0, 0), (5, 3, 2, 4)
"""Numbers of switches, variables with four choices, integers with nine values and continuous variables."""

PROBLEMS = {
    "too much at once, 40 %": (CHOICES, "load", 0.6),
    "too much at once, 85 %": (CHOICES, "load", 0.15),
    "six pairs of choices": (CHOICES, "pairs", 1.0),
    "a choice and a pair": (CHOICES, "choice", 1.0),
    "one in five by luck": (CHOICES, "luck", 1.0),
    "too much at once, 40 %, with numbers": (MIXED, "load", 0.6),
    "too much at once, 85 %, with numbers": (MIXED, "load", 0.15),
    "one in five by luck, with numbers": (MIXED, "luck", 1.0),
}
INITIAL, BUDGET, AT = 20, 100, (30, 50, 100)


def function(name, seed):
    """Return the space and the objective, which is nan if a trial fails."""
    (switches, fours, integers, reals), rule, share = PROBLEMS[name]
    rng, luck = np.random.default_rng([seed, 1]), np.random.default_rng([seed, 2])
    levels, numbers = [2] * switches + [4] * fours, integers + reals
    single = [rng.normal(0, 1, n) for n in levels]
    pairs = [(i, j, rng.normal(0, 0.7, (levels[i], levels[j]))) for i in range(len(levels)) for j in range(i)]
    pairs = [pair for pair in pairs if rng.random() < 0.25]
    best, weight = rng.uniform(0.1, 0.9, numbers), np.exp(rng.normal(1.5, 0.5, numbers))
    # Good choices have a high load, so the optimum lies at the edge of the allowed load.
    cost = [np.abs(rng.normal(0, 1, len(worth))) + 0.8 * np.maximum(0.0, -worth) for worth in single]
    slope = rng.uniform(-3, 3, numbers)
    two = [rng.choice(len(levels), 2, replace=False) for _ in range(6)]
    bad = [(i, rng.integers(levels[i]), j, rng.integers(levels[j])) for i, j in two]

    def load(h, u):
        return sum(c[level] for c, level in zip(cost, h, strict=True)) + slope @ u

    most = np.quantile([load(rng.integers(0, levels), rng.random(numbers)) for _ in range(4000)], share)

    def fails(h, u):
        if rule == "load":
            return load(h, u) > most
        if rule == "pairs":
            return any(h[i] == a and h[j] == b for i, a, j, b in bad)
        if rule == "choice":
            return (h[switches] == 1 and h[0] == 1) or h[switches + 1] == 2
        return luck.random() < 0.2

    def objective(configuration):
        values = list(configuration.values())
        h, u = values[: len(levels)], np.array(values[len(levels) :], dtype=float)
        u[:integers] /= 8
        if fails(h, u):
            return math.nan
        together = sum(effect[h[i], h[j]] for i, j, effect in pairs)
        return float(sum(worth[level] for worth, level in zip(single, h, strict=True)) + together + weight @ (u - best) ** 2)

    variables = {f"c{i}": cas.Categorical(list(range(n))) for i, n in enumerate(levels)}
    variables |= {f"i{i}": cas.Integer(0, 8) for i in range(integers)}
    variables |= {f"x{i}": cas.Real(0, 1) for i in range(reals)}
    return cas.Space(variables), objective


def run(cell):
    """Minimise one function; return the best values by evaluation and the number of failures after the design."""
    name, seed, failures = cell
    space, objective = function(name, seed)
    optimizer = cas.Optimizer(space, seed=seed, config=replace(cas.DEFAULT, n_initial=INITIAL, failures=failures))
    values = []
    for _ in range(BUDGET):
        trial = optimizer.ask()
        values.append(objective(trial.configuration))
        optimizer.tell(trial, values[-1])
    reached = np.fmin.accumulate(values)
    best = {str(k): None if math.isnan(reached[k - 1]) else round(float(reached[k - 1]), 6) for k in AT}
    return {"problem": name, "seed": seed, "failures": failures, "best": best, "failed": int(np.isnan(values[INITIAL:]).sum())}


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.failing", description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", default="benchmarks/results/failing.jsonl")
    options = parser.parse_args()
    cells = list(product(PROBLEMS, range(options.seeds), ("avoided", "learnt")))
    command = f"python -m benchmarks.failing --seeds {options.seeds}"
    records, progress = [], Progress(len(cells))
    with ProcessPoolExecutor(options.jobs) as pool:
        for record in pool.map(run, cells):
            records.append(record | {"command": command})
            progress.step(
                f"{record['problem']}, seed {record['seed']}, failures {record['failures']}: {record['failed']} failed"
            )
    with open(options.out, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    head = f"mean best value at {BUDGET} evaluations"
    print(f"{head:40}  {'avoided':>8} {'learnt':>8} {'difference':>16}  failed of {BUDGET - INITIAL}")
    for name in PROBLEMS:
        mine = {way: [r for r in records if (r["problem"], r["failures"]) == (name, way)] for way in ("avoided", "learnt")}
        value = {way: np.array([r["best"][str(BUDGET)] for r in mine[way]], dtype=float) for way in mine}
        gain, failed = value["learnt"] - value["avoided"], {way: np.mean([r["failed"] for r in mine[way]]) for way in mine}
        error = gain.std(ddof=1) / math.sqrt(len(gain)) if len(gain) > 1 else math.nan
        print(
            f"{name:40}  {value['avoided'].mean():8.2f} {value['learnt'].mean():8.2f} {gain.mean():+8.2f} ± {error:5.2f}"
            f"  {failed['avoided']:5.1f} -> {failed['learnt']:.1f}"
        )


if __name__ == "__main__":
    main()
