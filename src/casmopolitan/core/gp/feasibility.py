"""Where trials fail: how probable it is that a point succeeds, learnt from which did and which did not.

Least-squares classification: a Gaussian process of the labels, +1 for a trial that came out with a value and -1 for one that
failed, around their mean over all trials. Kernel and priors are those of the objective's model, where they are freed with the
noise of an objective that does not repeat itself: what fails now may be luck.

    P(success | z) = Φ( (level + μ(z)) / √(σ²(z) + noise) )

EI is weighed by P, and by less where P is small: where nothing else promises anything, what is known to fail would still be
tried again and again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import log_ndtr, ndtr

from casmopolitan.config import Config
from casmopolitan.core.arrays import Array
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.likelihood import LOG_2PI
from casmopolitan.core.gp.model import fitted, separated
from casmopolitan.core.gp.posterior import Posterior, condition
from casmopolitan.core.kernels.base import Data
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Points, stack

DOUBTFUL, AVERSION = 0.5, 20.0
"""What will sooner fail than succeed is as good as out of the question: there log P counts so many times more."""


@dataclass(frozen=True, eq=False)
class Success:
    """The process of the labels less their level."""

    posterior: Posterior
    level: float

    def probability(self, points: Points) -> Array:
        """P(success) at every point."""
        probability: Array = ndtr(self._deviations(*self.posterior.moments(points)))
        return probability

    def log_weight(self, mean: Array, variance: Array) -> tuple[Array, Array, Array]:
        """log P, and where P is below DOUBTFUL, AVERSION times as far below it again; with its derivatives by μ and σ²."""
        u, total = self._deviations(mean, variance), variance + self.noise
        log: Array = log_ndtr(u)
        slope = np.exp(-0.5 * u * u - 0.5 * LOG_2PI - log)
        short = np.minimum(log - math.log(DOUBTFUL), 0.0)
        slope = np.where(short < 0.0, 1.0 + AVERSION, 1.0) * slope
        return log + AVERSION * short, slope / np.sqrt(total), -0.5 * slope * u / total

    @property
    def noise(self) -> float:
        """The variance of a label that no point explains."""
        return float(self.posterior.theta[-1])

    def _deviations(self, mean: Array, variance: Array) -> Array:
        """u, by how many deviations a label is expected to be positive."""
        u: Array = (self.level + mean) / np.sqrt(variance + self.noise)
        return u


def success_model(
    domain: Domain, config: Config, succeeded: Points, failed: Points, rng: np.random.Generator
) -> Success | None:
    """What the labels of these points tell; None where all are equal, or where the model breaks down."""
    if not len(succeeded) or not len(failed):
        return None
    points = stack([succeeded, failed])
    labels = np.repeat([1.0, -1.0], [len(succeeded), len(failed)])
    level = float(labels.mean())
    kernel = kernel_for(domain, config.kernel, ard=separated(config, domain.d_h), trade_off=config.trade_off)
    fit = fitted(kernel, replace(config, noisy=True), Data.of(domain, points), labels - level, None, None, rng)
    if not math.isfinite(fit.value):
        return None
    posterior = condition(domain, kernel, fit.theta, points, labels - level)
    return Success(posterior, level) if isinstance(posterior, Posterior) else None
