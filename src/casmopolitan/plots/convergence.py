"""Values over the trials, and the best so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from casmopolitan.analysis.convergence import is_design, running_best, without_outliers
from casmopolitan.analysis.lengths import restarts
from casmopolitan.errors import DataError
from casmopolitan.optimizer import Optimizer
from casmopolitan.plots.source import Source, direction_of, loaded
from casmopolitan.plots.style import BLUE, GREY, ORANGE, PURPLE, RED, mark_restarts, new_figure, styled
from casmopolitan.trial import Direction, Trial

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

REACH = 5.0
"""A value is an outlier if its distance to the best is this many times that of the 80th percentile."""


@styled
def convergence(source: Source, *, direction: Direction | None = None, title: str = "") -> Figure:
    """Draw every value by trial number, and the best value so far as a step line.

    Initial points are hollow, failures are crosses, restarts are dashed lines. Very bad values that would flatten the
    others are arrowheads at the edge of the figure. If there are limits, trials that violate one have rings, and never count
    as the best.

    Args:
        source: The result of a run, an optimiser, a study of Optuna, or a list of trials.
        direction: 'minimize' or 'maximize'; by default the source's own, 'minimize' for a list of trials.
        title: A title above the figure.

    Returns:
        The figure.

    Raises:
        DataError: No trial has been completed, or the source has no trials.
        MissingExtraError: matplotlib is not installed.
    """
    held = loaded(source)
    trials = held.trials if isinstance(held, Optimizer) else held
    if not any(trial.value is not None for trial in trials):
        several = any(trial.status == "complete" for trial in trials)
        why = "there are several objectives" if several else "no trial has been completed"
        raise DataError(f"{why}, so there is no convergence to draw{'; draw the front' if several else ''}")
    towards = direction_of(held, direction)
    figure, axes = new_figure(6.4, 3.4)
    limited = isinstance(held, Optimizer) and bool(held.goals.limits)
    best = [(t.number, b) for t, b in zip(trials, running_best(trials, towards, limited=limited), strict=True) if b is not None]
    if best:
        axes.step(*zip(*best, strict=True), where="post", color=BLUE, label="best so far", zorder=3)
    outside = [(t.number, t.value) for t in trials if limited and t.value is not None and t.feasible is not True]
    if outside:
        marks = {"s": 18, "facecolors": "none", "edgecolors": PURPLE, "linewidths": 1.0, "zorder": 2}
        axes.scatter(*zip(*outside, strict=True), label="limit violated or unknown", **marks)
    for hollow in (True, False):
        meant = [t for t in trials if t.value is not None and (not limited or t.feasible is True)]
        kept = [t for t in meant if is_design(t.explanation) == hollow]
        designed = any(t.explanation.get("source") == "initial" for t in kept)
        axes.scatter(
            [t.number for t in kept],
            [t.value for t in kept],
            s=18,
            facecolors="white" if hollow else ORANGE,
            edgecolors=GREY if hollow else ORANGE,
            linewidths=1.0,
            label=(("initial point" if designed else "given") if hollow else "suggested by the model") if kept else None,
            zorder=2,
        )
    _mark_outliers(axes, trials, towards)
    mark_restarts(axes, restarts(trials))
    failed = [t.number for t in trials if t.status == "failed"]
    if failed:
        transform = axes.get_xaxis_transform()
        axes.scatter(failed, [0.02] * len(failed), s=22, marker="x", color=RED, transform=transform, label="failed")
    axes.set_xlabel("trial")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_ylabel("value" if towards == "minimize" else "value (larger is better)")
    axes.set_title(title, pad=24 if title else None)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=5, borderaxespad=0.2, handletextpad=0.5)
    return figure


def _mark_outliers(axes: Axes, trials: Sequence[Trial], towards: Direction) -> None:
    """End the axis before a few very bad values and draw arrowheads in their place."""
    values = {trial.number: trial.value for trial in trials if trial.value is not None}
    shown = without_outliers(list(values.values()), towards, REACH)
    low, high = min(shown), max(shown)
    far = [number for number, value in values.items() if not low <= value <= high]
    if far and low < high:
        margin = 0.08 * (high - low)
        axes.set_ylim(low - margin, high + margin)
        edge, marker = (0.98, "^") if towards == "minimize" else (0.02, "v")
        transform = axes.get_xaxis_transform()
        axes.scatter(far, [edge] * len(far), s=20, marker=marker, color=GREY, transform=transform, label="far worse")
