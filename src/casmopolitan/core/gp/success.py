"""Where trials fail: how probable it is that a point succeeds, learnt from which did and which did not.

Least-squares classification: a Gaussian process of the labels, +1 for a trial that came out with a value and -1 for one that
failed, around their mean over all trials. Kernel and priors are those of the objective's model, the noise that of an objective
which does not repeat itself: what fails now may be luck.

    P(success | z) = Φ( (level + μ(z)) / √(σ²(z) + noise) )
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import log_ndtr

from casmopolitan.config import Config
from casmopolitan.core.gp.likelihood import LOG_2PI
from casmopolitan.core.gp.model import fitted, separated
from casmopolitan.core.gp.posterior import Posterior, condition
from casmopolitan.core.kernels.choice import kernel_for
from casmopolitan.core.kernels.kernel import Data
from casmopolitan.core.points import Array, Domain, Points, stack


@dataclass(frozen=True, eq=False)
class Success:
    """The process of the labels less their level."""

    posterior: Posterior
    level: float

    def log_probability(self, mean: Array, variance: Array) -> tuple[Array, Array, Array]:
        """log Φ(u), u = (level + μ) / √(σ² + noise), and its derivatives by μ and σ²."""
        total = variance + float(self.posterior.theta[-1])
        u = (self.level + mean) / np.sqrt(total)
        log: Array = log_ndtr(u)
        slope = np.exp(-0.5 * u * u - 0.5 * LOG_2PI - log)
        return log, slope / np.sqrt(total), -0.5 * slope * u / total

    def probability(self, points: Points) -> Array:
        """P(success) at every point."""
        probability: Array = np.exp(self.log_probability(*self.posterior.moments(points))[0])
        return probability


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
