"""An acquisition function bound to a posterior: a number for each point, and its gradient in x."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.acquisition.confidence import upper_confidence
from casmopolitan.core.acquisition.improvement import (
    augmented_expected_improvement,
    expected_improvement,
    log_expected_improvement,
)
from casmopolitan.core.gp.posterior import Posterior, Rule
from casmopolitan.core.points import Array, Points


@dataclass(frozen=True, eq=False)
class Score:
    """α(z) of Algorithm 1, line 10, under one model."""

    posterior: Posterior
    rule: Rule

    def __call__(self, points: Points) -> Array:
        """α at every point."""
        return self.rule(*self.posterior.moments(points))[0]

    def with_gradient(self, points: Points) -> tuple[Array, Array]:
        """α and ∂α/∂x at every point."""
        return self.posterior.rule_with_gradient(points, self.rule)


@dataclass(frozen=True, eq=False)
class MeanScore:
    """log of the weighted mean of exp(α) under several models: with log EI, the expected improvement averaged over them."""

    parts: tuple[Score, ...]
    log_weights: Array

    def __call__(self, points: Points) -> Array:
        """α at every point."""
        return self.mean(np.stack([part(points) for part in self.parts]))

    def with_gradient(self, points: Points) -> tuple[Array, Array]:
        """α and ∂α/∂x at every point: the parts' gradients weighted by their share of the sum."""
        values, gradients = zip(*(part.with_gradient(points) for part in self.parts), strict=True)
        value = self.mean(np.stack(values))
        share = np.exp(np.stack(values) + self.log_weights[:, None] - value)
        gradient: Array = np.einsum("pm,pmk->mk", share, np.stack(gradients))
        return value, gradient

    def mean(self, values: Array) -> Array:
        """log Σ_p exp(log weight_p + value_p) over the first axis, safe for large magnitudes and for -inf."""
        weighted = values + self.log_weights.reshape(-1, *[1] * (values.ndim - 1))
        top = weighted.max(axis=0)
        safe = np.where(np.isfinite(top), top, 0.0)
        with np.errstate(divide="ignore"):
            mean: Array = safe + np.log(np.exp(weighted - safe).sum(axis=0))
        return mean


def rule_for(config: Config, best: float, noise: float) -> Rule:
    """The configured acquisition rule for an incumbent value (Thompson sampling has none: its search draws instead)."""
    if config.acquisition == "ei":
        return partial(expected_improvement, best=best)
    if config.acquisition == "augmented-ei":
        return partial(augmented_expected_improvement, best=best, noise=noise)
    if config.acquisition == "ucb":
        return partial(upper_confidence, root_beta=config.exploration)
    return partial(log_expected_improvement, best=best)
