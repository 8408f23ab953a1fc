"""Theorem 3.3: the average regret of the local optima over restarts, on a function small enough to know its optimum."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

import casmopolitan as cas
from benchmarks.arena import improvements
from benchmarks.ledger import Cell, Record
from benchmarks.paper.claims import AGAINST, FEW, HOLDS, LEAST_SEEDS, MISSING, OPEN, Comparison
from benchmarks.paper.data import Data
from benchmarks.paper.drawing import board, empty, finished, plot, styled
from benchmarks.peers.ours import config_named
from benchmarks.statistics import LEVEL, paired

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PROBLEM = "ising-24"
SETTINGS = ":noisy=true:failure_tolerance=3:n_initial=3:initial_radius=2:fit_starts=1"
"""Small regions that end after few failures; points may be repeated, as Theorem 3.2 needs."""
UCB, RANDOM = f"paper{SETTINGS}", f'paper{SETTINGS}:restart_centre="random"'


def measure(cell: Cell) -> Record:
    """Run a cell in this process; its record holds the best value of every region that ended."""
    problem = cas.problems.get(cell.problem)
    config = config_named(cell.method)
    began = time.perf_counter()
    optimizer = cas.Optimizer(problem.space, seed=cell.seed, config=config)
    for _ in range(cell.budget):
        trial = optimizer.ask()
        optimizer.tell(trial, problem(trial.configuration))
    seconds = time.perf_counter() - began
    values = [trial.value for trial in optimizer.trials]
    best: dict[int, float] = {}
    for trial in optimizer.trials:
        region = trial.explanation["region"]
        best[region] = min(best.get(region, np.inf), trial.value)
    ended = list(best.values())[:-1]
    return asdict(cell) | {
        "status": "done",
        "evaluations": len(values),
        "direction": problem.direction,
        "optimum": problem.optimum.value,
        "initial": config.n_initial,
        "best": list(improvements(values, problem.direction)),
        "regions": [float(f"{value:.10g}") for value in ended],
        "seconds": {"mean": float(f"{seconds / cell.budget:.4g}"), "total": float(f"{seconds:.4g}")},
        "wall_seconds": round(seconds, 2),
    }


def averages(data: Data, panel, line) -> np.ndarray | None:
    """Return R_I / I, (seeds, I), for as many restarts as every seed has; None without results."""
    series = data.series(panel, line)
    runs = [run["regions"] for run in (series.runs.values() if series else ()) if len(run["regions"]) > 1]
    if not runs:
        return None
    count = min(map(len, runs))
    regrets = np.array([run[:count] for run in runs]) - series.optimum
    return np.cumsum(regrets, axis=1) / np.arange(1, count + 1)


def draw(data: Data) -> Figure:
    figure, (axes,) = board(1, width=6.4, height=3.2)
    (panel,) = data.experiment.panels
    axes.set_title(panel.title)
    axes.set_xlabel("regions that ended, $I$")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_ylabel("average regret $R_I / I$")
    lines = {}
    for label, series, style in styled(list(data.shown(panel))):
        line = next(line for line in panel.lines if line.method == series.method)
        found = averages(data, panel, line)
        if found is not None:
            error = found.std(axis=0, ddof=1) / len(found) ** 0.5 if len(found) > 1 else np.zeros(found.shape[1])
            lines[label] = plot(axes, np.arange(1, found.shape[1] + 1), found.mean(axis=0), error, **style)
    if not lines:
        empty(axes)
    return finished(figure, data, lines)


def rule(data: Data) -> Iterator[Comparison]:
    """The average regret after the last region is below that of the first, by a paired test over the seeds."""
    (panel,) = data.experiment.panels
    found = averages(data, panel, data.line(panel, "UCB"))
    what = "the average regret falls with the number of restarts"
    if found is None:
        yield Comparison(what, MISSING)
        return
    pairing = paired(dict(enumerate(found[:, -1])), dict(enumerate(found[:, 0])))
    last, first = pairing.means
    outcome = HOLDS if last < first else AGAINST
    shown = f"{first:.3g} after 1 region, {last:.3g} after {found.shape[1]}, p = {pairing.p:.2g}"
    if len(found) < LEAST_SEEDS:
        outcome = FEW
    elif pairing.p >= LEVEL:
        outcome = OPEN
    yield Comparison(what, outcome, shown)
