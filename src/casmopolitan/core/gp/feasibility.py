"""The probability that a trial succeeds, learnt from the trials that succeeded and those that failed.

Least-squares classification: a Gaussian process of the labels, +1 for success and -1 for failure, around their mean `level`
over all trials. Kernel and priors are those of the objective's model; `priors='freed'` assumes noise, since a failure
may be chance.

    P(success | z) = Φ( t ),    t = (level + μ(z)) / √(σ²(z) + noise)

log P is added to log EI, with a larger weight if P is small. Otherwise points that are known to fail would be tried again and
again once no other point promises an improvement.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import log_ndtr, ndtr

from casmopolitan.config import Config
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.fit import fit_hyperparameters
from casmopolitan.core.gp.likelihood import LOG_2PI
from casmopolitan.core.gp.posterior import Posterior, condition
from casmopolitan.core.gp.priors import parameters_for
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.select import configured_kernel
from casmopolitan.core.points import Array, Points, stack

DOUBTFUL, AVERSION = 0.5, 20.0
"""Below P = DOUBTFUL, log P counts AVERSION times more: points that are more likely to fail than succeed are tried last."""


@dataclass(frozen=True, eq=False)
class SuccessModel:
    """A Gaussian process of the labels minus their level."""

    posterior: Posterior
    level: float

    def probability(self, points: Points) -> Array:
        """Return P(success) at every point."""
        probability: Array = ndtr(self._score(*self.posterior.moments(points)))
        return probability

    def log_weight(self, mean: Array, variance: Array) -> tuple[Array, Array, Array]:
        """Return log P, plus AVERSION · log(P / DOUBTFUL) if that is negative; and the derivatives by μ and σ²."""
        t, total = self._score(mean, variance), variance + self._noise
        log: Array = log_ndtr(t)
        slope = np.exp(-0.5 * t * t - 0.5 * LOG_2PI - log)
        short = np.minimum(log - math.log(DOUBTFUL), 0.0)
        slope = np.where(short < 0.0, 1.0 + AVERSION, 1.0) * slope
        return log + AVERSION * short, slope / np.sqrt(total), -0.5 * slope * t / total

    @property
    def _noise(self) -> float:
        """The noise variance of the labels."""
        return self.posterior.hyperparameters.noise

    def _score(self, mean: Array, variance: Array) -> Array:
        """Return t: the expected label, in standard deviations."""
        t: Array = (self.level + mean) / np.sqrt(variance + self._noise)
        return t


def fit_success_model(
    domain: Domain, config: Config, succeeded: Points, failed: Points, rng: np.random.Generator
) -> SuccessModel | None:
    """Fit the model to the points of both kinds; None if one kind is missing or the model breaks down."""
    if not len(succeeded) or not len(failed):
        return None
    points = stack([succeeded, failed])
    labels = np.repeat([1.0, -1.0], [len(succeeded), len(failed)])
    level = float(labels.mean())
    kernel, noisy = configured_kernel(domain, config), replace(config, noisy=True)
    parameters = parameters_for(kernel, noisy, domain.d_h, domain.d_x)
    data = coded(domain, points)
    fit = fit_hyperparameters(kernel, parameters, noisy, data, labels - level, None, None, rng)
    if not math.isfinite(fit.value):
        return None
    posterior = condition(domain, kernel, fit.theta, points, labels - level, None, data)
    return SuccessModel(posterior, level) if isinstance(posterior, Posterior) else None
