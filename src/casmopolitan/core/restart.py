"""Eq. (3): the centre of a new region, by GP-UCB on an auxiliary global model of the regions finished so far.

    z_i^(0) = argmax_z  μ_gl(z; D*_{i-1}) + √β_i σ_gl(z; D*_{i-1})

D* holds the best point of every finished region; if it repeats an earlier one, a random observed point of the region
replaces it. Here the objective is minimised, so the bound is -μ + √β σ. As App. B.7 says, the maximum is taken over many
random points.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.acquisition.upper_confidence import upper_confidence
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.model import Model, fit_model
from casmopolitan.core.points import Array, Mask, Points, stack
from casmopolitan.core.search.eligibility import Eligibility
from casmopolitan.core.state import State

ZETA = 0.1
"""ζ of Theorems 3.3 and 3.4: the bounds hold with probability 1 - ζ."""


@dataclass(frozen=True, eq=False)
class Finished:
    """The observations of a finished region, in order of completion."""

    points: Points
    y: Array


def finished_regions(
    domain: Domain, state: State, before: int, merits: Callable[[Points, Array], Array] | None = None
) -> list[Finished]:
    """Return the observations of every region below `before` that has any, scored by `merits` if given, otherwise by y."""
    parts = [part for region in range(min(before, len(state.regions))) if len((part := state.seen(domain, region))[1])]
    if merits is None or not parts:
        return [Finished(points, y) for points, y in parts]
    scores = merits(stack([points for points, _ in parts]), np.concatenate([y for _, y in parts]))
    ends = np.cumsum([len(y) for _, y in parts])[:-1]
    return [Finished(points, y) for (points, _), y in zip(parts, np.split(scores, ends), strict=True)]


def local_optima(regions: list[Finished], rng: np.random.Generator) -> tuple[Points, Array]:
    """D*: return the best point of each region, or another of its points at random if the best repeats an earlier entry."""
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
    """Return √β_i at the i-th restart: a constant, or 'theory'. D*_{i-1} has i - 1 entries, so the first start is i = 1.

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
    last_resort: Callable[[Points], Mask] | None = None,
) -> Points | None:
    """Eq. (3): return the eligible point with the highest UCB; None if no candidate is eligible.

    Points that `last_resort` marks are taken only if there are no others.
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
    if last_resort is not None and len(candidates):
        order = order[np.argsort(last_resort(candidates)[order], kind="stable")]
    ranked = (candidates[int(i)] for i in order)
    return next((point for point in ranked if domain.allows(point)[0]), None)
