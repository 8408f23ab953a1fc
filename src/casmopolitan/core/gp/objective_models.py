"""The models of several objectives: an independent Gaussian process for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.model import Model, fit_model, nearest_outcomes, overall_model
from casmopolitan.core.gp.posterior import Breakdown
from casmopolitan.core.rng import Purpose, stream
from casmopolitan.core.state import State


def fit_objectives(
    domain: Domain,
    config: Config,
    state: State,
    region: int | None,
    rng: Callable[[], np.random.Generator],
    two_starts: bool,
    refit: bool = True,
) -> tuple[Model, ...] | Breakdown:
    """Fit each objective to the trials of a region, or of all, in which it is known; return the first breakdown, if any.

    'bowl' means 'clear-bowl': with several objectives, good points lie at the ends of ranges more often.
    Unless `refit`, an objective with recorded hyperparameters keeps them, and only its data are new.
    Every fit starts with the same random numbers, so that the order of the objectives does not matter.
    """
    if config.mean == "bowl":
        config = replace(config, mean="clear-bowl")
    points, values, sample = nearest_outcomes(domain, config, state, region)
    thetas, found = state.regions[state.current].thetas, []
    for j in range(state.outcomes.objectives):
        known, drawn = np.isfinite(values[:, j]), np.isfinite(sample[:, j])
        if not known.any():
            return Breakdown("an objective has no value yet")
        theta = state.regions[state.current].theta if j == 0 else thetas.get(j)
        start = None if theta is None else np.array(theta)
        model = fit_model(domain, config, points[known], values[known, j], sample[drawn, j], start, rng(), two_starts, refit)
        if isinstance(model, Breakdown):
            return model
        found.append(model)
    return tuple(found)


def overall_models(domain: Domain, config: Config, seed: int, state: State) -> tuple[Model, ...] | None:
    """Fit all objectives to all observations, for predictions and for the front of noisy trials; None if that fails."""
    if state.outcomes.objectives == 1:
        model = overall_model(domain, config, seed, state)
        return None if model is None else (model,)
    n = len(state.observations)
    models = fit_objectives(domain, config, state, None, lambda: stream(seed, n, Purpose.FIT), two_starts=True) if n else None
    return models if isinstance(models, tuple) else None
