"""Every trial as a line across parallel axes: one axis per variable, the objectives last."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casmopolitan.analysis.around import by_relevance, check_names
from casmopolitan.analysis.convergence import without_outliers
from casmopolitan.errors import DataError
from casmopolitan.formatting import abbreviate
from casmopolitan.optimizer import Optimizer
from casmopolitan.plots.source import Modelled, optimizer_of
from casmopolitan.plots.style import GREY, ORANGE, new_figure, quality_map, styled
from casmopolitan.space import Integer, Real, Variable
from casmopolitan.trial import Direction, Trial, sign_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ABSENT = -0.14
"""Where a line crosses the axis of a variable that does not exist in its trial, in heights of an axis."""
MOST_TICKS = 12
SPREAD = 0.05
"""How far apart lines through the same choice are drawn, in heights of an axis: the better, the lower."""
REACH = 3.0
"""An objective is clipped at this many times the distance of the 80th percentile to the best."""


@dataclass(frozen=True)
class ParallelAxis:
    """One axis: its ticks by height, and the height of each trial's value; None if the trial has none."""

    name: str
    ticks: Mapping[float, str]
    heights: Sequence[float | None]


@styled
def parallel_coordinates(source: Modelled, variables: Sequence[str] | None = None, *, most: int = 8, title: str = "") -> Figure:
    """Draw every completed trial as a line across parallel axes; better trials are darker, the best is orange.

    With several objectives the trials on the front are orange. Where a variable does not exist, a line runs below its axis.
    Very bad values are drawn at the end of the axis of their objective.

    Args:
        source: The result of a run, an optimiser, or a study of Optuna.
        variables: The names of the variables, from left to right; by default the most relevant ones.
        most: The largest number of variables to draw if none are named.
        title: A title above the figure.

    Returns:
        The figure.

    Raises:
        DataError: No trial has been completed, or a name is not that of a variable.
        MissingExtraError: matplotlib is not installed.
    """
    optimizer = optimizer_of(source)
    names = [variables] if isinstance(variables, str) else variables
    if names is not None:
        check_names(optimizer, names)
    outcomes = list(optimizer.goals.objectives)
    inside = [trial for trial in optimizer.trials if trial.status == "complete" and not trial.outside]
    told = {trial: values for trial in inside if None not in (values := _objectives(trial, optimizer))}
    trials = list(told)
    if not trials:
        raise DataError("no trial has been completed, so there are no lines to draw")
    ranks = _ranks(trials, optimizer)
    shown = _ranked(optimizer)[:most] if names is None else names
    axes_of = [_variable_axis(name, optimizer.space[name], trials, ranks) for name in shown]
    for k, name in enumerate(outcomes):
        label = name if optimizer.goals.named else "value"
        axes_of.append(_objective_axis(label, [values[k] for values in told.values()], optimizer.goals.objectives[name]))
    figure, axes = new_figure(max(1.1 * len(axes_of) + 0.8, 4.0), 3.6)
    _draw_axes(axes, axes_of)
    _draw_lines(axes, axes_of, trials, ranks, optimizer)
    axes.set_title(title, pad=24 if title else None)
    return figure


def _objectives(trial: Trial, optimizer: Optimizer) -> list[Any]:
    """Return the values of the objectives of a trial, None where one is unknown."""
    return [trial.value] if optimizer.goals.single else [(trial.outcomes or {})[name] for name in optimizer.goals.objectives]


def _ranked(optimizer: Optimizer) -> list[str]:
    """Return the variables by relevance; with several objectives by the largest one."""
    if optimizer.goals.single:
        return by_relevance(optimizer)
    found = [optimizer.structure(name).relevances for name in optimizer.goals.objectives]
    return sorted(found[0], key=lambda name: -max(relevances[name] for relevances in found))


def _ranks(trials: Sequence[Trial], optimizer: Optimizer) -> dict[int, float]:
    """Return the place of each trial between the best, 0, and the worst, 1, by number; with several objectives by number."""
    sign = sign_of(optimizer.direction)
    ordered = sorted(trials, key=lambda trial: (sign * (trial.value or 0.0), trial.number))
    return {trial.number: k / max(len(ordered) - 1, 1) for k, trial in enumerate(ordered)}


def _variable_axis(name: str, variable: Variable, trials: Sequence[Trial], ranks: Mapping[int, float]) -> ParallelAxis:
    if isinstance(variable, Integer | Real):
        scale = math.log if variable.log else float
        low, high = scale(variable.low), scale(variable.high)
        middle = math.sqrt(variable.low * variable.high) if variable.log else (variable.low + variable.high) / 2
        middle = round(middle) if isinstance(variable, Integer) else middle

        def height(value: Any) -> float:
            return (scale(value) - low) / ((high - low) or 1.0)

        ticks = {height(value): abbreviate(value) for value in (variable.low, middle, variable.high)}
        return ParallelAxis(name, ticks, [height(t.configuration[name]) if name in t.configuration else None for t in trials])
    found = {variable.index(t.configuration[name]) for t in trials if name in t.configuration}
    kept = range(int(variable.count)) if variable.count <= MOST_TICKS else sorted(found)
    places = {index: k / max(len(kept) - 1, 1) for k, index in enumerate(kept)}
    step = -(-len(kept) // MOST_TICKS)
    ticks = {places[index]: abbreviate(variable.at(index), 16) for index in list(kept)[::step]}
    spread = min(SPREAD, 0.4 / max(len(kept) - 1, 1))
    heights = [
        places[variable.index(t.configuration[name])] + spread * (ranks[t.number] - 0.5) if name in t.configuration else None
        for t in trials
    ]
    return ParallelAxis(name, ticks, heights)


def _objective_axis(label: str, values: Sequence[float], direction: Direction) -> ParallelAxis:
    shown = without_outliers(list(values), direction, REACH)
    low, high = min(shown), max(shown)
    heights = [(min(max(value, low), high) - low) / ((high - low) or 1.0) for value in values]
    ends = {0.0: low, 0.5: (low + high) / 2, 1.0: high} if high > low else {0.0: low}
    return ParallelAxis(label, {height: f"{value:.3g}" for height, value in ends.items()}, heights)


def _draw_axes(axes: Axes, found: Sequence[ParallelAxis]) -> None:
    absent = [k for k, one in enumerate(found) if None in one.heights]
    for k, one in enumerate(found):
        axes.plot([k, k], [0, 1], color=GREY, lw=0.8, zorder=3)
        for height, text in one.ticks.items():
            axes.text(k + 0.04, height, text, fontsize=7, va="center", zorder=5, bbox={"fc": "white", "ec": "none", "pad": 0.4})
    for k in absent:
        axes.text(k, ABSENT - 0.03, "absent", fontsize=7, ha="center", va="top", color=GREY)
    axes.set_xticks(range(len(found)), [abbreviate(one.name, 16) for one in found], fontsize=8)
    axes.xaxis.tick_top()
    axes.tick_params(axis="x", length=0)
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.set_xlim(-0.15, len(found) - 0.5)


def _draw_lines(
    axes: Axes, found: Sequence[ParallelAxis], trials: Sequence[Trial], ranks: Mapping[int, float], optimizer: Optimizer
) -> None:
    """Draw one line per trial, the best last."""
    leading = {trial.number for trial in optimizer.pareto_front}
    colours = quality_map()
    for k, trial in sorted(enumerate(trials), key=lambda item: (item[1].number in leading, -ranks[item[1].number])):
        heights = [ABSENT if (height := one.heights[k]) is None else height for one in found]
        shade = colours(ranks[trial.number]) if optimizer.goals.single else GREY
        best = trial.number in leading
        axes.plot(range(len(found)), heights, color=ORANGE if best else shade, lw=2.2 if best else 0.9, zorder=4 if best else 2)
