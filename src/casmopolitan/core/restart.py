"""Eq. (3): the centre of a new region, by GP-UCB on an auxiliary global model of the regions finished so far.

    z_i^(0) = argmax_z  μ_gl(z; D*_{i-1}) + √β_i σ_gl(z; D*_{i-1})

D* holds the best point of every finished region; where that repeats an earlier one, a random observed point of the region
stands in. Here the objective is minimised, so the bound is -μ + √β σ. As App. B.7 says, the maximum is taken over many
random points.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.acquisition.upper_confidence import upper_confidence
from casmopolitan.core.arrays import Array
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.model import Model, fit_model
from casmopolitan.core.points import Points, stack
from casmopolitan.core.search.eligibility import Eligibility

ZETA = 0.1
"""ζ of Theorems 3.3 and 3.4: the bounds hold with probability 1 - ζ."""


@dataclass(frozen=True, eq=False)
class Finished:
    """What a finished region leaves behind: its observations, in the order they came."""

    points: Points
    y: Array


def local_optima(regions: list[Finished], rng: np.random.Generator) -> tuple[Points, Array]:
    """D*: each region's best point, or a random other one of its points when its best repeats an earlier entry."""
    kept: list[Points] = []
    values: list[float] = []
    seen: set[bytes] = set()
    for region in regions:
        i = int(np.argmin(region.y))
        keys = region.points.identities()
        if keys[i] in seen:
            others = [j for j, key in enumerate(keys) if key not in seen]
            i = int(rng.choice(others)) if others else i
        seen.add(keys[i])
        kept.append(region.points[i])
        values.append(float(region.y[i]))
    return stack(kept), np.array(values)


def root_beta(config: Config, domain: Domain, model: Model, restart: int) -> float:
    """√β_i at the i-th restart (D*_{i-1} has i - 1 entries: the very start is the first): a constant, or 'theory'.

    Theorem 3.3 (no continuous variable):  β_i = 2 log( |H| i² π² / 6ζ ).
    Theorem 3.4:  β_i = 2B + 300 γ_i log³(i/ζ),  with B = 1 and γ_i the information gain of D* itself, ½ log |I + σ⁻²K|.
    """
    if config.restart_exploration != "theory":
        return float(config.restart_exploration)
    i = restart
    if domain.d_x == 0:
        log_size = float(np.log(domain.levels.astype(float)).sum())
        return math.sqrt(2 * (log_size + math.log(i * i * math.pi**2 / (6 * ZETA))))
    posterior = model.posterior
    half_log_det = -float(np.log(np.diagonal(posterior.inverse_factor)).sum())
    gain = half_log_det - 0.5 * len(posterior.y) * math.log(posterior.hyperparameters.noise + posterior.jitter)
    return math.sqrt(2 + 300 * max(gain, 0.0) * math.log(i / ZETA) ** 3)


def next_centre(
    domain: Domain,
    config: Config,
    regions: list[Finished],
    eligibility: Eligibility,
    rng: np.random.Generator,
    likely: Callable[[Points], Array] | None = None,
) -> Points | None:
    """Eq. (3): the admitted point of highest UCB; None where no candidate is admitted.

    Where trials fail, `likely` is their probability of success, and those that will sooner fail come last.
    """
    n = min(config.restart_candidates, 100 * (domain.d_h + domain.d_x))
    candidates = domain.draw(n, rng)
    candidates = candidates[eligibility.fresh(candidates)]
    order = np.arange(len(candidates))
    if regions:
        points, y = local_optima(regions, rng)
        model = fit_model(domain, config, points, y, y, None, rng)
        if isinstance(model, Model):
            bound = upper_confidence(*model.posterior.moments(candidates), root_beta(config, domain, model, len(y) + 1))[0]
            order = np.argsort(-bound, kind="stable")
    if likely is not None and len(candidates):
        order = order[np.argsort(likely(candidates)[order] < 0.5, kind="stable")]
    ranked = (candidates[int(i)] for i in order)
    return next((point for point in ranked if domain.allows(point)[0]), None)
