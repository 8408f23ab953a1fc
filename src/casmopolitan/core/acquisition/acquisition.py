"""An acquisition function under a posterior: a value for each point, and its gradient by x."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
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
from casmopolitan.core.gp.joint import Joint
from casmopolitan.core.gp.posterior import Posterior, Rule
from casmopolitan.core.points import Array, Points


@dataclass(frozen=True, eq=False)
class Score:
    """α(z) of Algorithm 1, line 10, a function of one or several posteriors, plus an `added` score of other posteriors."""

    posterior: Posterior | Joint
    rule: Rule
    added: Score | None = None

    @property
    def parts(self) -> tuple[Posterior, ...]:
        """The posteriors that the rule is a function of."""
        return self.posterior.parts if isinstance(self.posterior, Joint) else (self.posterior,)

    def __call__(self, points: Points) -> Array:
        """Return α at every point."""
        value = self.rule(*self.posterior.moments(points))[0]
        return value if self.added is None else value + self.added(points)

    def everywhere(self, every: Points) -> Array:
        """Return α at every point of a domain without x, listed as by `Domain.every_point`."""
        value = self.from_moments([part.moments_everywhere(every) for part in self.parts])
        return value if self.added is None else value + self.added.everywhere(every)

    def from_moments(self, moments: list[tuple[Array, Array]]) -> Array:
        """Return the value of the rule for given μ and σ² under each posterior, without the added score."""
        if not isinstance(self.posterior, Joint):
            return self.rule(*moments[0])[0]
        return self.rule(np.stack([mean for mean, _ in moments]), np.stack([variance for _, variance in moments]))[0]

    def with_gradient(self, points: Points) -> tuple[Array, Array]:
        """Return α and ∂α/∂x at every point."""
        value, gradient = self.posterior.rule_with_gradient(points, self.rule)
        if self.added is None:
            return value, gradient
        more, slope = self.added.with_gradient(points)
        return value + more, gradient + slope

    def along_x(self, points: Points) -> Callable[[Array], tuple[Array, Array]]:
        """Return α and ∂α/∂x as a function of x at the h of the points. What depends on h alone is computed once."""
        own = self.posterior.rule_along_x(points, self.rule)
        if self.added is None:
            return own
        added = self.added.along_x(points)

        def both(x: Array) -> tuple[Array, Array]:
            (value, gradient), (more, slope) = own(x), added(x)
            return value + more, gradient + slope

        return both

    def chain(self) -> Iterator[Score]:
        """Yield this score, the one added to it, the one added to that, and so on."""
        yield self
        if self.added is not None:
            yield from self.added.chain()

    def alone(self) -> Score:
        """Return the score without the one that is added."""
        return self if self.added is None else replace(self, added=None)


NO_IMPROVEMENT = math.log(1e-8)
"""log EI below which no improvement is expected; 1e-8 deviations of the targets are far less than any trial is worth.

log EI may lie thousands below this, and would outweigh every score that is added to it.
"""


def compressed(mean: Array, variance: Array, rule: Rule) -> tuple[Array, Array, Array]:
    """Return a rule with values NO_IMPROVEMENT - t replaced by NO_IMPROVEMENT - log(1 + t), which keeps their order."""
    value, by_mean, by_variance = rule(mean, variance)
    beneath = np.maximum(NO_IMPROVEMENT - value, 0.0)
    slope = 1.0 / (1.0 + beneath)
    return np.maximum(value, NO_IMPROVEMENT) - np.log1p(beneath), slope * by_mean, slope * by_variance


def rule_for(config: Config, best: float, noise: float, logarithm: bool = False) -> Rule:
    """Return the acquisition function for the incumbent value `best`. Thompson sampling has none: log EI is returned.

    With `logarithm` it is always log EI, so that logarithms of probabilities can be added.
    """
    if logarithm:
        config = replace(config, acquisition="log-ei")
    if config.acquisition == "ei":
        return partial(expected_improvement, best=best)
    if config.acquisition == "augmented-ei":
        return partial(augmented_expected_improvement, best=best, noise=noise)
    if config.acquisition == "ucb":
        return partial(upper_confidence, root_beta=config.exploration)
    if config.noisy:
        return partial(log_augmented_expected_improvement, best=best, noise=noise)
    return partial(log_expected_improvement, best=best)
