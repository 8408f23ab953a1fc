"""Predictions over two variables, all others at the best point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from casmopolitan.analysis import around
from casmopolitan.analysis.pairs import Pair
from casmopolitan.formatting import abbreviate
from casmopolitan.optimizer import Optimizer
from casmopolitan.plots.source import Modelled, optimizer_of
from casmopolitan.plots.style import FAINT, INK, ORANGE, label_values, new_figure, quality_map, styled, value_label
from casmopolitan.space import Integer, Real, Variable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEVELS = 14
"""Contours between the lowest and the highest prediction."""


@styled
def contour(
    source: Modelled,
    first: str | None = None,
    second: str | None = None,
    *,
    objective: str | None = None,
    title: str = "",
) -> Figure:
    """Draw the predicted mean over two variables, around the best point; better values are darker.

    A star is the best point: all other variables stay there. Dots are completed trials; their other variables may differ. Grey
    combinations are not allowed.

    Args:
        source: The result of a run, an optimiser, or a study of Optuna.
        first: The variable on the horizontal axis; by default the most relevant one.
        second: The variable on the vertical axis; by default the most relevant other one.
        objective: The objective to draw; required if there are several.
        title: A title above the figure.

    Returns:
        The figure.

    Raises:
        DataError: No trial has been completed, a name is not that of a variable, or a variable cannot vary at the best point.
        MissingExtraError: matplotlib is not installed.
    """
    optimizer = optimizer_of(source)
    found = around.pair(optimizer, first, second, objective)
    variables = [optimizer.space[name] for name in found.names]
    figure, axes = new_figure(5.2, 4.2)
    axes.set_facecolor(FAINT)
    mean = np.ma.masked_invalid(np.array([[math.nan if m is None else m for m in row] for row in found.mean]).T)
    colours = quality_map(optimizer.goals.objectives[objective] if objective else optimizer.direction)
    numbers = [isinstance(variable, Integer | Real) for variable in variables]
    if all(numbers):
        drawn = axes.contourf(*found.values, mean, levels=LEVELS, cmap=colours)
        axes.contour(*found.values, mean, levels=drawn.levels, colors="white", linewidths=0.4)
    else:
        edges = [_edges(variable, values) for variable, values in zip(variables, found.values, strict=True)]
        gaps = {} if any(numbers) else {"edgecolors": "white", "linewidth": 0.4}
        drawn = axes.pcolormesh(*edges, mean, cmap=colours, **gaps)
    for axis, variable, values in zip((axes.xaxis, axes.yaxis), variables, found.values, strict=True):
        if not isinstance(variable, Integer | Real):
            label_values(axis, values)
        elif variable.log:
            axes.set(**{f"{axis.axis_name}scale": "log"})
    _draw_trials(axes, optimizer, variables, found)
    axes.set_xlabel(abbreviate(found.names[0], 40))
    axes.set_ylabel(abbreviate(found.names[1], 40))
    bar = figure.colorbar(drawn, ax=axes, label=value_label(optimizer, objective))
    bar.outline.set_visible(False)
    axes.set_title(title)
    return figure


def _edges(variable: Variable, values: Sequence[Any]) -> list[float]:
    """Return the edges of the cells around the values of one axis: halfway between them, on a log scale by ratio."""
    if not isinstance(variable, Integer | Real):
        return [k - 0.5 for k in range(len(values) + 1)]
    at = [math.log(value) if variable.log else float(value) for value in values]
    halves = [(one + other) / 2 for one, other in pairwise(at)]
    edges = [2 * at[0] - halves[0], *halves, 2 * at[-1] - halves[-1]]
    return [math.exp(edge) for edge in edges] if variable.log else edges


def _draw_trials(axes: Axes, optimizer: Optimizer, variables: Sequence[Variable], found: Pair) -> None:
    """Draw the completed trials as dots, and the best point as a star."""
    complete = [trial.configuration for trial in optimizer.trials if trial.status == "complete" and not trial.outside]
    both = [[c[name] for name in found.names] for c in complete if all(name in c for name in found.names)]
    dots = [place for one in both if (place := _place(variables, found, one)) is not None]
    for place in dots:
        axes.plot(
            *place,
            "o",
            ms=3.4,
            mfc="white",
            mec=INK,
            mew=0.6,
            zorder=3,
            clip_on=False,
            label="trial" if place is dots[0] else None,
        )
    star = _place(variables, found, found.at) or (math.nan, math.nan)
    axes.plot(*star, "*", ms=11, color=ORANGE, mec=INK, mew=0.8, zorder=4, clip_on=False, label="best point")
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.2, handletextpad=0.4)


def _place(variables: Sequence[Variable], found: Pair, values: Sequence[Any]) -> tuple[float, float] | None:
    """Return where two values are in the figure; None if one is a choice that the figure leaves out."""
    places: list[float] = []
    for variable, shown, value in zip(variables, found.values, values, strict=True):
        if isinstance(variable, Integer | Real):
            places.append(float(value))
        else:
            places += [float(k) for k, one in enumerate(shown) if type(one) is type(value) and one == value]
    return (places[0], places[1]) if len(places) == 2 else None
