"""The progress of a run: a panel in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from casmopolitan.analysis.convergence import running_best
from casmopolitan.analysis.front import hypervolumes
from casmopolitan.analysis.row import ENDED, TrialRow, complete, leading, precision, ranked
from casmopolitan.formatting import abbreviate, counted, duration
from casmopolitan.goals import Goals, outcome_text
from casmopolitan.space import Space

BARS = "▁▂▃▄▅▆▇█"
WIDEST = 48
MOST_LAST = 4
"""How many of the latest results are shown."""


def sparkline(values: Sequence[float], width: int = WIDEST) -> str:
    """Return values as a line of small bars, at most `width` of them."""
    if not values:
        return ""
    picked = [values[round(k * (len(values) - 1) / (width - 1))] for k in range(width)] if len(values) > width else list(values)
    largest = max(map(abs, picked)) or 1.0
    scaled = [value / largest for value in picked]  # the difference of two large numbers may overflow
    low, high = min(scaled), max(scaled)
    return "".join(BARS[round(7 * (value - low) / ((high - low) or 1))] for value in scaled)


@dataclass(frozen=True)
class View:
    """The state of a run, from the rows of its trials."""

    name: str
    goals: Goals
    space: Space
    budget: int
    rows: Sequence[TrialRow]
    elapsed: float
    evaluations: int
    """Trials that ended in this run, from which the remaining time is estimated."""

    @property
    def done(self) -> int:
        """The number of ended trials that count against the budget."""
        return sum(row.counts and row.state in ENDED for row in self.rows)

    @property
    def left(self) -> float | None:
        """The estimated seconds until the budget is spent; None before the first trial has ended."""
        return self.elapsed / self.evaluations * max(self.budget - self.done, 0) if self.evaluations else None

    def region(self) -> str:
        """Return the latest lengths of the trust region and the number of restarts."""
        explained = [row.explanation for row in self.rows]
        sized = [why for why in explained if why.get("radius") is not None or why.get("length") is not None]
        if not sized:
            return "initial design"
        radius, length = sized[-1].get("radius"), sized[-1].get("length")
        parts = ([] if radius is None else [f"radius {radius}"]) + ([] if length is None else [f"side {length:.3g}"])
        restarts = max(why.get("region") or 0 for why in explained)
        return ", ".join([*parts, counted(restarts, "restart")])

    def panel(self, width: int | None = None) -> Panel:
        """Return the panel that shows the run, by default as wide as the terminal."""
        running = [row for row in self.rows if row.state == "running"]
        failed = [row for row in self.rows if row.state == "failed"]
        grid: Table = Table.grid(padding=(0, 2), expand=True)
        grid.add_column(style="dim", no_wrap=True, min_width=7, max_width=7)
        grid.add_column(overflow="ellipsis", no_wrap=True, ratio=1)
        bar = Table.grid(padding=(0, 2))
        bar.add_row(ProgressBar(total=self.budget, completed=min(self.done, self.budget), width=36), self.progress())
        grid.add_row("trials", bar)
        grid.add_row("time", self.time())
        for name, text in self.best():
            grid.add_row(name, text)
        if latest := self.latest():
            grid.add_row("last", Text(latest))
        grid.add_row("region", self.region())
        now = time.time()
        for row in running[:6]:
            seconds = duration(max(now - row.began, 0.0)) if row.began is not None else ""
            grid.add_row("running", Text(f"trial {row.number}  {seconds}  {self.values_of(row)}"))
        if len(running) > 6:
            grid.add_row("", f"and {len(running) - 6} more")
        if pruned := sum(row.state == "pruned" for row in self.rows):
            grid.add_row("pruned", f"{pruned} ended early")
        if failed:
            last = failed[-1]
            grid.add_row("failed", Text(f"{len(failed)}; trial {last.number}: {last.error or ''}", style="red"))
        return Panel(grid, title=Text(self.name), title_align="left", border_style="blue", width=width)

    def best(self) -> list[tuple[str, Text]]:
        """Return the lines about the best trial or the front, and about the limits."""
        best, done = ranked(self.rows, self.goals), complete(self.rows)
        shown: list[tuple[str, Text]] = []
        if best and self.goals.single:
            value = f"{best[0].value:.{precision(best)}g}"
            curve = running_best([row.trial for row in self.rows], self.goals.direction, limited=bool(self.goals.limits))
            shown.append(("best", Text.assemble((value, "bold green"), f"  at trial {best[0].number}")))
            shown.append(("", Text(sparkline([one for one in curve if one is not None]), style="green")))
            shown.append(("", Text(one_line(best[0]), style="dim")))
        elif best:
            volumes, count = hypervolumes(done, self.goals), len(leading(best, self.goals))
            shown.append(("front", Text.assemble((counted(count, "trial"), "bold green"), f"  hypervolume {volumes[-1]:.6g}")))
            shown.append(("", Text(sparkline(volumes), style="green")))
        if self.goals.limits and done:
            met = sum(row.feasible is True for row in done)
            shown.append(("limits", Text(f"met by {met} of {counted(len(done), 'trial')}")))
        return shown

    def latest(self) -> str:
        """Return the results of the latest trials, the newest first."""
        ended = [row for row in self.rows if row.state in ENDED and not row.known]
        digits = precision(ended)
        results = [row.state if row.told is None else outcome_text(row.told, digits) for row in ended]
        newest = list(zip(ended, results, strict=True))[: -MOST_LAST - 1 : -1]
        return "  ".join(f"trial {row.number}: {result}" for row, result in newest)

    def values_of(self, row: TrialRow) -> str:
        """Return the configuration of a trial; that of one that has just started may be incomplete, and is not shown."""
        whole = row.state != "running" or self.space.allows(row.configuration)
        return one_line(row) if whole else "choosing its values"

    def progress(self) -> str:
        """Return the number of ended trials and the budget."""
        return f"{self.done}/{self.budget}"

    def time(self) -> str:
        """Return the time since the start, and the estimated remaining time."""
        return f"{duration(self.elapsed)} elapsed" + ("" if self.left is None else f", {duration(self.left)} left")


def one_line(row: TrialRow) -> str:
    """Return a configuration in one line."""
    return "  ".join(f"{name}={abbreviate(value, 20)}" for name, value in row.configuration.items())


def progress_line(row: TrialRow, rows: Sequence[TrialRow], goals: Goals, budget: int) -> str:
    """Return one line about a trial that has ended; `rows` are all ended trials, this one included."""
    seconds = f"{row.seconds:.1f} s" if row.seconds is not None else ""
    best = ranked(rows, goals)
    digits = precision(best)
    outcome = f"{row.state}: {row.error}" if row.told is None else outcome_text(row.told, digits)
    outcome += ", limits not met" if row.feasible is False else ""
    tail = "no value yet" if not goals.limits else "no trial meets all limits yet"
    if best and goals.single:
        tail = f"best {best[0].value:.{digits}g} (trial {best[0].number})"
    elif best:
        tail = f"{len(leading(best, goals))} on the front"
    return f"[{sum(one.counts for one in rows)}/{budget}] trial {row.number}: {outcome}  {tail}  {seconds}"
