"""The paper's figures: one panel per problem, the mean over seeds with one standard error, one legend for all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.paper.data import Data
from benchmarks.paper.experiment import Line, Panel
from benchmarks.series import Series

try:
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MaxNLocator

    from benchmarks.figures import band, png
except ImportError:  # runs need no matplotlib, and the command draws nothing without it
    plt = MaxNLocator = band = png = None

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOKS = {
    "default": ("DEFAULT", "#D55E00"),
    "paper": ("CASMOPOLITAN (paper)", "#0072B2"),
    "random": ("Random search", "#A8A8A8"),
    "hyperopt": ("TPE", "#009E73"),
    "smac": ("SMAC", "#CC79A7"),
    "bo": ("BO, one-hot", "#5F5F5F"),
    "turbo": ("TuRBO, one-hot", "#000000"),
    "combo": ("COMBO", "#882255"),
    "bocs": ("BOCS", "#8C6D1F"),
    "cocabo": ("CoCaBO", "#E69F00"),
    "mvrsm": ("MVRSM", "#56B4E9"),
    "rembo": ("REMBO", "#6B4E9B"),
    "alebo": ("ALEBO", "#3A7D44"),
    "released-code": ("released code", "#332288"),
    "Naive": ("Naive", "#A8A8A8"),
    "TR": ("TR", "#000000"),
    "Overlap": ("Overlap", "#CC79A7"),
    "CatKer": ("CatKer", "#009E73"),
    "CatKer+TR": ("CatKer+TR (paper)", "#0072B2"),
    "OrdKer": ("OrdKer", "#0072B2"),
    "UCB": ("UCB restarts (paper)", "#0072B2"),
    "random restarts": ("random restarts", "#A8A8A8"),
}
"""Line -> label and colour."""
OURS = ("default", "paper", "CatKer+TR", "OrdKer", "UCB")
SPARE = ("#B8860B", "#A23B3B", "#3B6FA2", "#44AA99", "#332288")
INK, GRID, WARNING = "#222222", "#E4E4E4", "#A33B00"
MARK = "quick scale: too small to judge"
STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.edgecolor": "#888888",
    "axes.labelcolor": INK,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "legend.frameon": False,
}


def rendered(data: Data) -> bytes:
    """Return the experiment's figure as PNG."""
    with plt.rc_context(STYLE):
        return png(data.experiment.draw(data))


def look_of(line: Line, turn: int = 0) -> tuple[str, str]:
    """Return label and colour."""
    return LOOKS.get(line.name) or LOOKS.get(line.method) or (line.name, SPARE[turn % len(SPARE)])


def curves(data: Data) -> Figure:
    """Draw every panel of an experiment side by side, at most four in a row."""
    panels = data.experiment.panels
    figure, grid = board(len(panels))
    lines = {}
    for axes, panel in zip(grid, panels, strict=True):
        lines |= draw_panel(axes, panel, data)
    return finished(figure, data, lines)


def board(count: int, columns: int = 4, width: float = 3.4, height: float = 2.7) -> tuple[Figure, list[Axes]]:
    """Return an empty figure with this many axes."""
    columns = min(columns, count)
    rows = math.ceil(count / columns)
    size = (max(7.2, width * columns), height * rows + (0.9 if columns > 1 else 1.5))
    figure, grid = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    for axes in grid.flat[count:]:
        axes.set_axis_off()
    return figure, list(grid.flat[:count])


def draw_panel(axes: Axes, panel: Panel, data: Data) -> dict[str, object]:
    """Draw one problem; return label -> line."""
    found = list(data.shown(panel))
    axes.set_title(panel.title)
    axes.set_xlabel("queries" if panel.goal is not None else "evaluations")
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    if not found:
        empty(axes)
        return {}
    if panel.goal is not None:
        axes.set_ylabel("share of successful attacks")
        return {name: rate(axes, panel, data, series, **style) for name, series, style in styled(found)}
    axes.set_ylabel("regret" if panel.log_regret else "best value")
    lines = {}
    drawn = [(name, band(series, series.optimum if panel.log_regret else None), style) for name, series, style in styled(found)]
    floor = positive_floor([mean for _, (_, mean, _), _ in drawn]) if panel.log_regret else None
    for name, (x, mean, error), style in drawn:
        lines[name] = plot(axes, x, mean, error, floor, **style)
    if floor:
        axes.set_yscale("log")
    return lines


def styled(found: Sequence[tuple[Line, Series]]):
    """Yield label, series and line style: our own methods are thick and in front."""
    unknown = [line.name for line, _ in found if line.name not in LOOKS and line.method not in LOOKS]
    for line, series in found:
        label, colour = look_of(line, unknown.index(line.name) if line.name in unknown else 0)
        ours = line.name in OURS
        yield label, series, {"color": colour, "linewidth": 2.4 if ours else 1.4, "zorder": 4 if ours else 3}


def plot(axes: Axes, x, mean, error, floor: float | None = None, **style):
    low, middle, high = (np.maximum(y, floor) if floor else y for y in (mean - error, mean, mean + error))
    axes.fill_between(x, low, high, color=style["color"], alpha=0.15, linewidth=0, zorder=style.get("zorder", 3) - 1)
    (line,) = axes.plot(x, middle, solid_capstyle="round", **style)
    return line


def rate(axes: Axes, panel: Panel, data: Data, series: Series, **style):
    """Draw the share of instances solved against queries, with one standard error."""
    solved = [first_success(run["best"], panel.goal) for run in series.runs.values()]
    x = np.arange(1, panel.budget_at(data.scale) + 1)
    share = np.array([[at <= n for at in solved] for n in x]).mean(axis=1)
    error = np.sqrt(share * (1 - share) / len(solved))
    axes.set_ylim(-0.03, 1.03)
    return plot(axes, x, share, error, **style)


def first_success(best: Sequence[tuple[int, float]], goal: float) -> float:
    """Return the evaluation of the first success, inf if there is none."""
    return next((n for n, value in best if value <= goal), math.inf)


def positive_floor(means: Sequence[np.ndarray]) -> float:
    """Return half the smallest mean regret above zero: where a regret of zero is drawn on a logarithmic axis."""
    return min((mean[mean > 0].min() for mean in means if (mean > 0).any()), default=1.0) / 2


def empty(axes: Axes) -> None:
    axes.text(0.5, 0.5, "not run", transform=axes.transAxes, ha="center", va="center", color="#888888")


def finished(figure: Figure, data: Data, lines: Mapping[str, object]) -> Figure:
    """Add the legend, the title and, at the scale quick, the mark."""
    if lines:
        ordered = sorted(lines, key=lambda name: -lines[name].get_linewidth() if hasattr(lines[name], "get_linewidth") else 0)
        columns = min(len(ordered), max(3, int(figure.get_figwidth() / 1.75)))
        figure.legend([lines[name] for name in ordered], ordered, loc="outside lower center", ncols=columns, fontsize=9)
    return headed(figure, data)


def headed(figure: Figure, data: Data) -> Figure:
    """Add the title, and the mark at the scale quick."""
    kind = f"{data.experiment.source}: {data.experiment.title}"
    if data.scale == "quick" and not data.experiment.exact:
        figure.suptitle(f"{kind}\n", x=0.01, ha="left", fontsize=11.5, fontweight="bold", color=INK)
        height = 1 - 0.34 / figure.get_figheight()
        figure.text(0.012, height, MARK, ha="left", va="top", fontsize=9, color=WARNING, style="italic")
    else:
        figure.suptitle(kind, x=0.01, ha="left", fontsize=11.5, fontweight="bold", color=INK)
    return figure
