"""Algorithm 1, line 12: from observations to a conditioned Gaussian process, in the user's units on the way in and out."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.arrays import Array
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.fit import Fit, fit_adam, fit_lbfgs
from casmopolitan.core.gp.hyperparameters import Parameters, freed_parameters, paper_parameters
from casmopolitan.core.gp.mean import Bowl
from casmopolitan.core.gp.posterior import Breakdown, Posterior, condition
from casmopolitan.core.gp.targets import FAR, NEAR, Targets, transformed
from casmopolitan.core.kernels.base import Data, Kernel
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Points

NEGLIGIBLE = 0.06
"""Rates that stray from their shared level by less than this (in logarithm) are fitted as one: with the default beyond 802."""

MOST_KEPT = 2000
"""More hyper-parameters than this are not recorded with a trial: the next fit begins cold."""


@dataclass(frozen=True, eq=False)
class Model:
    """A posterior with the map of its targets; `note` says when something simpler than asked for had to do."""

    posterior: Posterior
    targets: Targets
    note: str = ""

    def lengthscales(self) -> Array:
        """The fitted lengthscale of each continuous variable (d_x,): they weight the box."""
        names = self.posterior.kernel.names
        found = [self.posterior.theta[i] for i, name in enumerate(names) if name.startswith("continuous")]
        d_x = self.posterior.domain.d_x
        return np.broadcast_to(np.array(found), (d_x,)) if found else np.ones(d_x)

    def predict(self, points: Points) -> tuple[Array, Array]:
        """Mean and deviation in the user's units."""
        mean, variance = self.posterior.moments(points)
        return self.targets.invert(mean, np.sqrt(variance))

    def foretold(self, point: Points) -> tuple[float, float] | tuple[None, None]:
        """Mean and deviation at one point; None where the targets are ranks, which have no magnitudes."""
        mean, deviation = (float(part[0]) for part in self.predict(point))
        return (mean, deviation) if math.isfinite(mean) and math.isfinite(deviation) else (None, None)

    def recorded(self) -> tuple[float, ...] | None:
        """The hyper-parameters as kept with a trial, to four digits; None of a model with a note, or beyond MOST_KEPT."""
        theta = self.posterior.theta
        return tuple(float(f"{value:.4g}") for value in theta) if len(theta) <= MOST_KEPT and not self.note else None


def nearest(points: Points, y: Array, capacity: int) -> tuple[Points, Array]:
    """At most `capacity` of the data, in their order: the best fifth of that number, then those nearest the best point.

    The distance is the share of discrete variables that differ plus the mean squared difference in x.
    """
    if len(y) <= capacity:
        return points, y
    order = np.argsort(y, kind="stable")
    centre = points[int(order[0])]
    away = (points.h != centre.h).mean(axis=1) if points.h.shape[1] else np.zeros(len(y))
    if points.x.shape[1]:
        away = away + ((points.x - centre.x) ** 2).mean(axis=1)
    away[order[: capacity // 5]] = -1.0
    kept = np.sort(np.argsort(away, kind="stable")[:capacity])
    return points[kept], y[kept]


def parameters_for(kernel: Kernel, config: Config, points: Points) -> Parameters:
    """The hyper-parameters' bounds and priors under a config, for points of their dimensions."""
    if config.priors == "freed":
        d_h, d_x = points.h.shape[1], points.x.shape[1]
        level, spread = config.rate_level, config.rate_spread
        return freed_parameters(kernel, d_h, d_x, rate_level=level, rate_spread=spread, noisy=config.noisy)
    return paper_parameters(kernel, config.lengthscale_bounds, config.outputscale_bounds, config.noise_bounds)


def fitted(
    kernel: Kernel, config: Config, data: Data, y: Array, phi: Array | None, start: Array | None, rng: np.random.Generator
) -> Fit:
    """Hyper-parameters by the configured optimiser, from `start` (an earlier fit's, when of the right length) or cold."""
    parameters = parameters_for(kernel, config, data.points)
    if start is None or len(start) != len(parameters):
        start = parameters.start
    if config.fit == "adam":
        starts = [start, *(parameters.random(rng) for _ in range(config.fit_starts - 1))]
        return fit_adam(kernel, parameters, data, y, starts, config.fit_rate, config.fit_steps, phi)
    return fit_lbfgs(kernel, parameters, data, y, start, config.fit_steps, phi)


def separated(config: Config, d_h: int) -> bool | str:
    """`config.ard`, but for x alone where the prior leaves the rates of h so little freedom that one can stand for all."""
    tied = config.priors == "freed" and config.rate_spread < NEGLIGIBLE * math.sqrt(d_h)
    return "continuous" if config.ard is True and tied else config.ard


def modelled(
    domain: Domain, config: Config, points: Points, y: Array, sample: Array, start: Array | None, rng: np.random.Generator
) -> Model | Breakdown:
    """The model of y at the points (n >= 1), `sample` holding the initial values; a simpler one where it breaks down."""
    t, targets = transformed(y, config.targets, sample, NEAR if domain.d_x else FAR)
    kernel = kernel_for(domain, config.kernel, ard=separated(config, domain.d_h), trade_off=config.trade_off)
    bowl = Bowl.of(domain) if config.mean == "bowl" else None
    fit = fitted(kernel, config, Data.of(domain, points), t, None if bowl is None else bowl(points), start, rng)
    if math.isfinite(fit.value):
        posterior = condition(domain, kernel, fit.theta, points, t, bowl)
        if isinstance(posterior, Posterior):
            return Model(posterior, targets, "jitter" if posterior.jitter else "")
    simple = kernel_for(domain, "categorical", ard=False, trade_off=0.5)
    parameters = paper_parameters(simple)
    theta = parameters.start.copy()
    theta[-1] = parameters.high[-1]
    posterior = condition(domain, simple, theta, points, t)
    return Model(posterior, targets, "simpler model") if isinstance(posterior, Posterior) else posterior
