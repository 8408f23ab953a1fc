"""What is going on, while it goes on: a panel in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.console import Console, Group
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from casmopolitan.analysis.convergence import running_best
from casmopolitan.formatting import abbreviate, duration
from casmopolitan.space import Real, Space, Variable
from casmopolitan.study.trials.cells import Cells
from casmopolitan.study.trials.row import TrialRow, precision, ranked
from casmopolitan.trial import Direction

BARS = "▁▂▃▄▅▆▇█"
WIDEST = 48


def sparkline(values: Sequence[float], width: int = WIDEST) -> str:
    """Values as a line of little bars, at most `width` of them."""
    if not values:
        return ""
    picked = [values[round(k * (len(values) - 1) / (width - 1))] for k in range(width)] if len(values) > width else list(values)
    largest = max(map(abs, picked)) or 1.0
    scaled = [value / largest for value in picked]  # the difference of two large numbers may fit no float
    low, high = min(scaled), max(scaled)
    return "".join(BARS[round(7 * (value - low) / ((high - low) or 1))] for value in scaled)


@dataclass(frozen=True)
class View:
    """A run as its rows show it."""

    name: str
    direction: Direction
    budget: int
    rows: Sequence[TrialRow]
    elapsed: float
    evaluations: int
    """Trials that ended in this run: they set the pace."""

    @property
    def done(self) -> int:
        """Trials that ended and count."""
        return sum(row.counts and row.state in ("complete", "failed") for row in self.rows)

    @property
    def left(self) -> float | None:
        """Seconds to the end of the budget at the pace of this run; None before there is one."""
        return self.elapsed / self.evaluations * max(self.budget - self.done, 0) if self.evaluations else None

    def region(self) -> str:
        """The trust region's latest lengths, and how often it began anew."""
        sized = [
            row for row in self.rows if row.explanation.get("radius") is not None or row.explanation.get("length") is not None
        ]
        regions = [row.explanation["region"] for row in self.rows if row.explanation.get("region") is not None]
        if not sized:
            return "initial design"
        last = sized[-1].explanation
        parts = [f"radius {last['radius']}"] if last.get("radius") is not None else []
        parts += [f"side {last['length']:.3g}"] if last.get("length") is not None else []
        restarts = max(regions, default=0)
        return ", ".join([*parts, f"{restarts} restart{'' if restarts == 1 else 's'}"])

    def panel(self) -> Panel:
        """The picture of the run."""
        best = ranked(self.rows, self.direction)
        curve = [value for value in running_best([row.trial for row in self.rows], self.direction) if value is not None]
        running = [row for row in self.rows if row.state == "running"]
        failed = sum(row.state == "failed" for row in self.rows)
        grid: Table = Table.grid(padding=(0, 2), expand=True)
        grid.add_column(style="dim", no_wrap=True, min_width=7, max_width=7)
        grid.add_column(overflow="ellipsis", no_wrap=True, ratio=1)
        bar = Table.grid(padding=(0, 2))
        bar.add_row(ProgressBar(total=self.budget, completed=min(self.done, self.budget), width=36), self.progress())
        grid.add_row("trials", bar)
        if best:
            value = f"{best[0].value:.{precision(best)}g}"
            grid.add_row("best", Text.assemble((value, "bold green"), f"  at trial {best[0].number}"))
            grid.add_row("", Text(sparkline(curve), style="green"))
            grid.add_row("", Text(in_words(best[0]), style="dim"))
        grid.add_row("region", self.region())
        now = time.time()
        for row in running[:6]:
            seconds = duration(max(now - row.began, 0.0)) if row.began is not None else ""
            grid.add_row("running", Text(f"trial {row.number}  {seconds}  {in_words(row)}"))
        if len(running) > 6:
            grid.add_row("", f"and {len(running) - 6} more")
        if failed:
            last = [row for row in self.rows if row.state == "failed"][-1]
            grid.add_row("failed", Text(f"{failed}; trial {last.number}: {last.error or ''}", style="red"))
        return Panel(Group(grid), title=Text(self.name), title_align="left", border_style="blue")

    def progress(self) -> str:
        """How far it is, and how long it will take."""
        left = "" if self.left is None else f"  {duration(self.left)} left"
        return f"{self.done}/{self.budget}{left}"


def in_words(row: TrialRow) -> str:
    """A configuration in one line."""
    return "  ".join(f"{name}={abbreviate(value, 20)}" for name, value in row.configuration.items())


def line_of(row: TrialRow, rows: Sequence[TrialRow], direction: Direction, done: int, budget: int) -> str:
    """A trial that ended, for output that is no terminal."""
    seconds = f"{row.seconds:.1f} s" if row.seconds is not None else ""
    best = ranked([*rows, row], direction)
    shown = precision(best)
    outcome = f"failed: {row.error}" if row.value is None else f"{row.value:.{shown}g}"
    tail = f"best {best[0].value:.{shown}g} (trial {best[0].number})" if best else "no value yet"
    return f"[{done}/{budget}] trial {row.number}: {outcome}  {tail}  {seconds}"


def to_be_run(console: Console, rows: Sequence[TrialRow], space: Space) -> None:
    """Experiments in words that can be followed: no word cut, no whole number rounded, reals to six digits.

    Below each other where a table would not fit.
    """
    texts = [{name: _followed(space[name], row.configuration[name]) for name in row.configuration} for row in rows]
    widths = {name: max(cell_len(name), *(cell_len(text.get(name, "")) for text in texts)) for name in space}
    if sum(widths.values()) + 2 * len(widths) + len("trial") <= console.width:
        made = Table(header_style="bold", box=None, pad_edge=False)
        made.add_column("trial", justify="right", no_wrap=True)
        for name in space:
            made.add_column(Text(name), no_wrap=True)
        for row, text in zip(rows, texts, strict=True):
            made.add_row(str(row.number), *(Text(text.get(name, "")) for name in space))
        console.print(made)
        return
    for row, text in zip(rows, texts, strict=True):
        console.print(Text(f"trial {row.number}", style="bold"))
        pairs(console, [(f"  {name}", value) for name, value in text.items()])


def _followed(variable: Variable, value: Any) -> str:
    return f"{value:.6g}" if isinstance(variable, Real) and variable.step is None else Cells(variable).spelling(value)


def pairs(console: Console, entries: Sequence[tuple[str, Any]]) -> None:
    """Names and values, one a line."""
    width = max((len(name) for name, _ in entries), default=0)
    for name, value in entries:
        console.print(Text.assemble((name.ljust(width + 2), "dim"), str(value)))
