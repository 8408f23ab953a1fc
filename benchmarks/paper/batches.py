"""Figures 5 and B.3: runs with batches, by the number of batches and by the number of queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.paper.data import Data
from benchmarks.paper.drawing import band, board, empty, finished, plot
from benchmarks.paper.experiment import Panel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHADES = {1: "#08306B", 2: "#2171B5", 4: "#6BAED6", 8: "#41AB5D"}
"""The colours of the paper's settings by batch size."""
DASHES = {1: "-", 8: (0, (4, 1.5))}
"""The line styles of the default by batch size."""


def draw(data: Data) -> Figure:
    panels = data.experiment.panels
    figure, grid = board(2 * len(panels), columns=2, width=4.4)
    lines = {}
    for row, by_batch in enumerate((True, False)):
        for column, panel in enumerate(panels):
            lines |= draw_batches(grid[row * len(panels) + column], panel, data, by_batch=by_batch)
    return finished(figure, data, lines)


def draw_batches(axes, panel: Panel, data: Data, *, by_batch: bool) -> dict[str, object]:
    axes.set_title(f"{panel.title}, by {'batches' if by_batch else 'queries'}")
    axes.set_xlabel("batches after the first points (log scale)" if by_batch else "evaluations")
    axes.set_ylabel("best value")
    lines = {}
    for line, series in data.shown(panel):
        x, mean, error = band(series, None)
        initial = series.first["initial"]
        keep = (x > initial) & ((x - initial) % line.batch == 0) if by_batch else x >= initial
        places = (x[keep] - initial) // line.batch if by_batch else x[keep]
        ours = line.method == "paper"
        colour, dashes = (SHADES[line.batch], "-") if ours else ("#D55E00", DASHES[line.batch])
        lines[line.name] = plot(axes, places, mean[keep], error[keep], color=colour, linestyle=dashes, linewidth=2.0)
    if by_batch and lines:
        axes.set_xscale("log", base=2)
    if not lines:
        empty(axes)
    return lines
