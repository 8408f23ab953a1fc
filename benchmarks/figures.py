"""Curves of the best value against evaluations: the mean over seeds, and one standard error around it."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Mapping, Sequence

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from benchmarks.series import OURS, Series, title

COLOURS = {
    OURS: "#D55E00",
    "paper": "#E69F00",
    "random": "#999999",
    "optuna-gp": "#0072B2",
    "optuna-tpe": "#56B4E9",
    "hyperopt": "#009E73",
    "smac": "#CC79A7",
    "smac-gp": "#882255",
    "hebo": "#332288",
    "botorch": "#000000",
    "ax": "#8C6D1F",
}
"""Okabe and Ito's palette, which is safe for colour-blind readers, and four dark colours."""
OTHERS = ("#B8860B", "#6B4E9B", "#3A7D44", "#A23B3B", "#3B6FA2", "#5F5F5F")
DASHES = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (4, 1, 1, 1)))
LABEL_GAP = 0.052
"""Smallest distance between two labels, as a part of the axis."""
MOST_IN_A_LINE = 5
"""A legend of so few methods has one line."""


def curves(problem: str, methods: Mapping[str, Series]) -> bytes:
    """Draw one problem: every method, labelled at the end of its curve."""
    figure, axes = plt.subplots(figsize=(8.0, 4.2), layout="constrained")
    draw(axes, methods, labels=True)
    axes.set_title(problem, loc="left", fontweight="bold")
    axes.tick_params(labelsize=8.5, which="both")
    axes.set_xlabel("evaluations")
    return png(figure)


def overview(problems: Mapping[str, Mapping[str, Series]], width: float = 3.1, until: int | None = None) -> bytes:
    """Draw every problem that several methods ran on (all problems, if there is none) with one legend.

    width: of a panel, in inches. until: the last evaluation to draw.
    """
    problems = {name: methods for name, methods in problems.items() if len(methods) > 1} or problems
    columns = min(4, len(problems))
    rows = math.ceil(len(problems) / columns)
    known = len({name for methods in problems.values() for name in methods})
    size = (width * columns + 0.4, 0.75 * width * rows + 0.3 + 0.2 * math.ceil(known / columns))
    figure, grid = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    lines = {}
    for axes, (problem, methods) in zip(grid.flat, problems.items(), strict=False):
        lines |= draw(axes, methods, labels=False, until=until)
        axes.set_title(problem, loc="left", fontsize=9, fontweight="bold")
        axes.tick_params(labelsize=7, which="both")
        axes.set_ylabel(axes.get_ylabel(), fontsize=7)
    for axes in grid.flat[len(problems) :]:
        axes.set_axis_off()
    names = [short(method) for method in lines]
    columns = len(names) if len(names) <= MOST_IN_A_LINE else columns
    figure.legend(lines.values(), names, loc="outside lower center", ncols=columns, frameon=False, fontsize=8)
    return png(figure)


KEPT = 1e-9
"""Results have ten digits: a smaller regret, relative to the optimum, counts as zero."""


def draw(axes: Axes, methods: Mapping[str, Series], *, labels: bool, until: int | None = None) -> dict[str, object]:
    """Draw the curves: log regret if the optimum is known, else the best value. Return method -> line."""
    optimum = next(iter(methods.values())).optimum
    drawn = {name: [part[: last(series, until)] for part in band(series, optimum)] for name, series in methods.items()}
    floor = 0.0
    if optimum is not None:
        floor = min((mean[mean > 0].min() for _, mean, _ in drawn.values() if (mean > 0).any()), default=1.0) / 2
        axes.set_yscale("log")
    lines, ends = {}, {}
    for name, (evaluations, mean, error) in drawn.items():
        style = look(name, list(methods))
        low, middle, high = (np.maximum(y, floor) if floor else y for y in (mean - error, mean, mean + error))
        axes.fill_between(evaluations, low, high, color=style["color"], alpha=0.15, linewidth=0)
        (lines[name],) = axes.plot(evaluations, middle, **style)
        ends[name] = (evaluations[-1], middle[-1])
    axes.set_ylabel("best value" if optimum is None else "regret")
    axes.grid(alpha=0.25, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.01)
    if labels:
        label_ends(axes, ends, {name: line.get_color() for name, line in lines.items()})
    return lines


def band(series: Series, optimum: float | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return evaluations, mean and standard error of the regret, or of the value in the user's sign."""
    evaluations, losses = series.curves()
    y = series.sign * losses
    if optimum is not None:
        regret = losses - optimum
        y = np.where(regret > KEPT * max(1.0, abs(optimum)), regret, 0.0)
    error = y.std(axis=0, ddof=1) / len(y) ** 0.5 if len(y) > 1 else np.zeros(y.shape[1])
    return evaluations, y.mean(axis=0), error


def last(series: Series, until: int | None) -> int | None:
    """Return how many points of a curve to draw."""
    return None if until is None else until + 1 - max(1, series.first["initial"])


def look(method: str, methods: Sequence[str]) -> dict[str, object]:
    """Return the line style: ours is thick; methods without their own colour take the next one, dashed once colours repeat."""
    unknown = [name for name in methods if name not in COLOURS]
    turn = unknown.index(method) if method in unknown else 0
    return {
        "color": COLOURS.get(method, OTHERS[turn % len(OTHERS)]),
        "linewidth": 2.6 if method == OURS else 1.4,
        "linestyle": DASHES[(1 + turn // len(OTHERS)) % len(DASHES)] if method in unknown else "-",
        "zorder": 3 if method == OURS else 2,
    }


def label_ends(axes: Axes, ends: Mapping[str, tuple[float, float]], colours: Mapping[str, str]) -> None:
    """Write each name beside the end of its curve, moved apart if they would overlap."""
    axes.figure.canvas.draw()
    to_axes = axes.transData + axes.transAxes.inverted()
    places = sorted((float(to_axes.transform(end)[1]), name) for name, end in ends.items())
    heights = np.array([y for y, _ in places])
    for i in range(1, len(heights)):
        heights[i] = max(heights[i], heights[i - 1] + LABEL_GAP)
    heights[-1] = min(heights[-1], 1.0)
    for i in range(len(heights) - 2, -1, -1):
        heights[i] = min(heights[i], heights[i + 1] - LABEL_GAP)
    for (_, name), y in zip(places, heights, strict=True):
        weight = "bold" if name == OURS else "normal"
        place = {"xycoords": "axes fraction", "va": "center", "fontsize": 8.5, "annotation_clip": False}
        axes.annotate(short(name), (1.015, y), color=colours[name], weight=weight, **place)


def short(method: str) -> str:
    return textwrap.shorten(title(method).replace(":", " "), 36, placeholder=" …")


def png(figure: plt.Figure) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=110, metadata={"Software": None}, pil_kwargs={"optimize": True})
    plt.close(figure)
    return file.getvalue()
