"""Several independent Gaussian processes, one per outcome, evaluated together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from casmopolitan.core.gp.posterior import Crossing, Posterior, Rule
from casmopolitan.core.points import Array, Points


@dataclass(frozen=True, eq=False)
class Joint:
    """Independent posteriors. A rule of them takes μ and σ², and returns its derivatives, with one row per posterior."""

    parts: tuple[Posterior, ...]

    def moments(self, points: Points) -> tuple[Array, Array]:
        """Return μ and σ² of every part at the points: (parts, points) each."""
        means, variances = zip(*(part.moments(points) for part in self.parts), strict=True)
        return np.stack(means), np.stack(variances)

    def crossing(self, points: Points, before: tuple[Crossing, ...] | None = None) -> tuple[Crossing, ...]:
        """Return the crossing of every part; `before` are those of points with the same h."""
        earlier = before or (None,) * len(self.parts)
        return tuple(part.crossing(points, one) for part, one in zip(self.parts, earlier, strict=True))

    def rule_along_x(self, points: Points, rule: Rule) -> Callable[[Array], tuple[Array, Array]]:
        """Return `rule_with_gradient` as a function of x at the h of the points."""
        before = self.crossing(points)
        return lambda x: self.rule_with_gradient(Points(points.h, x), rule, before)

    def rule_with_gradient(self, points: Points, rule: Rule, before: tuple[Crossing, ...] | None = None) -> tuple[Array, Array]:
        """Return a function r of all μ and σ² at every point, and its gradient by x, summed over the parts."""
        crossings = self.crossing(points, before)
        mean, variance = np.stack([c.mean for c in crossings]), np.stack([c.variance for c in crossings])
        value, by_mean, by_variance = rule(mean, variance)
        slopes = zip(self.parts, crossings, by_mean, by_variance, strict=True)
        gradient: Array = sum(
            (part.gradient(points, c, by_m, by_v) for part, c, by_m, by_v in slopes), start=np.zeros_like(points.x)
        )
        return value, gradient
