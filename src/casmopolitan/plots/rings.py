"""Fig. 1 of the paper redrawn: the Hamming region of a small discrete space, as a run recorded it.

The space is laid out as the centre sees it: the best point in the middle, every other point on the ring of its Hamming
distance, so that a region of radius L^h is a disc.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from casmopolitan.core.arrays import Array, Codes
from casmopolitan.core.region.hamming import distance
from casmopolitan.errors import DataError
from casmopolitan.optimizer import Optimizer
from casmopolitan.plots.series import Event, events, optimizer_of
from casmopolitan.plots.style import BLUE, FAINT, GREY, INK, ORANGE, pictured, styled
from casmopolitan.run.result import Result
from casmopolitan.space.variables import columns
from casmopolitan.trial import sign_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LARGEST = 250
"""Points of a space that can still be told apart in a picture."""


@dataclass(frozen=True, eq=False)
class View:
    """What is known when a trial has just been told: everything one frame shows."""

    centre: Codes
    radius: float
    values: dict[int, float]
    """Values so far, by the row of the point."""
    newest: int
    best: int


def vertices(optimizer: Optimizer) -> Codes:
    """Every point of a small, purely discrete space: (N, d_h)."""
    domain = optimizer.space.domain
    if domain.d_x or not domain.d_h or domain.size > LARGEST:
        raise DataError(f"this picture shows every point: it needs discrete variables only, and at most {LARGEST} points")
    return np.array(list(itertools.product(*(range(int(n)) for n in domain.levels))), dtype=np.int64)


def places(h: Codes, centre: Codes, levels: Codes) -> Array:
    """Where each vertex stands: ring = Hamming distance to the centre, angle by which variables differ and how."""
    shift = (h - centre) % levels
    rings = distance(h, centre)
    xy = np.zeros((len(h), 2))
    for ring in range(1, int(rings.max()) + 1):
        on = np.flatnonzero(rings == ring)
        order = sorted(on, key=lambda i: (tuple(np.flatnonzero(shift[i])), tuple(shift[i])))
        for k, i in enumerate(order):
            angle = 2 * math.pi * (k + 0.5 * (ring % 2)) / len(order) + math.pi / 2
            xy[i] = ring * math.cos(angle), ring * math.sin(angle)
    return xy


def views(optimizer: Optimizer, h: Codes) -> list[View]:
    """One view a completed trial, from the explanations recorded with the trials."""
    in_h, _ = columns(optimizer.space.variables)
    row = {tuple(code): i for i, code in enumerate(h.tolist())}
    sign = sign_of(optimizer.direction)
    found: list[View] = []
    values: dict[int, float] = {}
    for trial in optimizer.trials:
        if trial.value is None:
            continue
        code = optimizer.space.encode([trial.configuration]).h[0]
        newest = row[tuple(code.tolist())]
        values = {**values, newest: sign * trial.value}
        best = min(values, key=values.__getitem__)
        centre = trial.explanation.get("centre")
        middle = h[best] if centre is None else optimizer.space.encode([centre]).h[0]
        radius = trial.explanation.get("radius")
        found.append(View(middle, float(len(in_h) if radius is None else radius), values, newest, best))
    return found


def drawn(axes: Axes, h: Codes, xy: Array, view: View, radius: float, span: tuple[float, float], size: float = 34.0) -> None:
    """One frame: rings, the region's disc, every point; evaluated ones dark by quality, the best a star."""
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Circle

    furthest = int(distance(h, view.centre).max())
    reach = min(radius, furthest) + 0.45
    axes.add_patch(Circle((0, 0), reach, facecolor=ORANGE, alpha=0.16, edgecolor="none", zorder=0))
    axes.add_patch(Circle((0, 0), reach, facecolor="none", edgecolor=ORANGE, lw=1.6, zorder=1))
    for ring in range(1, furthest + 1):
        axes.add_patch(Circle((0, 0), ring, facecolor="none", edgecolor=FAINT, lw=0.8, zorder=0.5))
    shades = LinearSegmentedColormap.from_list("quality", ["#08306B", BLUE, "#C6DBEF"])
    known = np.array(sorted(view.values), dtype=np.int64)
    unknown = np.setdiff1d(np.arange(len(h)), known)
    axes.scatter(xy[unknown, 0], xy[unknown, 1], s=0.55 * size, facecolors="white", edgecolors=GREY, linewidths=0.7, zorder=2)
    quality = [(view.values[int(i)] - span[0]) / ((span[1] - span[0]) or 1.0) for i in known]
    axes.scatter(
        xy[known, 0], xy[known, 1], s=size, c=quality, cmap=shades, vmin=0, vmax=1, edgecolors="white", linewidths=0.5, zorder=3
    )
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
def region(source: Result | Optimizer, *, at: Sequence[int] | None = None, title: str = "") -> Figure:
    """The region at some trials, side by side; by default at its start, first growth, first shrinkage and first restart."""
    optimizer = optimizer_of(source)
    h = vertices(optimizer)
    complete = [trial for trial in optimizer.trials if trial.value is not None]
    if not complete or (at is not None and not len(at)):
        raise DataError("no trial has been completed, or none was named in at=, so there is no region to draw")
    seen = views(optimizer, h)
    numbers = [trial.number for trial in complete]
    happened = events(optimizer.trials)
    chosen = _moments(
        complete[0].number, [t.number for t in complete if t.explanation.get("source") == "acquisition"], happened
    )
    chosen = {number: f"trial {number}" for number in at} if at is not None else chosen
    span = span_of(seen)
    figure, grid = pictured(2.5 * len(chosen), 3.5, ncols=len(chosen), squeeze=False)
    for axes, (number, words) in zip(grid[0], chosen.items(), strict=True):
        if number not in numbers:
            raise DataError(f"trial {number} has no value; the completed trials are {numbers[0]} to {numbers[-1]}")
        view = seen[numbers.index(number)]
        drawn(axes, h, places(h, view.centre, optimizer.space.domain.levels), view, view.radius, span)
        words = f"{words}\ntrial {number},  $L^h$ = {view.radius:.0f}"
        axes.set_title(words, loc="center", y=1.0, fontsize=9, fontweight="normal")
    legend(figure)
    if title:
        figure.suptitle(title, fontsize=10, fontweight="bold")
    return figure


def legend(figure: Figure) -> None:
    """What the signs mean, in one line below."""
    from matplotlib.lines import Line2D

    dot: dict[str, Any] = {"linestyle": "none", "marker": "o"}
    signs = [
        Line2D([], [], linestyle="none", marker="*", ms=9, mfc=ORANGE, mec=INK, mew=0.7, label="best so far"),
        Line2D([], [], **dot, ms=8, mfc="none", mec=INK, mew=1.4, label="newest"),
        Line2D([], [], **dot, ms=5, mfc="#08306B", mec="none", label="evaluated (darker is better)"),
        Line2D([], [], **dot, ms=4, mfc="white", mec=GREY, mew=0.7, label="not evaluated"),
    ]
    figure.legend(handles=signs, loc="outside lower left", ncols=4, handletextpad=0.2, columnspacing=1.2, fontsize=7.5)


def span_of(seen: Sequence[View]) -> tuple[float, float]:
    """The lowest and the highest value of a run."""
    values = seen[-1].values.values()
    return min(values), max(values)


def _moments(first: int, acquired: list[int], happened: list[Event]) -> dict[int, str]:
    """Trial numbers worth showing, with words for each."""
    found = {acquired[0] if acquired else first: "the first region"}
    words = {"grew": "a success: it grows", "shrank": "failures: it shrinks", "restarted": "exhausted: a new centre"}
    for happening, text in words.items():
        number = next((event.number for event in happened if event.happening == happening), None)
        if number is not None:
            found[number] = text
    return dict(sorted(found.items()))
