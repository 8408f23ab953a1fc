"""An acquisition function bound to a posterior: a number for each point, and its gradient in x."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

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


def rule_for(config: Config, best: float, noise: float) -> Rule:
    """The configured acquisition rule for an incumbent value (Thompson sampling has none: its search draws instead)."""
    if config.acquisition == "ei":
        return partial(expected_improvement, best=best)
    if config.acquisition == "augmented-ei":
        return partial(augmented_expected_improvement, best=best, noise=noise)
    if config.acquisition == "ucb":
        return partial(upper_confidence, root_beta=config.exploration)
    return partial(log_expected_improvement, best=best)
