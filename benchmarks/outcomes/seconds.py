"""Compare the seconds per suggestion: `python -m benchmarks.outcomes.seconds [--problem re22] [--trials 60] [--out FILE]`.

One objective, all objectives and, where torch is installed, the GPSampler with all objectives. The three runs take their trials
in turn in one process, so that other work on the machine slows them alike. Only suggestions are timed, after the first 20.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean

import casmopolitan as cas
from benchmarks import ledger, tables
from benchmarks.axes import axes_of, configuration_of
from benchmarks.cell import versions
from benchmarks.outcomes.problem import OutcomeProblem
from benchmarks.outcomes.problems import SEVERAL
from benchmarks.page import Table, markdown

Step = Callable[[], float]
"""Make one trial and return the seconds of its suggestion."""
METHOD = "seconds"
"""The name under which the result is recorded."""
SKIPPED = 20
"""First trials that are not counted: random points, and the fits of few points."""


def ours(problem: OutcomeProblem, objectives: dict[str, str]) -> Step:
    optimizer = cas.Optimizer(problem.space, seed=0, objectives=objectives)

    def step() -> float:
        began = time.process_time()
        trial = optimizer.ask()
        seconds = time.process_time() - began
        row = problem.measure(trial.configuration)
        optimizer.tell(trial, {name: row[name] for name in objectives})
        return seconds

    return step


def gp_sampler(problem: OutcomeProblem) -> Step:
    import optuna

    from benchmarks.peers.optuna_study import distribution

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.GPSampler(seed=0, deterministic_objective=True)
    study = optuna.create_study(directions=list(problem.objectives.values()), sampler=sampler)
    axes = axes_of(problem.space)

    def step() -> float:
        began = time.process_time()
        trial = study.ask({axis.name: distribution(axis) for axis in axes})
        seconds = time.process_time() - began
        row = problem.measure(configuration_of(axes, trial.params))
        study.tell(trial, [row[name] for name in problem.objectives])
        return seconds

    return step


def measured(name: str, trials: int) -> ledger.Record:
    """Return the mean processor seconds per suggestion of each run."""
    problem = SEVERAL[name]()
    first = dict([next(iter(problem.objectives.items()))])
    steps = {"one objective": ours(problem, first), "all objectives": ours(problem, problem.objectives)}
    if importlib.util.find_spec("torch"):
        steps["GPSampler"] = gp_sampler(problem)
    taken: dict[str, list[float]] = {label: [] for label in steps}
    for _ in range(trials):
        for label, step in steps.items():
            taken[label].append(step())
    cell = asdict(ledger.Cell(name, METHOD, 0, trials, start="own")) | {"versions": versions(), "status": "done"}
    means = {label: round(fmean(seconds[SKIPPED:]), 4) for label, seconds in taken.items()}
    return cell | {"objectives": len(problem.objectives), "seconds": means}


def table(records: Sequence[ledger.Record]) -> Table:
    """Return the seconds and both ratios, one row per problem."""
    rows = []
    for record in records:
        one, all_of, gp = (record["seconds"].get(label) for label in ("one objective", "all objectives", "GPSampler"))
        ratios = [f"{all_of / one:.2g}", f"{gp / all_of:.3g}" if gp else "–"]
        shown = [f"{seconds:.3g}" if seconds else "–" for seconds in (one, all_of, gp)]
        rows.append([record["problem"], str(record["objectives"]), str(record["budget"]), *shown, *ratios])
    head = ["problem", "objectives", "trials", "one objective", "all objectives", "GPSampler, all objectives"]
    return Table([*head, "all / one", "GPSampler / all"], rows)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.outcomes.seconds", description=__doc__)
    parser.add_argument("--problem", choices=SEVERAL, default="re22")
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--out", type=Path, help="file of JSON lines to append to, e.g. benchmarks/results/outcomes.jsonl")
    parser.add_argument("--tables", type=Path, help="folder of the tables arylation-yield-cost and lipid-particles")
    options = parser.parse_args(arguments)
    if options.tables is not None:
        os.environ[tables.FOLDER] = str(options.tables.resolve())
    warnings.simplefilter("ignore")
    command = shlex.join(["python", "-m", "benchmarks.outcomes.seconds", *(sys.argv[1:] if arguments is None else arguments)])
    record = measured(options.problem, options.trials) | {"command": command}
    if options.out:
        ledger.append(options.out, record)
    print(markdown([table([record])], "images"))


if __name__ == "__main__":
    main()
