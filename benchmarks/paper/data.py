"""The results of one experiment at one scale, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import ledger
from benchmarks.arena import TIMED_UNTIL
from benchmarks.ledger import Cell, Record
from benchmarks.paper.experiment import SCALES, Experiment, Line, Panel
from benchmarks.series import Series, best_at


def path_of(folder: Path, experiment: str, scale: str) -> Path:
    return folder / f"{experiment}-{scale}.jsonl"


def pool_of(folder: Path, experiment: Experiment, scale: str) -> dict[Cell, Record]:
    """Return the result of each cell: of all experiments at this scale, or only of this one if its times are compared."""
    own = path_of(folder, experiment.name, scale)
    others = [] if experiment.alone else sorted(folder.glob(f"*-{scale}.jsonl"))
    return {Cell.of(record): record for path in dict.fromkeys([*others, own]) for record in ledger.read(path)}


@dataclass(frozen=True, eq=False)
class Data:
    experiment: Experiment
    scale: str
    pool: Mapping[Cell, Record]

    def line(self, panel: Panel, name: str) -> Line | None:
        """Return the line with this name, else the first with this method."""
        named = [line for line in panel.lines if line.name == name]
        return next(iter(named or [line for line in panel.lines if line.method == name]), None)

    def series(self, panel: Panel, line: Line) -> Series | None:
        """Return all runs of a line, by seed; None if there are none."""
        if panel.instances is None:
            wanted = {line.problem or panel.problem}
        else:
            wanted = {problem for _, problem in panel.instances(self.scale)}
        budget, start = panel.budget_at(self.scale), panel.start_at(self.scale)
        key = (line.method, budget, line.batch, start)
        runs = {
            cell.seed: record
            for cell, record in self.pool.items()
            if (cell.method, cell.budget, cell.batch, cell.start) == key and cell.problem in wanted
            if record["status"] != "failed" and "best" in record
        }
        return Series(panel.problem, line.method, dict(sorted(runs.items()))) if runs else None

    def shown(self, panel: Panel) -> Iterator[tuple[Line, Series]]:
        """Yield the lines of a panel that have results."""
        for line in panel.lines:
            if line.shown and (series := self.series(panel, line)):
                yield line, series

    def losses(self, panel: Panel, line: Line, part: float = 1.0) -> dict[int, float]:
        """Return seed -> lowest loss after this part of the budget; with a goal, 1 for a failure and 0 for a success."""
        series = self.series(panel, line)
        n = max(1, round(part * panel.budget_at(self.scale)))
        if series is None:
            return {}
        if panel.goal is None:
            return series.at(n)
        return {
            seed: 0.0 if best_at(run["best"], n) <= panel.goal else 1.0
            for seed, run in series.runs.items()
            if run["evaluations"] >= n or run["best"][-1][1] <= panel.goal
        }

    def seconds(self, panel: Panel, line: Line) -> np.ndarray:
        """Return the mean seconds per suggestion of every run."""
        series = self.series(panel, line)
        runs = series.runs.values() if series else ()
        return np.array([seconds_of(run) for run in runs if run["seconds"]])

    @property
    def seeds(self) -> tuple[int, int]:
        """The smallest and the largest number of runs of the lines that have any."""
        counts = [len(series.runs) for _, _, series in self.all_lines() if series] or [0]
        return min(counts), max(counts)

    @property
    def missing(self) -> list[tuple[Panel, Line]]:
        """The lines without any result."""
        return [(panel, line) for panel, line, series in self.all_lines() if series is None]

    def all_lines(self) -> Iterator[tuple[Panel, Line, Series | None]]:
        """Yield every line with its runs, whether the figure shows it or not."""
        for panel in self.experiment.panels:
            for line in panel.lines:
                yield panel, line, self.series(panel, line)


def seconds_of(run: Record) -> float:
    """Return the mean over all suggestions: the record's own mean ends at evaluation 200."""
    asked = run["evaluations"] - run["initial"]
    return run["seconds"]["total"] / asked if run["evaluations"] > TIMED_UNTIL else run["seconds"]["mean"]


def newest(folder: Path, experiment: Experiment) -> Data:
    """Return the results at the largest scale that the experiment was run at; without any, empty ones at the scale `quick`.

    An experiment without a results file counts as run if other experiments have run all of its lines.
    """
    for scale in SCALES:
        data = Data(experiment, scale, pool_of(folder, experiment, scale))
        if max(data.seeds) and (path_of(folder, experiment.name, scale).exists() or not data.missing):
            return data
    return Data(experiment, "quick", {})
