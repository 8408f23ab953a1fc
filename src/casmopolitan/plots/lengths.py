"""L^h and L^x over the trials, and what changed them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casmopolitan.errors import DataError
from casmopolitan.plots.series import Source, confined, events, trials_of
from casmopolitan.plots.style import BLUE, HAPPENING, SKY, pictured, restarts_marked, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABELS = {"radius": ("Hamming radius  $L^h$", BLUE), "length": ("side of the box  $L^x$", SKY)}


@styled
def trust_region(source: Source, *, title: str = "") -> Figure:
    """The lengths recorded with each suggestion, one panel a part; triangles where they grew or shrank, restarts dashed."""
    trials = [trial for trial in trials_of(source) if confined(trial.explanation)]
    parts = [part for part in LABELS if any(trial.explanation.get(part) is not None for trial in trials)]
    if not parts:
        raise DataError("no suggestion came from a trust region yet: run beyond the initial points, with trust_region=True")
    happened = events(trials_of(source))
    figure, grid = pictured(6.4, 1.2 + 1.4 * len(parts), nrows=len(parts), sharex=True, squeeze=False)
    for axes, part in zip(grid[:, 0], parts, strict=True):
        label, colour = LABELS[part]
        for region in sorted({trial.explanation["region"] for trial in trials}):
            inside = [trial for trial in trials if trial.explanation["region"] == region]
            sizes = {trial.number: trial.explanation[part] for trial in inside}
            axes.step(list(sizes), list(sizes.values()), where="post", color=colour)
            for event in (e for e in happened if e.happening != "restarted" and e.number in sizes):
                shade, marker = HAPPENING[event.happening]
                axes.scatter(event.number, sizes[event.number], s=42, marker=marker, color=shade, zorder=4)
        restarts_marked(axes, [event.number for event in happened if event.happening == "restarted"])
        axes.set_ylabel(label)
        if part == "length":
            axes.set_yscale("log")
            seen = sorted({round(trial.explanation[part], 6) for trial in trials})
            axes.set_yticks(seen[:: 1 + len(seen) // 6], [f"{size:.3g}" for size in seen[:: 1 + len(seen) // 6]])
            axes.minorticks_off()
        else:
            axes.set_ylim(bottom=0)
            axes.yaxis.get_major_locator().set_params(integer=True)
    for happening in ("grew", "shrank"):
        shade, marker = HAPPENING[happening]
        grid[0, 0].scatter([], [], s=42, marker=marker, color=shade, label=happening)
    grid[0, 0].legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3, borderaxespad=0.2)
    grid[0, 0].set_title(title, loc="right")
    grid[-1, 0].set_xlabel("trial")
    return figure
