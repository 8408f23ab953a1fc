"""Predictions along one variable at a time, all others at the best point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from casmopolitan.analysis import around
from casmopolitan.analysis.slices import Slice
from casmopolitan.formatting import abbreviate
from casmopolitan.optimizer import Optimizer
from casmopolitan.plots.source import Modelled, optimizer_of
from casmopolitan.plots.style import BLUE, INK, ORANGE, RED, SKY, label_values, new_figure, styled, value_label
from casmopolitan.scalars import Key, key
from casmopolitan.space import Integer, Real

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 3
"""Panels side by side."""
MOST_LABELS = 12
"""Choices with a label in one panel."""


@styled
def slices(
    source: Modelled,
    variables: Sequence[str] | None = None,
    *,
    most: int = 9,
    objective: str | None = None,
    title: str = "",
) -> Figure:
    """Draw the predictions along one variable at a time, around the best point.

    A star is the best point: all other variables stay there. Only values that the space allows are drawn. All panels have the
    same vertical axis, so a flat panel is a variable that hardly matters here. A cross is a choice that failed in every trial.

    Args:
        source: The result of a run, an optimiser, or a study of Optuna.
        variables: The names of the variables to draw; by default the most relevant ones.
        most: The largest number of variables to draw if none are named.
        objective: The objective to draw; required if there are several.
        title: A title above the figure.

    Returns:
        The figure.

    Raises:
        DataError: No trial has been completed, a name is not that of a variable, or a variable cannot vary at the best point.
        MissingExtraError: matplotlib is not installed.
    """
    optimizer = optimizer_of(source)
    names = [variables] if isinstance(variables, str) else variables
    found = around.slices(optimizer, names, most, objective)
    columns = min(len(found), COLUMNS)
    rows = -(-len(found) // columns)
    figure, grid = new_figure(max(2.4 * columns, 3.6), 0.7 + 1.9 * rows, nrows=rows, ncols=columns, sharey=True, squeeze=False)
    for axes, one in zip(grid.flat, found, strict=False):
        _draw(axes, one, optimizer)
    for axes in list(grid.flat)[len(found) :]:
        axes.set_axis_off()
    low, high = _bounds(found, optimizer, objective)
    grid[0, 0].set_ylim(low, high)
    for axes in grid[:, 0]:
        axes.set_ylabel(value_label(optimizer, objective))
    handles = {label: h for axes in reversed(figure.axes) for h, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside lower left", ncols=4)
    figure.suptitle(title, fontsize=10, fontweight="bold")
    return figure


def _draw(axes: Axes, one: Slice, optimizer: Optimizer) -> None:
    """Draw one panel: a line with a band over numbers, dots with bars over choices, crosses on those that always failed."""
    variable = optimizer.space[one.name]
    at = next(k for k, value in enumerate(one.values) if type(value) is type(one.at) and value == one.at)
    low = [m - 2 * d for m, d in zip(one.mean, one.deviation, strict=True)]
    high = [m + 2 * d for m, d in zip(one.mean, one.deviation, strict=True)]
    xs: list[Any] = list(range(len(one.values)))
    if isinstance(variable, Integer | Real):
        xs = one.values
        axes.fill_between(xs, low, high, color=SKY, alpha=0.35, lw=0, label="± 2 σ")
        axes.plot(xs, one.mean, color=BLUE, label="posterior mean")
        if variable.log:
            axes.set_xscale("log")
    else:
        axes.vlines(xs, low, high, color=SKY, alpha=0.5, lw=5, label="± 2 σ")
        axes.plot(xs, one.mean, "o", ms=4, color=BLUE, label="posterior mean")
        if failed := [k for k, value in enumerate(one.values) if key(value) in _always_failed(optimizer, one.name)]:
            axes.plot(failed, [one.mean[k] for k in failed], "x", ms=8, color=RED, label="failed in every trial", zorder=5)
        axes.set_xlim(-0.6, len(xs) - 0.4)
        label_values(axes.xaxis, one.values, MOST_LABELS)
    axes.plot(xs[at], one.mean[at], "*", ms=11, color=ORANGE, mec=INK, mew=0.7, ls="none", label="best point", zorder=4)
    axes.set_title(abbreviate(one.name, 26), fontsize=9)


def _always_failed(optimizer: Optimizer, name: str) -> set[Key]:
    """Return the values of a variable that only failed trials have."""
    ended = [(trial.status, key(trial.configuration[name])) for trial in optimizer.trials if name in trial.configuration]
    return {value for status, value in ended if status == "failed"} - {v for status, v in ended if status == "complete"}


def _bounds(found: Sequence[Slice], optimizer: Optimizer, objective: str | None) -> tuple[float, float]:
    """Return the ends of the vertical axis: predictions far outside the observed values are cut off."""
    values = [
        trial.value if optimizer.goals.single else (trial.outcomes or {}).get(str(objective)) for trial in optimizer.trials
    ]
    seen = [value for value in values if value is not None]
    apart = max(seen) - min(seen) if seen else math.inf
    ends = [m + side * d for one in found for m, d in zip(one.mean, one.deviation, strict=True) for side in (-2, 2)]
    low, high = max(min(ends), min(seen) - apart), min(max(ends), max(seen) + apart)
    margin = 0.05 * ((high - low) or 1.0)
    return low - margin, high + margin
