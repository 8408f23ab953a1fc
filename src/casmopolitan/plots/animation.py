"""An animated GIF of the trust region during a run on a small discrete space."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from casmopolitan.analysis.convergence import running_best
from casmopolitan.analysis.lengths import events
from casmopolitan.analysis.rings import View, places, span_of, vertices, views
from casmopolitan.core.points import Array, Codes
from casmopolitan.errors import DataError, MissingExtraError
from casmopolitan.optimizer import Optimizer
from casmopolitan.plots.rings import add_legend, draw_frame
from casmopolitan.plots.source import Modelled, optimizer_of
from casmopolitan.plots.style import BLUE, GREY, HAPPENING, INK, ORANGE, mark_restarts, new_figure, styled
from casmopolitan.trial import Trial

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from PIL.Image import Image

HOLD, LAST, STEP = 420, 2500, 60
"""Milliseconds per trial, for the last trial, and per step of a movement."""
MOVE = 5
"""Steps of a movement: from centre to centre, or from radius to radius."""
WIDTH, HEIGHT, DPI = 6.4, 3.8, 100


@dataclass(frozen=True, eq=False)
class Frame:
    """One frame: the index of its trial, the positions of the points, the radius of the region, and its duration."""

    index: int
    xy: Array
    radius: float
    milliseconds: int


def frames(h: Codes, levels: Codes, seen: Sequence[View]) -> Iterator[Frame]:
    """Yield the frames of a run: movements when centre or radius change, and a hold at each trial."""
    xy, radius = places(h, seen[0].centre, levels), seen[0].radius
    for index, view in enumerate(seen):
        target = places(h, view.centre, levels)
        if index and ((target != xy).any() or view.radius != radius):
            for step in range(1, MOVE):
                share = step / MOVE
                eased = share * share * (3 - 2 * share)
                yield Frame(index - 1, xy + eased * (target - xy), radius + eased * (view.radius - radius), STEP)
        xy, radius = target, view.radius
        yield Frame(index, xy, radius, LAST if index == len(seen) - 1 else HOLD)


def caption(trial: Trial, happening: str | None) -> tuple[str, str]:
    """Return the caption of a trial, and its colour."""
    captions = {"grew": "success: the region grows", "shrank": "failures: the region shrinks", "restarted": "a new region"}
    if happening is not None:
        return captions[happening], HAPPENING[happening][0]
    if trial.explanation.get("source") == "initial":
        first = trial.explanation.get("centre") is None
        return "initial points" if first else "random points of the new region", GREY
    return "inside the region", INK


@styled
def animation(source: Modelled, path: str | os.PathLike[str], *, title: str = "") -> Path:
    """Write an animated GIF of the trust region during a run.

    Args:
        source: The result of a run, an optimiser or a study of Optuna, on a discrete space of at most 250 points.
        path: The file to write; its name ends in .gif.
        title: A title above the animation.

    Returns:
        The path of the file.

    Raises:
        DataError: The file is not a GIF, the space is too large or not discrete, or no trial has been completed.
        MissingExtraError: matplotlib or pillow is not installed.
    """
    if Path(path).suffix.lower() != ".gif":
        raise DataError(f"an animation is a GIF; give a file whose name ends in .gif, not {str(path)!r}")
    try:
        from PIL import Image
    except ImportError:
        raise MissingExtraError("an animation", "pillow", "plots") from None
    optimizer = optimizer_of(source)
    h = vertices(optimizer)
    trials = [trial for trial in optimizer.trials if trial.value is not None]
    if not trials:
        raise DataError("no trial has been completed, so there is nothing to animate")
    seen = views(optimizer, h)
    found = list(frames(h, optimizer.space.domain.codes, seen))
    images = [_draw(optimizer, h, trials, seen, frame, title) for frame in found]
    mosaic = Image.new("RGB", (images[0].width, images[0].height * 12))
    for k in range(12):  # one palette for all, from frames of the whole run, so that no event loses its colour
        mosaic.paste(images[k * (len(images) - 1) // 11], (0, k * images[0].height))
    palette = mosaic.quantize(128, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    flat = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    target = Path(path)
    flat[0].save(
        target,
        save_all=True,
        append_images=flat[1:],
        duration=[frame.milliseconds for frame in found],
        loop=0,
        optimize=True,
        disposal=1,
    )
    return target


def _draw(optimizer: Optimizer, h: Codes, trials: Sequence[Trial], seen: Sequence[View], frame: Frame, title: str) -> Image:
    from PIL import Image

    view, trial = seen[frame.index], trials[frame.index]
    figure, grid = new_figure(WIDTH, HEIGHT, ncols=2, nrows=2, width_ratios=[1.25, 1])
    space = grid[0, 0].get_gridspec()
    for axes in grid[:, 0]:
        axes.remove()
    graph = figure.add_subplot(space[:, 0])
    draw_frame(graph, h, frame.xy, view, frame.radius, span_of(seen), size=20)
    happened = {event.number: event.happening for event in events(optimizer.trials)}
    text, colour = caption(trial, happened.get(trial.number))
    graph.set_title(text, loc="center", color=colour, fontsize=10.5)
    add_legend(figure)
    if title:
        figure.suptitle(title, fontsize=9)
    restarts = [number for number, happening in happened.items() if happening == "restarted" and number <= trial.number]
    _draw_values(grid[0, 1], optimizer, trials, frame.index, restarts)
    _draw_radii(grid[1, 1], trials, seen, frame.index, restarts)
    file = BytesIO()
    figure.savefig(file, format="png", dpi=DPI)
    return Image.open(file).convert("RGB")


def _draw_values(axes: Axes, optimizer: Optimizer, trials: Sequence[Trial], index: int, restarts: list[int]) -> None:
    numbers = [trial.number for trial in trials]
    values = [trial.value for trial in trials if trial.value is not None]
    best = [value for value in running_best(trials, optimizer.direction) if value is not None]
    axes.scatter(numbers[: index + 1], values[: index + 1], s=9, color=GREY)
    axes.step(numbers[: index + 1], best[: index + 1], where="post", color=BLUE)
    margin = 0.06 * (max(values) - min(values))
    axes.set_ylim(min(values) - margin, max(values) + margin)
    axes.set_xlim(-1, numbers[-1] + 1)
    mark_restarts(axes, restarts)
    axes.set_title("value, and the best so far", fontsize=8.5, fontweight="normal")


def _draw_radii(axes: Axes, trials: Sequence[Trial], seen: Sequence[View], index: int, restarts: list[int]) -> None:
    numbers = [trial.number for trial in trials]
    first = next((k for k, trial in enumerate(trials) if trial.explanation.get("radius") is not None), 0)
    radii = [view.radius for view in seen]
    axes.step(numbers[first : index + 1], radii[first : index + 1], where="post", color=ORANGE, lw=2.2)
    axes.set_ylim(0, max(radii) + 0.5)
    axes.set_xlim(-1, numbers[-1] + 1)
    axes.set_yticks(range(int(max(radii)) + 1))
    mark_restarts(axes, restarts)
    axes.set_title("Hamming radius of the trust region", fontsize=8.5, fontweight="normal")
    axes.set_xlabel("trial", fontsize=8)
