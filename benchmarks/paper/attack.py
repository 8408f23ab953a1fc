"""App. B.4: the attack's loss against queries, and the images of successful attacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

import casmopolitan as cas
from benchmarks.paper.data import Data
from benchmarks.paper.drawing import INK, empty, first_success, headed, look_of, plt

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PROBLEM = "attack-digits"
SUCCESS = -1.0
"""The value of a successful attack."""
CLASSES, SHOWN_IMAGE = 10, 3
HALF, QUICK = range(CLASSES), (SHOWN_IMAGE,)
"""Images that are attacked at half scale, one of each class, and at quick scale."""


def instances(scale: str) -> Sequence[tuple[int, str]]:
    """Return (number, name) of the attacks at a scale: 450, 90 or 9."""
    numbered = list(enumerate(cas.problems.attack_instances()))
    chosen = {"half": HALF, "quick": QUICK}.get(scale)
    return numbered if chosen is None else [(number, name) for number, name in numbered if image_of(name) in chosen]


def image_of(name: str) -> int:
    return int(name.split("-")[-2])


def target_of(name: str) -> int:
    return int(name.split("-")[-1])


def draw(data: Data) -> Figure:
    """Draw the loss curves of one image above, the images of successful attacks of the paper's method below."""
    (panel,) = data.experiment.panels
    lines = [line for line in panel.lines if line.shown]
    rows = attacked(data, panel)
    image = SHOWN_IMAGE if SHOWN_IMAGE in rows else rows[0]
    figure = plt.figure(figsize=(3.2 * len(lines), 3.1 + 0.95 * len(rows)), layout="constrained")
    upper, lower = figure.subfigures(2, 1, height_ratios=[2.9, 0.2 + 0.95 * len(rows)])
    for axes, line in zip(upper.subplots(1, len(lines), sharey=True), lines, strict=True):
        axes.set_title(look_of(line)[0])
        axes.set_xlabel("queries")
        draw_losses(axes, data, panel, line, image)
    upper.axes[0].set_ylabel("best loss (success at 0)")
    draw_images(lower, data, panel, rows)
    return headed(figure, data)


def attacked(data: Data, panel) -> list[int]:
    """Return the images with runs, at most one of each class; without runs, the images of the quick scale."""
    every = (data.series(panel, line) for line in panel.lines)
    found = {image_of(run["problem"]) for series in every if series for run in series.runs.values()}
    return sorted(found & set(HALF)) or list(QUICK)


def draw_losses(axes, data: Data, panel, line, image: int) -> None:
    """Draw one curve per target of an image; a dot marks a success."""
    series = data.series(panel, line)
    runs = [run for run in (series.runs.values() if series else ()) if image_of(run["problem"]) == image]
    if not runs:
        return empty(axes)
    colours = plt.get_cmap("tab10")
    for run in runs:
        last = [] if run["best"][-1][1] <= SUCCESS else [(run["evaluations"], run["best"][-1][1])]
        steps = [(n, max(0.0, value)) for n, value in [*run["best"], *last]]
        colour = colours(target_of(run["problem"]))
        axes.step(*zip(*steps, strict=True), where="post", color=colour, linewidth=1.4)
        if run["best"][-1][1] <= SUCCESS:
            axes.plot(first_success(run["best"], SUCCESS), 0.0, "o", color=colour, markersize=6, clip_on=False, zorder=5)
    solved = sum(run["best"][-1][1] <= SUCCESS for run in runs)
    axes.text(0.97, 0.95, f"{solved} of {len(runs)} targets", transform=axes.transAxes, ha="right", va="top", color=INK)
    axes.set_ylim(bottom=-0.15)
    return None


def draw_images(figure, data: Data, panel, rows: Sequence[int]) -> None:
    """Draw a row per image and a column per target: the original in its own column, successful attacks in the others."""
    series = data.series(panel, data.line(panel, "paper"))
    solutions = {run["problem"]: run.get("solution") for run in (series.runs.values() if series else ())}
    figure.suptitle("Successful attacks of the paper's method by target class; the original is framed", fontsize=9)
    for axes, (image, target) in zip(
        figure.subplots(len(rows), CLASSES, squeeze=False).flat, ((i, t) for i in rows for t in range(CLASSES)), strict=True
    ):
        axes.set_xticks([])
        axes.set_yticks([])
        axes.grid(visible=False)
        axes.set_box_aspect(1)
        if image == rows[0]:
            axes.set_title(str(target), fontsize=9, loc="center", fontweight="normal")
        own = target == image % CLASSES
        name = f"{PROBLEM}-{image}-{(target + 1) % CLASSES if own else target}"
        if own or solutions.get(name):
            pixels = cas.problems.attacked_image(name, None if own else solutions[name])
            axes.imshow(np.asarray(pixels)[:, :, 0], cmap="gray_r")
        else:
            axes.set_facecolor("#F2F2F2")
        for spine in axes.spines.values():
            spine.set(visible=True, color="#D55E00" if own else "#CCCCCC", linewidth=2.2 if own else 0.8)
