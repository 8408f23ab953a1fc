"""Measure the gain from described choices: `python -m benchmarks.descriptions --tables FOLDER [--seeds N] [--out FILE]`.

Real: the direct-arylation table with the mordred descriptors of bases, ligands and solvents, and without them. Planted: smooth
functions of the descriptors of three variables with twelve choices, a different function for each seed, with their descriptors,
with the descriptors of other choices (permuted), and without any. Values are scaled to 0 for the mean and 100 for the best
point, except the yields of the reaction, which are percentages.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path

import numpy as np

import casmopolitan as cas
from benchmarks import tables
from benchmarks.progress import Progress
from benchmarks.statistics import mean_cells

BUDGET, AT = 50, (10, 20, 25, 30, 40, 50)
CHOICES, VARIABLES, COLUMNS, WAVES = 12, 3, 4, 60
REAL, PLANTED = "direct-arylation", "planted"
KINDS = {REAL: ("none", "mordred"), PLANTED: ("none", "own", "permuted")}
WORDS = {"True": 1.0, "False": 0.0}


def reaction(folder, kind):
    """Return the space of the reaction, described or not, and its yield in percent."""
    problem = tables.table(folder / f"{REAL}.csv")
    if kind == "none":
        return problem.space, problem
    variables = dict(problem.space.variables)
    for name in ("base", "ligand", "solvent"):
        with (folder / "descriptors" / f"{REAL}-{name}_mordred.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))[1:]
        table = {row[0]: [WORDS[cell] if cell in WORDS else float(cell) for cell in row[1:]] for row in rows}
        variables[name] = cas.Categorical(variables[name].choices, descriptors=table)
    return cas.Space(variables), problem


def planted(seed, kind):
    """Return the space of a planted function, described or not, and its value: 0 on average, 100 at best."""
    rng = np.random.default_rng([seed, 3])
    tables_of = [rng.standard_normal((CHOICES, COLUMNS)) for _ in range(VARIABLES)]
    slopes, phases = 0.5 * rng.standard_normal((VARIABLES * COLUMNS, WAVES)), rng.uniform(0, 2 * np.pi, WAVES)
    heights = rng.standard_normal(WAVES)
    h = np.stack(np.unravel_index(np.arange(CHOICES**VARIABLES), (CHOICES,) * VARIABLES), axis=1)
    found = np.hstack([table[column] for table, column in zip(tables_of, h.T, strict=True)])
    values = np.cos(found @ slopes + phases) @ heights
    values = (100 * (values - values.mean()) / (values.max() - values.mean())).reshape((CHOICES,) * VARIABLES)
    orders = [rng.permutation(CHOICES) if kind == "permuted" else np.arange(CHOICES) for _ in tables_of]
    choices = list(range(CHOICES))
    described = [None if kind == "none" else table[order] for table, order in zip(tables_of, orders, strict=True)]
    space = cas.Space({f"c{j}": cas.Categorical(choices, descriptors=table) for j, table in enumerate(described)})
    return space, lambda configuration: float(values[tuple(configuration.values())])


def run(folder, problem, kind, seed):
    """Return the best value after each number of evaluations in AT."""
    space, objective = reaction(folder, kind) if problem == REAL else planted(seed, kind)
    optimizer = cas.Optimizer(space, seed=seed, direction="maximize")
    values = []
    for _ in range(BUDGET):
        trial = optimizer.ask()
        values.append(objective(trial.configuration))
        optimizer.tell(trial, values[-1])
    return {str(n): round(max(values[:n]), 4) for n in AT}


def summary(records):
    """Return a table of means and standard errors: one row per problem and kind of description."""
    lines = [f"| problem | descriptors | {' | '.join(map(str, AT))} |", f"|---|---|{'---|' * len(AT)}"]
    for problem, kinds in KINDS.items():
        for kind in kinds:
            best = [[r["best"][str(n)] for n in AT] for r in records if (r["problem"], r["kind"]) == (problem, kind)]
            if len(best) > 1:
                lines.append(f"| {problem} | {kind} | {mean_cells(best)} |")
    return "\n".join(lines)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.descriptions", description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=Path, required=True, help="folder of direct-arylation.csv and descriptors/")
    parser.add_argument("--seeds", type=int, default=32)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/descriptions.jsonl"))
    options = parser.parse_args(arguments)
    command = f"python -m benchmarks.descriptions --tables FOLDER --seeds {options.seeds}"
    records = [json.loads(line) for line in options.out.read_text().splitlines()] if options.out.exists() else []
    done = {(r["problem"], r["kind"], r["seed"]) for r in records}
    cells = [(p, kind, seed) for seed in range(options.seeds) for p, kinds in KINDS.items() for kind in kinds]
    todo = [cell for cell in cells if cell not in done]
    progress = Progress(len(todo))
    with options.out.open("a", encoding="utf-8") as file:
        for problem, kind, seed in todo:
            best = run(options.tables, problem, kind, seed)
            records.append({"problem": problem, "kind": kind, "seed": seed, "best": best, "command": command})
            file.write(json.dumps(records[-1]) + "\n")
            file.flush()
            progress.step(f"{problem} {kind} seed {seed}: {best['50']}")
    print(summary(records))


if __name__ == "__main__":
    main()
