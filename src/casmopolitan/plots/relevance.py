"""The relevance of each variable, as numbers and as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casmopolitan.plots.source import Modelled, optimizer_of
from casmopolitan.plots.style import BLUE, SKY, new_figure, styled
from casmopolitan.space.variables import columns

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def relevances(source: Modelled, *, objective: str | None = None) -> dict[str, float]:
    """Return, per variable, the share of the function's variance that is left if all other variables are fixed.

    0 means that the variable has no effect, 1 that nothing can be predicted without it. If variables interact, the
    shares add up to more than 1.
    `Optimizer.structure` says how many variables matter and how they act together.

    Args:
        source: The result of a run, an optimiser, or a study of Optuna.
        objective: The name of the objective; required if there are several.

    Returns:
        The relevance of each variable by name. Constants of the space are left out. If all values are equal, every
        variable has 0.

    Raises:
        DataError: No trial has been completed, or the source has no model.
    """
    return optimizer_of(source).structure(objective).relevances


@styled
def relevance(source: Modelled, *, most: int = 20, objective: str | None = None, title: str = "") -> Figure:
    """Draw the relevance of the variables as bars, the most relevant first.

    Discrete variables are dark, continuous ones light. `relevances` returns the numbers.

    Args:
        source: The result of a run, an optimiser, or a study of Optuna.
        most: The largest number of variables to show.
        objective: The name of the objective; required if there are several.
        title: A title above the figure.

    Returns:
        The figure.

    Raises:
        DataError: No trial has been completed, or the source has no model.
        MissingExtraError: matplotlib is not installed.
    """
    optimizer = optimizer_of(source)
    ranked = sorted(relevances(optimizer, objective=objective).items(), key=lambda item: -item[1])[:most]
    in_h, _ = columns(optimizer.space.variables)
    figure, axes = new_figure(6.4, 0.9 + 0.26 * len(ranked))
    names, values = [name for name, _ in ranked], [value for _, value in ranked]
    axes.barh(names, values, color=[BLUE if name in in_h else SKY for name in names], height=0.66)
    for row, value in enumerate(values):
        axes.annotate(f"{value:.2g}", (value, row), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("part of the variance left\nwhen only this variable changes")
    axes.set_title(title)
    return figure
