"""The model of a limit: a Gaussian process of the excess of its outcome, which is at or below zero where the limit is met.

    t = (bilog(excess / unit) - centre) / scale,     bilog(s) = sign(s) log(1 + |s|)

bilog keeps differences near zero, which decide whether a limit is met, and compresses large values (Eriksson and Poloczek,
2021). The centre is the median of the initial sample, to which the process returns far from the data. An excess of zero becomes
the bound -centre / scale. Less noise is assumed than of an objective (`priors.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.model import fit_posterior, nearest_outcomes
from casmopolitan.core.gp.posterior import Breakdown, Posterior
from casmopolitan.core.gp.targets import deviation
from casmopolitan.core.kernels.coding import NO_TASKS
from casmopolitan.core.outcomes import LARGEST, excess_units
from casmopolitan.core.points import Array, Mask, Points
from casmopolitan.core.state import State


@dataclass(frozen=True, eq=False)
class LimitModel:
    """A process of the targets of one limit; the limit is met where they are at or below `bound`."""

    posterior: Posterior
    bound: float

    def met(self, points: Points) -> Mask:
        """Return where the limit is predicted to be met."""
        met: Mask = self.posterior.moments(points)[0] <= self.bound
        return met


def bilog(s: Array) -> Array:
    """Return sign(s) log(1 + |s|)."""
    return np.copysign(np.log1p(np.abs(s)), s)


def fit_limit(
    domain: Domain,
    config: Config,
    points: Points,
    excesses: Array,
    sample: Array,
    start: Array | None,
    rng: np.random.Generator,
    two_starts: bool = False,
) -> LimitModel | None:
    """Fit the model to excesses at the points (n >= 1); None if it breaks down.

    `sample` holds the excesses of the initial points.
    """
    sample = sample if len(sample) > 1 else excesses
    unit = float(excess_units(sample[:, None])[0])
    with np.errstate(over="ignore"):  # larger values are clipped
        t, drawn = (bilog(np.clip(s / unit, -LARGEST, LARGEST)) for s in (excesses, sample))
    centre, scale = float(np.median(drawn)), deviation(t)
    flat = replace(config, mean="zero")
    fitted = fit_posterior(domain, flat, points, (t - centre) / scale, NO_TASKS, start, rng, two_starts, limit=True)
    return None if isinstance(fitted, Breakdown) else LimitModel(fitted[0], -centre / scale)


def fit_limits(
    domain: Domain,
    config: Config,
    state: State,
    region: int | None,
    rng: Callable[[], np.random.Generator],
    two_starts: bool,
) -> dict[int, LimitModel]:
    """Fit each limit to the trials of a region, or of all, in which it is known; return the models that do not break down."""
    outcomes, thetas, found = state.outcomes, state.regions[state.current].thetas, {}
    points, values, drawn = nearest_outcomes(domain, config, state, region)
    excesses, sample = outcomes.excesses(values), outcomes.excesses(drawn)
    for j in range(len(outcomes.limits)):
        known, theta = np.isfinite(excesses[:, j]), thetas.get(outcomes.objectives + j)
        if known.any():
            start = None if theta is None else np.array(theta)
            first = sample[np.isfinite(sample[:, j]), j]
            model = fit_limit(domain, config, points[known], excesses[known, j], first, start, rng(), two_starts)
            if model is not None:
                found[j] = model
    return found
