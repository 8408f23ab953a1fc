"""Posterior and acquisition function on a slice of x, the incumbent's h held fixed (Fig. 2 of the paper)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from casmopolitan.blas import one_thread
from casmopolitan.core.algorithm import Ask, best_point, local_model, scored
from casmopolitan.core.gp.model import Model
from casmopolitan.core.points import Points
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.errors import DataError
from casmopolitan.optimizer import Optimizer
from casmopolitan.plots.series import optimizer_of
from casmopolitan.plots.style import BLUE, GREEN, GREY, INK, ORANGE, SKY, pictured, styled
from casmopolitan.run.result import Result
from casmopolitan.space.variables import columns
from casmopolitan.trial import sign_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = 401
NAMES = {
    "ei": "expected\nimprovement",
    "log-ei": "log expected\nimprovement",
    "augmented-ei": "augmented EI",
    "ucb": "upper confidence\nbound",
    "thompson": "log expected\nimprovement",
}
"""What the lower panel shows; where Thompson sampling draws instead, log EI stands in."""

LOGARITHMS, DEEP = ("log-ei", "thompson"), 50.0
"""Logarithms fall without end beside an observation: the panel ends so far below the peak."""

RANKED = "(ranks: no mean)"
"""What stands in place of a posterior in the user's units."""

AUGMENTED = "log augmented EI"
"""What log EI is of a noisy objective."""

WEIGHED = "log EI and\nlog P(success)"
"""What it shows once failures are learnt from."""


@styled
def acquisition(source: Result | Optimizer, variable: str | None = None, *, title: str = "") -> Figure:
    """What the model believes along one continuous variable, and where the acquisition function would go next.

    Everything else stays at the current region's best point; the band is the region's box; dots are the observations that
    share the incumbent's discrete values, shifted by nothing, so in more than one dimension they need not lie on the curve.
    """
    optimizer = optimizer_of(source)
    space, config, state = optimizer.space, optimizer.config, optimizer.state
    domain = space.domain
    _, in_x = columns(space.variables)
    if not in_x:
        raise DataError("the space has no continuous variable to draw the acquisition function along")
    name = in_x[0] if variable is None else variable
    if name not in in_x:
        raise DataError(f"{name!r} is not a continuous variable of the space; those are {', '.join(map(repr, in_x))}")
    k = in_x.index(name)
    points, y = state.seen(domain, state.current)
    if not len(y):
        raise DataError("the current region has no observation yet; tell a few trials first")
    this = Ask(domain, config, optimizer.seed, state, len(optimizer.trials))
    with one_thread():
        model = local_model(this)
    if not isinstance(model, Model):
        raise DataError(f"there is no model to draw: {model.reason}")
    centre = best_point(this, model)
    around = Neighbourhood.around(domain, centre, state.lengths, model.lengthscales())

    grid = np.linspace(0.0, 1.0, STEPS)
    x = np.tile(centre.x, (STEPS, 1))
    x[:, k] = grid
    line = Points(np.tile(centre.h, (STEPS, 1)), x)
    sign = sign_of(optimizer.direction)
    mean, deviation = model.predict(line)
    alpha = scored(this, model.posterior)(line)
    axis = domain.axes[k]
    value = axis.value(grid)

    figure, (above, below) = pictured(6.4, 4.2, nrows=2, sharex=True, height_ratios=[2, 1])
    for axes in (above, below):
        axes.axvspan(
            *axis.value(np.array([around.low[k], around.high[k]])), color=ORANGE, alpha=0.13, lw=0, label="trust region"
        )
    shown = sign * y
    if model.targets.invertible:
        low, high = sign * mean - 2 * deviation, sign * mean + 2 * deviation
        above.fill_between(value, low, high, color=SKY, alpha=0.35, lw=0, label="± 2 σ")
        above.plot(value, sign * mean, color=BLUE, label="posterior mean")
        shown = np.concatenate([shown, low, high])
    else:
        above.plot([], [], " ", label=RANKED)
    same = (points.h == centre.h).all(axis=1)
    above.scatter(axis.value(points.x[same, k]), sign * y[same], s=26, color=INK, zorder=4, label="observed, same h")
    if (~same).any():
        above.scatter(
            axis.value(points.x[~same, k]), sign * y[~same], s=12, color=GREY, alpha=0.6, zorder=2, label="observed, other h"
        )
    above.set_ylim(*np.quantile(shown, [0.0, 1.0]) + np.array([-0.05, 0.05]) * (np.ptp(shown) or 1.0))
    inside = (grid >= around.low[k]) & (grid <= around.high[k])
    peak = int(np.flatnonzero(inside)[np.argmax(alpha[inside])])
    below.plot(value, alpha, color=GREEN)
    below.scatter(value[peak], alpha[peak], marker="v", s=52, color=GREEN, edgecolors=INK, linewidths=0.7, zorder=4)
    below.margins(y=0.18)
    if config.acquisition in LOGARITHMS:
        top = float(alpha.max())
        span = min(top - float(alpha.min()), DEEP) or 1.0
        below.set_ylim(top - 1.1 * span, top + 0.25 * span)
    plain = AUGMENTED if config.noisy and config.acquisition in LOGARITHMS else NAMES[config.acquisition]
    below.set_ylabel(plain if this.success is None else WEIGHED)
    below.set_xlabel(name)
    above.set_ylabel("value")
    if axis.log:
        below.set_xscale("log")
    above.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=5, borderaxespad=0.2, handlelength=1.1, columnspacing=0.9)
    above.set_title(title, pad=24 if title else None)
    return figure
