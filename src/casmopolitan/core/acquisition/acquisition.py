"""An acquisition function bound to a posterior: a number for each point, and its gradient in x."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.acquisition.expected_improvement import (
    augmented_expected_improvement,
    expected_improvement,
    log_augmented_expected_improvement,
    log_expected_improvement,
)
from casmopolitan.core.acquisition.upper_confidence import upper_confidence
from casmopolitan.core.arrays import Array
from casmopolitan.core.gp.posterior import Posterior, Rule
from casmopolitan.core.points import Points


@dataclass(frozen=True, eq=False)
class Score:
    """α(z) of Algorithm 1, line 10, under one model; and what is added to it under another."""

    posterior: Posterior
    rule: Rule
    added: Score | None = None

    def __call__(self, points: Points) -> Array:
        """α at every point."""
        value = self.rule(*self.posterior.moments(points))[0]
        return value if self.added is None else value + self.added(points)

    def with_gradient(self, points: Points) -> tuple[Array, Array]:
        """α and ∂α/∂x at every point."""
        value, gradient = self.posterior.rule_with_gradient(points, self.rule)
        if self.added is None:
            return value, gradient
        more, slope = self.added.with_gradient(points)
        return value + more, gradient + slope

    def alone(self) -> Score:
        """Without what is added."""
        return self if self.added is None else replace(self, added=None)


NOTHING = math.log(1e-8)
"""An EI that is none, in deviations of the targets: log EI may be thousands below it, and would outweigh whatever is added."""


def compressed(mean: Array, variance: Array, rule: Rule) -> tuple[Array, Array, Array]:
    """A rule whose values below NOTHING, t beneath it, are log(1 + t) beneath it: their order stays, what is added decides."""
    value, by_mean, by_variance = rule(mean, variance)
    beneath = np.maximum(NOTHING - value, 0.0)
    slope = 1.0 / (1.0 + beneath)
    return np.maximum(value, NOTHING) - np.log1p(beneath), slope * by_mean, slope * by_variance


def rule_for(config: Config, best: float, noise: float) -> Rule:
    """The configured acquisition rule for an incumbent value (Thompson sampling has none: its search draws instead)."""
    if config.acquisition == "ei":
        return partial(expected_improvement, best=best)
    if config.acquisition == "augmented-ei":
        return partial(augmented_expected_improvement, best=best, noise=noise)
    if config.acquisition == "ucb":
        return partial(upper_confidence, root_beta=config.exploration)
    if config.noisy:
        return partial(log_augmented_expected_improvement, best=best, noise=noise)
    return partial(log_expected_improvement, best=best)
