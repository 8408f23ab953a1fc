"""Measure the gain from earlier studies: `python -m benchmarks.past --tables FOLDER [--seeds N] [--first N] [--out FILE]`.

The task is the direct-arylation reaction at 105 degrees. The earlier studies are a tenth of the rows at 90 and at 120 degrees,
drawn for each seed. Without them, the optimiser starts anew. Permuted: the values of each earlier study belong to other rows,
so that the studies say nothing about the task.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

import casmopolitan as cas
from benchmarks import tables
from benchmarks.progress import Progress
from benchmarks.statistics import mean_cells

TASK, PRESENT, EARLIER, SHARE = "Temp_C", "105", ("90", "120"), 0.1
BUDGET, AT = 30, (1, 3, 5, 8, 10, 15, 20, 25, 30)
KINDS = ("none", "earlier", "permuted")


def studies(problem, space, seed, permuted):
    """Return the earlier studies of a seed."""
    rng, found = np.random.default_rng([seed, 5]), {}
    rows = space.decode(space.domain.every_point())
    for task in EARLIER:
        values = np.array([problem({**row, TASK: task}) for row in rows])
        values = rng.permutation(values) if permuted else values
        chosen = rng.choice(len(rows), round(SHARE * len(rows)), replace=False)
        found[f"{task} degrees"] = [(rows[i], values[i]) for i in chosen]
    return found


def run(problem, kind, seed):
    """Return the best yield after each number of evaluations in AT."""
    space = cas.Space({name: variable for name, variable in problem.space.variables.items() if name != TASK})
    past = None if kind == "none" else studies(problem, space, seed, kind == "permuted")
    optimizer = cas.Optimizer(space, seed=seed, direction="maximize", past=past)
    values = []
    for _ in range(BUDGET):
        trial = optimizer.ask()
        values.append(problem({**trial.configuration, TASK: PRESENT}))
        optimizer.tell(trial, values[-1])
    return {str(n): round(max(values[:n]), 4) for n in AT}


def summary(records):
    """Return a table of means and standard errors, one row per kind of earlier study."""
    lines = [f"| earlier studies | {' | '.join(map(str, AT))} |", f"|---|{'---|' * len(AT)}"]
    for kind in KINDS:
        best = [[r["best"][str(n)] for n in AT] for r in records if r["kind"] == kind]
        if len(best) > 1:
            lines.append(f"| {kind} | {mean_cells(best)} |")
    return "\n".join(lines)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.past", description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=Path, required=True, help="folder of direct-arylation.csv")
    parser.add_argument("--seeds", type=int, default=32)
    parser.add_argument("--first", type=int, default=200, help="the first seed; others served to choose the settings")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/past.jsonl"))
    options = parser.parse_args(arguments)
    command = f"python -m benchmarks.past --tables FOLDER --seeds {options.seeds} --first {options.first}"
    problem = tables.table(options.tables / "direct-arylation.csv")
    records = [json.loads(line) for line in options.out.read_text().splitlines()] if options.out.exists() else []
    done = {(r["kind"], r["seed"]) for r in records}
    seeds = range(options.first, options.first + options.seeds)
    todo = [(kind, seed) for seed in seeds for kind in KINDS if (kind, seed) not in done]
    progress = Progress(len(todo))
    with options.out.open("a", encoding="utf-8") as file:
        for kind, seed in todo:
            best = run(problem, kind, seed)
            records.append({"kind": kind, "seed": seed, "best": best, "command": command})
            file.write(json.dumps(records[-1]) + "\n")
            file.flush()
            progress.step(f"{kind} seed {seed}: {best[str(BUDGET)]}")
    print(summary(records))


if __name__ == "__main__":
    main()
