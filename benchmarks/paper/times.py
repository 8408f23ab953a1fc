"""App. B.1, Table 1: seconds per suggestion, and how many times the paper's method they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.page import Block, Paragraph, Table
from benchmarks.paper.data import Data
from benchmarks.paper.drawing import board, empty, headed, look_of, plt
from benchmarks.statistics import mean_and_error

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BASE = "paper"


def draw(data: Data) -> Figure:
    """Draw the seconds per suggestion as bars, with the ratio to the paper's method beside each."""
    panels = data.experiment.panels
    figure, grid = board(len(panels), width=3.6, height=2.3)
    for axes, panel in zip(grid, panels, strict=True):
        base = data.seconds(panel, data.line(panel, BASE))
        lines = [line for line in reversed(panel.lines) if len(data.seconds(panel, line))]
        axes.set_title(panel.title)
        axes.set_xlabel("seconds per suggestion")
        if not lines:
            empty(axes)
            continue
        axes.set_xscale("log")
        axes.grid(visible=False, axis="y")
        for place, line in enumerate(lines):
            seconds = data.seconds(panel, line).mean()
            _, colour = look_of(line)
            axes.barh(place, seconds, color=colour, height=0.62)
            ratio = f" {seconds / base.mean():.2g}×" if len(base) else ""
            axes.text(seconds, place, ratio, va="center", fontsize=9)
        axes.set_yticks(range(len(lines)), [look_of(line)[0] for line in lines])
        axes.margins(x=0.25)
        low, high = axes.get_xlim()
        axes.set_xlim(low, high * 2.5)
    plt.setp([axes.spines["left"] for axes in grid], visible=False)
    return headed(figure, data)


def table(data: Data) -> list[Block]:
    """Return the table: one row per problem and method."""
    rows = []
    for panel in data.experiment.panels:
        base = data.seconds(panel, data.line(panel, BASE))
        for line in panel.lines:
            seconds = data.seconds(panel, line)
            if len(seconds):
                mean, error = mean_and_error(seconds)
                shown = f"{mean:.3g} ± {error:.1g}" if len(seconds) > 1 else f"{mean:.3g}"
                ratio = f"{mean / base.mean():.3g}×" if len(base) else "–"
                rows.append([panel.title, look_of(line)[0], str(len(seconds)), shown, ratio])
    note = "Seconds per suggestion (mean over runs ± standard error), measured in one run, and the ratio to the paper's method:"
    return [Paragraph(note), Table(["problem", "method", "runs", "seconds", "ratio"], rows)] if rows else []
