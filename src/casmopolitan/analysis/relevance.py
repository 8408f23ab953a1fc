"""How relevant each variable is, by the kernel fitted to all trials."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from casmopolitan.blas import one_thread
from casmopolitan.core.gp.model import overall_model
from casmopolitan.core.gp.posterior import Posterior
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.points import Points
from casmopolitan.errors import DataError
from casmopolitan.optimizer import Optimizer
from casmopolitan.space.variables import columns

STEPS = 21
"""Maximum number of values per variable at which correlations are compared."""

DRAWN = 400
"""Random points that represent the whole space."""


def relevances_of(optimizer: Optimizer) -> dict[str, float]:
    """Return, per variable, the share of the function's variance that is left if all other variables are fixed.

    Whatever the config, the kernel is fitted to every completed trial with one lengthscale per variable and a zero prior
    mean. Otherwise the prior mean could explain a variable's effect.
    """
    domain = optimizer.space.domain
    spread = max(optimizer.config.rate_spread, math.sqrt(domain.d_h))
    config = replace(optimizer.config, ard=True, rate_spread=spread, mean="zero")
    with one_thread():
        model = overall_model(domain, config, optimizer.seed, optimizer.state)
    if model is None:
        raise DataError("no trial has been completed, so no relevance can be computed")
    posterior = model.posterior
    in_h, in_x = columns(optimizer.space.variables)
    if np.ptp(posterior.y) == 0.0:  # equal values say nothing about relevance, whatever the kernel's prior
        return {name: 0.0 for name in optimizer.space.names if name in (*in_h, *in_x)}
    found = {name: variance(posterior, along_h(posterior, j)) for j, name in enumerate(in_h)}
    found |= {name: variance(posterior, along_x(posterior, k)) for k, name in enumerate(in_x)}
    whole = variance(posterior, domain.draw(DRAWN, np.random.default_rng(optimizer.seed)))
    return {name: min(1.0, found[name] / whole) for name in optimizer.space.names if name in found}


def along_h(posterior: Posterior, j: int) -> Points:
    """Return copies of the first observation in which discrete variable j takes its values in turn."""
    base, last = posterior.points[0], posterior.domain.levels[j] - 1
    values = np.unique(np.linspace(0, last, STEPS).round().astype(np.int64))
    h, x = np.tile(base.h, (len(values), 1)), np.tile(base.x, (len(values), 1))
    h[:, j] = values
    return Points(h, x)


def along_x(posterior: Posterior, k: int) -> Points:
    """Return copies of the first observation in which coordinate k runs over the unit interval."""
    base = posterior.points[0]
    h, x = np.tile(base.h, (STEPS, 1)), np.tile(base.x, (STEPS, 1))
    x[:, k] = np.linspace(0.0, 1.0, STEPS)
    return Points(h, x)


def variance(posterior: Posterior, points: Points) -> float:
    """Return the variance that the kernel expects among the points, relative to the prior variance: 1 - mean correlation."""
    K = posterior.kernel.forward(posterior.hyperparameters.kernel, coded(posterior.domain, points))[0]
    return float(1.0 - K.mean() / K[0, 0])
