"""Values, and the best of them so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casmopolitan.errors import DataError
from casmopolitan.optimizer import Direction
from casmopolitan.plots.history import Source, direction_of, events, running_best, trials_of
from casmopolitan.plots.style import BLUE, GREY, ORANGE, RED, pictured, restarts_marked, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def convergence(source: Source, *, direction: Direction | None = None, title: str = "") -> Figure:
    """Every value by trial number, the best so far as a step line; initial points hollow, failures crossed, restarts dashed."""
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


def _is_design(source: object) -> bool:
    """Whether a trial came from a design rather than from the model."""
    return source in ("initial", "restart", "given")
