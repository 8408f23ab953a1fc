"""L^h and L^x over the trials, and when they changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casmopolitan.analysis.lengths import PARTS, Part, Segment, restarts, segments
from casmopolitan.errors import DataError
from casmopolitan.optimizer import Optimizer
from casmopolitan.plots.source import Source, loaded
from casmopolitan.plots.style import BLUE, HAPPENING, SKY, mark_restarts, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABELS: dict[Part, tuple[str, str]] = {
    "radius": ("Hamming radius  $L^h$", BLUE),
    "length": ("side of the box  $L^x$", SKY),
}


@styled
def trust_region(source: Source, *, title: str = "") -> Figure:
    """Draw the lengths of the trust region over the trials, one panel per length.

    Triangles mark trials at which a length grew or shrank. Dashed lines mark restarts.

    Args:
        source: The result of a run, an optimiser, a study of Optuna, or a list of trials.
        title: A title above the figure.

    Returns:
        The figure.

    Raises:
        DataError: No suggestion came from a trust region, or the source has no trials.
        MissingExtraError: matplotlib is not installed.
    """
    held = loaded(source)
    trials = held.trials if isinstance(held, Optimizer) else held
    panels = {part: found for part in PARTS if (found := segments(trials, part))}
    if not panels:
        raise DataError("no suggestion came from a trust region yet: run beyond the initial points, with trust_region=True")
    figure, grid = new_figure(6.4, 1.2 + 1.4 * len(panels), nrows=len(panels), sharex=True, squeeze=False)
    for axes, (part, found) in zip(grid[:, 0], panels.items(), strict=True):
        _draw_panel(axes, part, found)
        mark_restarts(axes, restarts(trials))
    for happening in ("grew", "shrank"):
        shade, marker = HAPPENING[happening]
        grid[0, 0].scatter([], [], s=42, marker=marker, color=shade, label=happening)
    grid[0, 0].legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3, borderaxespad=0.2)
    grid[0, 0].set_title(title, loc="right")
    grid[-1, 0].set_xlabel("trial")
    return figure


def _draw_panel(axes: Any, part: Part, found: list[Segment]) -> None:
    label, colour = LABELS[part]
    for segment in found:
        axes.step(list(segment.sizes), list(segment.sizes.values()), where="post", color=colour)
        for number, happening in segment.changes.items():
            shade, marker = HAPPENING[happening]
            axes.scatter(number, segment.sizes[number], s=42, marker=marker, color=shade, zorder=4)
    axes.set_ylabel(label)
    if part == "length":
        axes.set_yscale("log")
        sizes = sorted({round(size, 6) for segment in found for size in segment.sizes.values()})
        ticks = sizes[:: 1 + len(sizes) // 6]
        axes.set_yticks(ticks, [f"{size:.3g}" for size in ticks])
        axes.minorticks_off()
    else:
        axes.set_ylim(bottom=0)
        axes.yaxis.get_major_locator().set_params(integer=True)
