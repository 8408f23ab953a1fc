"""Fig. 1 of the paper redrawn: the Hamming region of a small discrete space, as a run recorded it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from casmopolitan.analysis.lengths import Event, events
from casmopolitan.analysis.rings import View, places, span_of, vertices, views
from casmopolitan.core.points import Array, Codes
from casmopolitan.core.region.hamming import distance
from casmopolitan.errors import DataError
from casmopolitan.plots.source import Modelled, optimizer_of
from casmopolitan.plots.style import FAINT, GREY, INK, ORANGE, new_figure, quality_map, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_frame(
    axes: Axes, h: Codes, xy: Array, view: View, radius: float, span: tuple[float, float], size: float = 34.0
) -> None:
    """Draw one frame: rings, the region as a disc, and every point; better values are darker, the best is a star."""
    from matplotlib.patches import Circle

    furthest = int(distance(h, view.centre).max())
    reach = min(radius, furthest) + 0.45
    axes.add_patch(Circle((0, 0), reach, facecolor=ORANGE, alpha=0.16, edgecolor="none", zorder=0))
    axes.add_patch(Circle((0, 0), reach, facecolor="none", edgecolor=ORANGE, lw=1.6, zorder=1))
    for ring in range(1, furthest + 1):
        axes.add_patch(Circle((0, 0), ring, facecolor="none", edgecolor=FAINT, lw=0.8, zorder=0.5))
    known = np.array(sorted(view.values), dtype=np.int64)
    unknown = np.setdiff1d(np.arange(len(h)), known)
    axes.scatter(xy[unknown, 0], xy[unknown, 1], s=0.55 * size, facecolors="white", edgecolors=GREY, linewidths=0.7, zorder=2)
    quality = [(view.values[int(i)] - span[0]) / ((span[1] - span[0]) or 1.0) for i in known]
    shades: dict[str, Any] = {"c": quality, "cmap": quality_map(), "vmin": 0, "vmax": 1}
    axes.scatter(xy[known, 0], xy[known, 1], s=size, **shades, edgecolors="white", linewidths=0.5, zorder=3)
    axes.scatter(
        xy[view.newest, 0], xy[view.newest, 1], s=3.6 * size, facecolors="none", edgecolors=INK, linewidths=1.5, zorder=4
    )
    axes.scatter(
        xy[view.best, 0], xy[view.best, 1], s=4.2 * size, marker="*", c=ORANGE, edgecolors=INK, linewidths=0.8, zorder=5
    )
    axes.set_xlim(-furthest - 0.7, furthest + 0.7)
    axes.set_ylim(-furthest - 0.7, furthest + 0.7)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)


@styled
def region(source: Modelled, *, at: Sequence[int] | None = None, title: str = "") -> Figure:
    """Draw the trust region of a small discrete space at some trials, side by side.

    The centre is in the middle; every other point lies on the ring of its Hamming distance to it.

    Args:
        source: The result of a run, an optimiser or a study of Optuna, on a discrete space of at most 250 points.
        at: Trial numbers to show; by default the first region, growth, shrinkage and restart.
        title: A title above the figure.

    Returns:
        The figure.

    Raises:
        DataError: The space is too large or not discrete, or there is no completed trial to show.
        MissingExtraError: matplotlib is not installed.
    """
    optimizer = optimizer_of(source)
    h = vertices(optimizer)
    complete = [trial for trial in optimizer.trials if trial.value is not None]
    if not complete or (at is not None and not len(at)):
        raise DataError("no trial has been completed, or none was named in at=, so there is no region to draw")
    seen = views(optimizer, h)
    numbers = [trial.number for trial in complete]
    happened = events(optimizer.trials)
    first = next((t for t in complete if t.explanation.get("source") == "acquisition"), complete[0]).number
    chosen = _moments(first, happened) if at is None else {number: f"trial {number}" for number in at}
    span = span_of(seen)
    figure, grid = new_figure(2.5 * len(chosen), 3.5, ncols=len(chosen), squeeze=False)
    for axes, (number, caption) in zip(grid[0], chosen.items(), strict=True):
        if number not in numbers:
            raise DataError(f"trial {number} has no value; the completed trials are {numbers[0]} to {numbers[-1]}")
        view = seen[numbers.index(number)]
        draw_frame(axes, h, places(h, view.centre, optimizer.space.domain.codes), view, view.radius, span)
        caption = f"{caption}\ntrial {number},  $L^h$ = {view.radius:.0f}"
        axes.set_title(caption, loc="center", y=1.0, fontsize=9, fontweight="normal")
    add_legend(figure)
    if title:
        figure.suptitle(title, fontsize=10, fontweight="bold")
    return figure


def add_legend(figure: Figure) -> None:
    """Add one line below the figure that explains the markers."""
    from matplotlib.lines import Line2D

    dot: dict[str, Any] = {"linestyle": "none", "marker": "o"}
    markers = [
        Line2D([], [], linestyle="none", marker="*", ms=9, mfc=ORANGE, mec=INK, mew=0.7, label="best so far"),
        Line2D([], [], **dot, ms=8, mfc="none", mec=INK, mew=1.4, label="newest"),
        Line2D([], [], **dot, ms=5, mfc="#08306B", mec="none", label="evaluated (darker is better)"),
        Line2D([], [], **dot, ms=4, mfc="white", mec=GREY, mew=0.7, label="not evaluated"),
    ]
    figure.legend(handles=markers, loc="outside lower left", ncols=4, handletextpad=0.2, columnspacing=1.2, fontsize=7.5)


def _moments(first: int, happened: list[Event]) -> dict[int, str]:
    """Return the trial numbers worth showing, with a caption for each."""
    found = {first: "the first region"}
    captions = {"grew": "a success: it grows", "shrank": "failures: it shrinks", "restarted": "exhausted: a new centre"}
    for happening, caption in captions.items():
        number = next((event.number for event in happened if event.happening == happening), None)
        if number is not None:
            found[number] = caption
    return dict(sorted(found.items()))
