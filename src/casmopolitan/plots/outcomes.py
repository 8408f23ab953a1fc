"""Several objectives and limits: the front, its hypervolume over the trials, and how often limits were met."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from casmopolitan.analysis.front import hypervolumes
from casmopolitan.analysis.lengths import restarts
from casmopolitan.errors import DataError
from casmopolitan.goals import Goals, parsed_limit
from casmopolitan.plots.source import Modelled, optimizer_of
from casmopolitan.plots.style import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, mark_restarts, new_figure, styled
from casmopolitan.trial import Direction, Trial, sign_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_OBJECTIVES = 4
"""Objectives that are drawn in pairs; more would give too many panels."""
BETTER: dict[Direction, str] = {"minimize": "smaller is better", "maximize": "larger is better"}


@styled
def front(source: Modelled, *, title: str = "") -> Figure:
    """Draw the trials and the Pareto front, one panel per pair of objectives.

    Trials on the front are orange, dominated ones hollow. Purple rings are trials that violate a limit, or may violate one.

    Args:
        source: The result of a run, an optimiser, or a study of Optuna.
        title: A title above the figure.

    Returns:
        The figure.

    Raises:
        DataError: There is one objective, or no trial is on the front yet.
        MissingExtraError: matplotlib is not installed.
    """
    optimizer = optimizer_of(source)
    goals = _several(optimizer.goals, "a front")
    best = optimizer.pareto_front
    if not best:
        raise DataError("no trial is on the front yet: none has all objectives known and meets all limits")
    pairs = list(combinations(list(goals.objectives)[:MOST_OBJECTIVES], 2))
    columns = min(len(pairs), 3)
    lines = -(-len(pairs) // columns)
    figure, grid = new_figure(5.0 if len(pairs) == 1 else 3.2 * columns, 3.4 * lines, nrows=lines, ncols=columns, squeeze=False)
    for axes, pair in zip(grid.flat, pairs, strict=False):
        _draw_plane(axes, optimizer.trials, best, goals, pair)
    for axes in list(grid.flat)[len(pairs) :]:
        axes.set_axis_off()
    grid[0, 0].legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3, borderaxespad=0.2, handletextpad=0.4)
    figure.suptitle(title)
    return figure


def _draw_plane(axes: Any, trials: list[Trial], best: list[Trial], goals: Goals, pair: tuple[str, str]) -> None:
    x, y = pair
    on_front = {trial.number for trial in best}
    known = [t for t in trials if t.outcomes is not None and t.outcomes[x] is not None and t.outcomes[y] is not None]
    outside = [t for t in known if goals.limits and t.feasible is not True]
    groups = {
        "dominated": ([t for t in known if t.number not in on_front and t not in outside], "white", GREY),
        "limit violated or unknown": (outside, "none", PURPLE),
        "front": ([t for t in known if t.number in on_front], ORANGE, ORANGE),
    }
    for order, (label, (kept, fill, edge)) in enumerate(groups.items(), start=2):
        if kept:
            places = zip(*((t.outcomes[x], t.outcomes[y]) for t in kept if t.outcomes), strict=True)
            axes.scatter(*places, s=20, facecolors=fill, edgecolors=edge, linewidths=1.0, label=label, zorder=order)
    if len(goals.objectives) == 2:
        sign = sign_of(goals.objectives[x])
        corners = sorted(((t.outcomes[x], t.outcomes[y]) for t in best if t.outcomes), key=lambda one: sign * (one[0] or 0.0))
        axes.step(*zip(*corners, strict=True), where="post", color=BLUE, zorder=1)
    axes.set_xlabel(f"{x} ({BETTER[goals.objectives[x]]})")
    axes.set_ylabel(f"{y} ({BETTER[goals.objectives[y]]})")


@styled
def hypervolume(source: Modelled, *, title: str = "") -> Figure:
    """Draw the hypervolume of the front after each trial, all with the reference point of the last front.

    Args:
        source: The result of a run, an optimiser, or a study of Optuna.
        title: A title above the figure.

    Returns:
        The figure.

    Raises:
        DataError: There is one objective, or no trial is on the front yet.
        MissingExtraError: matplotlib is not installed.
    """
    optimizer = optimizer_of(source)
    goals, trials = _several(optimizer.goals, "a hypervolume"), optimizer.trials
    volumes = hypervolumes(trials, goals)
    if not any(volumes):
        raise DataError("no trial is on the front yet, so there is no hypervolume to draw")
    figure, axes = new_figure(6.4, 3.0)
    axes.step([trial.number for trial in trials], volumes, where="post", color=BLUE)
    mark_restarts(axes, restarts(trials))
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("trial")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_ylabel("hypervolume of the front")
    axes.set_title(title)
    return figure


@styled
def feasibility(source: Modelled, *, title: str = "") -> Figure:
    """Draw every outcome with a limit by trial, one panel per limit, with its bound as a dashed line.

    Args:
        source: The result of a run, an optimiser, or a study of Optuna.
        title: A title above the figure.

    Returns:
        The figure.

    Raises:
        DataError: There are no limits, or no limited outcome is known yet.
        MissingExtraError: matplotlib is not installed.
    """
    optimizer = optimizer_of(source)
    limits = optimizer.goals.limits
    if not limits:
        raise DataError("there are no limits, so there is no feasibility to draw; pass limits={'memory': '<= 512'}")
    known = {
        name: [(t.number, t.outcomes[name]) for t in optimizer.trials if t.outcomes and t.outcomes[name] is not None]
        for name in limits
    }
    if not any(known.values()):
        raise DataError("no outcome with a limit is known yet, so there is no feasibility to draw")
    figure, grid = new_figure(6.4, 0.8 + 1.6 * len(limits), nrows=len(limits), sharex=True, squeeze=False)
    for axes, (name, text) in zip(grid[:, 0], limits.items(), strict=True):
        _draw_limit(axes, known[name], name, text)
    grid[0, 0].set_title(title, loc="right")
    grid[-1, 0].set_xlabel("trial")
    grid[-1, 0].xaxis.get_major_locator().set_params(integer=True)
    return figure


def _draw_limit(axes: Any, known: list[tuple[int, Any]], name: str, text: str) -> None:
    relation, bound = parsed_limit(text)
    met = [(n, value) for n, value in known if (value <= bound if relation == "<=" else value >= bound)]
    violated = [one for one in known if one not in met]
    for label, kept, fill, edge in (("met", met, GREEN, GREEN), ("violated", violated, "none", PURPLE)):
        if kept:
            axes.scatter(
                *zip(*kept, strict=True), s=18, facecolors=fill, edgecolors=edge, linewidths=1.0, label=label, zorder=2
            )
    axes.axhline(bound, color=INK, lw=1.0, ls=(0, (5, 3)), zorder=1)
    axes.set_ylabel(name)
    axes.set_title(f"{name} {text}: met by {len(met)} of {len(known)} trials", fontsize=9.0)


def _several(goals: Goals, what: str) -> Goals:
    """Return the goals; DataError if there is only one objective."""
    if goals.single:
        raise DataError(f"{what} needs several objectives; this run has one: draw its convergence")
    return goals
