"""Values, and the best of them so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from casmopolitan.errors import DataError
from casmopolitan.plots.series import Source, direction_of, events, near, running_best, trials_of
from casmopolitan.plots.style import BLUE, GREY, ORANGE, RED, pictured, restarts_marked, styled
from casmopolitan.trial import Direction, Trial

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FAR = 5.0
"""A value is far worse than the rest when it is so many times further from the best than four in five are."""


@styled
def convergence(source: Source, *, direction: Direction | None = None, title: str = "") -> Figure:
    """Every value by trial number, the best so far as a step line; initial points hollow, failures crossed, restarts dashed.

    Bad values that dwarf the others are arrowheads at the picture's edge.
    """
    trials = trials_of(source)
    if not any(trial.value is not None for trial in trials):
        raise DataError("no trial has been completed, so there is no convergence to draw")
    towards = direction_of(source, direction)
    figure, axes = pictured(6.4, 3.4)
    best = [(t.number, b) for t, b in zip(trials, running_best(trials, towards), strict=True) if b is not None]
    axes.step(*zip(*best, strict=True), where="post", color=BLUE, label="best so far", zorder=3)
    for hollow in (True, False):
        kept = [t for t in trials if t.value is not None and _is_design(t.explanation.get("source")) == hollow]
        axes.scatter(
            [t.number for t in kept],
            [t.value for t in kept],
            s=18,
            facecolors="white" if hollow else ORANGE,
            edgecolors=GREY if hollow else ORANGE,
            linewidths=1.0,
            label=("initial point" if hollow else "suggested by the model") if kept else None,
            zorder=2,
        )
    _far_marked(axes, trials, towards)
    restarts_marked(axes, [event.number for event in events(trials) if event.happening == "restarted"])
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


def _far_marked(axes: Axes, trials: Sequence[Trial], towards: Direction) -> None:
    """Where a few bad values would flatten the rest, the axis ends before them and they stand at its end."""
    values = {trial.number: trial.value for trial in trials if trial.value is not None}
    shown = near(list(values.values()), towards, FAR)
    low, high = min(shown), max(shown)
    far = [number for number, value in values.items() if not low <= value <= high]
    if far and low < high:
        margin = 0.08 * (high - low)
        axes.set_ylim(low - margin, high + margin)
        edge, marker = (0.98, "^") if towards == "minimize" else (0.02, "v")
        transform = axes.get_xaxis_transform()
        axes.scatter(far, [edge] * len(far), s=20, marker=marker, color=GREY, transform=transform, label="far worse")


def _is_design(source: object) -> bool:
    """Whether a trial came from a design rather than from the model."""
    return source in ("initial", "restart", "given")
