"""`python -m benchmarks paper NAME`: run the cells of experiments that have no result yet, then write the page."""

from __future__ import annotations

import argparse
import math
import os
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from benchmarks import arena, ledger
from benchmarks.ledger import Cell, Record
from benchmarks.paper.experiment import CAPS, SCALES, Experiment
from benchmarks.progress import Progress
from casmopolitan.formatting import counted

FOLDER = Path("benchmarks/results/paper")
PAGE = Path("docs/reproduction.md")
LISTED = 20
"""Maximum number of names that an error lists."""


def add_arguments(parser: argparse.ArgumentParser, seeds: Callable, names: Callable) -> None:
    parser.add_argument("name", help="a figure or table, all, list, or page (write the page from the results, run nothing)")
    parser.add_argument("--scale", choices=SCALES, default="quick", help="full: the paper's budgets and seeds (default: quick)")
    parser.add_argument("--jobs", type=int, default=1, help="cells at a time")
    parser.add_argument("--released", type=Path, help="folder of the authors' code, for the method released-code")
    parser.add_argument("--seeds", type=seeds, help="N for 0 to N - 1, or A-B, instead of the scale's")
    parser.add_argument("--methods", type=names, help="only these methods")
    parser.add_argument("--problems", type=names, help="only problems whose names start with one of these")
    parser.add_argument("--cap-seconds", type=float, help="stop a cell after this processor time and keep its results so far")
    parser.add_argument("--minutes", type=float, help="stop after this many minutes; the same command continues from there")
    parser.add_argument("--retry", action="store_true", help="run failed cells again")
    parser.add_argument("--results", type=Path, default=FOLDER, help="folder of the results files")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page; figures go to images/ beside it")


@dataclass(frozen=True)
class Job:
    """A cell that is to be run, and the experiment whose file takes its result."""

    cell: Cell
    experiment: Experiment


def run_paper(options: argparse.Namespace) -> None:
    from benchmarks.paper.catalogue import EXPERIMENTS
    from benchmarks.peers.released_code import FOLDER as RELEASED

    if options.released:
        os.environ[RELEASED] = str(options.released.resolve())
    if options.name == "list":
        print("\n".join(f"{e.name:<26}{e.source}: {e.title}" for e in EXPERIMENTS.values()))
        return
    if options.name not in (*EXPERIMENTS, "all", "page"):
        raise SystemExit(f"No figure or table is called {options.name!r}; there are all, page, {', '.join(EXPERIMENTS)}.")
    if options.name != "page":
        chosen = list(EXPERIMENTS.values()) if options.name == "all" else [EXPERIMENTS[options.name]]
        refuse_unknown("method", options.methods, {method for e in chosen for method in e.methods}, options.name)
        cells = (cell for e in chosen for cell in e.cells(options.scale, options.seeds))
        refuse_unknown("problem", options.problems, {cell.problem for cell in cells}, options.name)
        run_jobs(jobs_of(chosen, options), options)
    if find_spec("matplotlib") is None:
        print("matplotlib is missing: run `python -m benchmarks paper page` where it is installed.", file=sys.stderr)
        return
    from benchmarks.paper.reproduction import write_page

    for path in write_page(list(EXPERIMENTS.values()), options.results, options.page):
        print(path)


def refuse_unknown(kind: str, asked: Sequence[str] | None, known: set[str], name: str) -> None:
    """Raise an error for an unknown name. The name of a problem is known if a problem starts with it."""
    for given in asked or ():
        if not any(each == given or (kind == "problem" and each.startswith(given)) for each in known):
            raise SystemExit(f"No {kind} of {name} is called {given!r}; there are {', '.join(sorted(known)[:LISTED])}.")


def jobs_of(experiments: Sequence[Experiment], options: argparse.Namespace) -> list[Job]:
    """Return the cells without a result; say which ones cannot be run here, and why."""
    from benchmarks.paper.available import obstacle
    from benchmarks.paper.data import path_of, pool_of

    planned: dict[tuple[Cell, str], Job] = {}
    for experiment in experiments:
        ledger.drop_torn_line(path_of(options.results, experiment.name, options.scale))
        cells = [cell for cell in experiment.cells(options.scale, options.seeds) if wanted(cell, options)]
        obstacles = {cell: why for cell in cells if (why := obstacle(cell))}
        for why in dict.fromkeys(obstacles.values()):
            print(f"{experiment.name}: left out, {why}", file=sys.stderr)
        known = pool_of(options.results, experiment, options.scale).values()
        todo = ledger.unfinished([cell for cell in cells if cell not in obstacles], known, retry=options.retry)
        done = len(cells) - len(todo) - len(obstacles)
        print(f"{experiment.name} ({options.scale}): {counted(len(todo), 'cell')} to run, {done} done before", file=sys.stderr)
        for cell in todo:
            planned.setdefault((cell, experiment.name if experiment.alone else ""), Job(cell, experiment))
    return list(planned.values())


def wanted(cell: Cell, options: argparse.Namespace) -> bool:
    problems = tuple(options.problems or ("",))
    return (options.methods is None or cell.method in options.methods) and cell.problem.startswith(problems)


def run_jobs(jobs: Sequence[Job], options: argparse.Namespace) -> None:
    """Run the cells, and append each result to the file of its experiment at once."""
    from benchmarks.__main__ import told
    from benchmarks.paper.data import path_of

    progress = Progress(len(jobs))
    command = shlex.join(["python", "-m", "benchmarks", *sys.argv[1:]])

    def keep(record: Record, experiment: Experiment) -> None:
        path = path_of(options.results, experiment.name, options.scale)
        ledger.append(path, record | {"command": command})
        progress.step(f"{experiment.name}: {told(record)}")

    cap = CAPS[options.scale] if options.cap_seconds is None else options.cap_seconds
    until = math.inf if options.minutes is None else time.monotonic() + 60 * options.minutes
    try:
        for group in (False, True):  # runs whose times are compared come last, with no other cell beside them
            chosen = [job for job in jobs if job.experiment.measure is None and job.experiment.alone == group]
            of = {job.cell: job.experiment for job in chosen}
            ended = lambda record, of=of: keep(record, of[Cell.of(record)])  # noqa: E731
            arena.run(list(of), jobs=options.jobs, cap_seconds=cap, ended=ended, until=until)
        for job in jobs:
            if job.experiment.measure and time.monotonic() < until:
                keep(job.experiment.measure(job.cell), job.experiment)
    except KeyboardInterrupt:
        raise SystemExit("\nStopped. The same command continues from here.") from None
    if time.monotonic() >= until:
        print(f"Stopped after {options.minutes:g} minutes. The same command continues from here.", file=sys.stderr)
