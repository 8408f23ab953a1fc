"""Posterior and acquisition function on a slice of x, the incumbent's h held fixed (Fig. 2 of the paper)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from casmopolitan.analysis.acquisition import AcquisitionSlice, acquisition_slice
from casmopolitan.config import Config
from casmopolitan.plots.source import Modelled, optimizer_of
from casmopolitan.plots.style import BLUE, GREEN, GREY, INK, ORANGE, SKY, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMES = {
    "ei": "expected\nimprovement",
    "log-ei": "log expected\nimprovement",
    "augmented-ei": "augmented EI",
    "ucb": "upper confidence\nbound",
    "thompson": "log expected\nimprovement",
}
"""Label of the lower panel; Thompson sampling has no acquisition function, so log EI is shown."""

LOGARITHMS, DEPTH = ("log-ei", "thompson"), 50.0
"""Log EI falls without bound next to an observation: the panel ends this far below the peak."""

RANKED = "(ranks: no mean)"
"""Label if the model has no posterior in the user's units."""

AUGMENTED = "log augmented EI"
"""Label of log EI for a noisy objective."""

WEIGHED = "log EI and\nlog P(success)"
"""Label once the model has learnt from failures."""


@styled
def acquisition(source: Modelled, variable: str | None = None, *, title: str = "") -> Figure:
    """Draw posterior and acquisition function along one continuous variable.

    All other variables stay at the best point of the current region. The band is the region's box. Dots are observations;
    they need not lie on the curve, because their other continuous variables may differ.

    Args:
        source: The result of a run, an optimiser, or a study of Optuna.
        variable: The name of a continuous variable; by default the first one.
        title: A title above the figure.

    Returns:
        The figure.

    Raises:
        DataError: The space has no such variable, or the current region has no observations or no model.
        MissingExtraError: matplotlib is not installed.
    """
    optimizer = optimizer_of(source)
    seen = acquisition_slice(optimizer, variable)
    figure, (above, below) = new_figure(6.4, 4.2, nrows=2, sharex=True, height_ratios=[2, 1])
    for axes in (above, below):
        axes.axvspan(*seen.box, color=ORANGE, alpha=0.13, lw=0, label="trust region")
    _draw_posterior(above, seen)
    _draw_acquisition(below, seen, optimizer.config)
    below.set_xlabel(seen.name)
    if seen.log:
        below.set_xscale("log")
    above.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=5, borderaxespad=0.2, handlelength=1.1, columnspacing=0.9)
    above.set_title(title, pad=24 if title else None)
    return figure


def _draw_posterior(axes: Axes, seen: AcquisitionSlice) -> None:
    x, y = seen.observed.T
    shown = y
    if seen.mean is not None and seen.deviation is not None:
        low, high = seen.mean - 2 * seen.deviation, seen.mean + 2 * seen.deviation
        axes.fill_between(seen.values, low, high, color=SKY, alpha=0.35, lw=0, label="± 2 σ")
        axes.plot(seen.values, seen.mean, color=BLUE, label="posterior mean")
        shown = np.concatenate([shown, low, high])
    else:
        axes.plot([], [], " ", label=RANKED)
    axes.scatter(x[seen.same], y[seen.same], s=26, color=INK, zorder=4, label="observed, same h")
    if not seen.same.all():
        axes.scatter(x[~seen.same], y[~seen.same], s=12, color=GREY, alpha=0.6, zorder=2, label="observed, other h")
    axes.set_ylim(*np.quantile(shown, [0.0, 1.0]) + np.array([-0.05, 0.05]) * (np.ptp(shown) or 1.0))
    axes.set_ylabel("value")


def _draw_acquisition(axes: Axes, seen: AcquisitionSlice, config: Config) -> None:
    alpha, log = seen.acquisition, config.acquisition in LOGARITHMS
    peak = seen.values[seen.peak], alpha[seen.peak]
    axes.plot(seen.values, alpha, color=GREEN)
    axes.scatter(*peak, marker="v", s=52, color=GREEN, edgecolors=INK, linewidths=0.7, zorder=4)
    axes.margins(y=0.18)
    if log:
        top = float(alpha.max())
        span = min(top - float(alpha.min()), DEPTH) or 1.0
        axes.set_ylim(top - 1.1 * span, top + 0.25 * span)
    plain = AUGMENTED if config.noisy and log else NAMES[config.acquisition]
    axes.set_ylabel(WEIGHED if seen.weighed else plain)
