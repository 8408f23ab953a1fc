"""Which variables the model finds relevant."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from casmopolitan.blas import one_thread
from casmopolitan.core.algorithm import overall_model
from casmopolitan.core.gp.posterior import Posterior
from casmopolitan.core.kernels.base import Data
from casmopolitan.core.points import Points
from casmopolitan.errors import DataError
from casmopolitan.optimizer import Optimizer
from casmopolitan.plots.series import optimizer_of
from casmopolitan.plots.style import BLUE, SKY, pictured, styled
from casmopolitan.run.result import Result
from casmopolitan.space.variables import columns

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = 21
"""Values of a variable among which correlations are compared, where it has more."""

DRAWN = 400
"""Random points that stand for the whole space."""


def relevances(source: Result | Optimizer) -> dict[str, float]:
    """How much the function varies when that variable alone is drawn anew, as a part of how much it varies when all are.

    0 is irrelevant, 1 decides all; where variables act together the parts add up to more than 1. The kernel is fitted to every
    completed trial, each variable free to matter more or less than the others whatever the settings say of that, with the mean
    zero, so that what a variable decides is nowhere else. Constants of the space have no relevance and are left out; while all
    values are equal every variable has 0.
    """
    optimizer = optimizer_of(source)
    domain = optimizer.space.domain
    spread = max(optimizer.config.rate_spread, math.sqrt(domain.d_h))
    config = replace(optimizer.config, ard=True, rate_spread=spread, mean="zero")
    with one_thread():
        model = overall_model(domain, config, optimizer.seed, optimizer.state)
    if model is None:
        raise DataError("nothing is relevant before a trial has been completed")
    posterior = model.posterior
    in_h, in_x = columns(optimizer.space.variables)
    if np.ptp(posterior.y) == 0.0:  # whatever the kernel believes, nothing has mattered so far
        return {name: 0.0 for name in optimizer.space.names if name in (*in_h, *in_x)}
    found = {name: varied(posterior, along_h(posterior, j)) for j, name in enumerate(in_h)}
    found |= {name: varied(posterior, along_x(posterior, k)) for k, name in enumerate(in_x)}
    whole = varied(posterior, domain.draw(DRAWN, np.random.default_rng(optimizer.seed)))
    return {name: min(1.0, found[name] / whole) for name in optimizer.space.names if name in found}


def along_h(posterior: Posterior, j: int) -> Points:
    """A data point with discrete variable j running through its values."""
    base, last = posterior.points[0], posterior.domain.levels[j] - 1
    values = np.unique(np.linspace(0, last, STEPS).round().astype(np.int64))
    h, x = np.tile(base.h, (len(values), 1)), np.tile(base.x, (len(values), 1))
    h[:, j] = values
    return Points(h, x)


def along_x(posterior: Posterior, k: int) -> Points:
    """A data point with coordinate k running over the unit interval."""
    base = posterior.points[0]
    h, x = np.tile(base.h, (STEPS, 1)), np.tile(base.x, (STEPS, 1))
    x[:, k] = np.linspace(0.0, 1.0, STEPS)
    return Points(h, x)


def varied(posterior: Posterior, points: Points) -> float:
    """What the kernel expects the variance of values at the points to be, in units of its own: 1 - the mean correlation."""
    K = posterior.kernel.forward(posterior.theta[:-2], Data.of(posterior.domain, points))[0]
    return float(1.0 - K.mean() / K[0, 0])


@styled
def relevance(source: Result | Optimizer, *, most: int = 20, title: str = "") -> Figure:
    """The `most` relevant variables, longest bar first; discrete ones dark, continuous ones light."""
    ranked = sorted(relevances(source).items(), key=lambda item: -item[1])[:most]
    in_h, _ = columns(optimizer_of(source).space.variables)
    figure, axes = pictured(6.4, 0.9 + 0.26 * len(ranked))
    names, values = [name for name, _ in ranked], [value for _, value in ranked]
    axes.barh(names, values, color=[BLUE if name in in_h else SKY for name in names], height=0.66)
    for row, value in enumerate(values):
        axes.annotate(f"{value:.2g}", (value, row), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("part of the variance left\nwhen only this variable changes")
    axes.set_title(title)
    return figure
