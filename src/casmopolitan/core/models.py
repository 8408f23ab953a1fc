"""The Gaussian processes that are fitted to the history: of the current region (Algorithm 1, line 12), and of all trials."""

from __future__ import annotations

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.ask import Ask
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.model import Model, fit_model, nearest
from casmopolitan.core.gp.posterior import Breakdown
from casmopolitan.core.rng import Purpose, stream
from casmopolitan.core.state import State, design_size


def local_model(this: Ask) -> Model | Breakdown:
    """Fit the Gaussian process of the current region (line 12)."""
    region = None if this.config.data == "all" else this.state.current
    return _fit(this.domain, this.config, this.state, region, this.rng(Purpose.FIT))


def overall_model(domain: Domain, config: Config, seed: int, state: State) -> Model | None:
    """Fit a model of all observations, for predictions and for the best of noisy trials; None if there is no observation."""
    n = len(state.observations)
    model = _fit(domain, config, state, None, stream(seed, n, Purpose.FIT)) if n else None
    return model if isinstance(model, Model) else None


def _fit(domain: Domain, config: Config, state: State, region: int | None, rng: np.random.Generator) -> Model | Breakdown:
    """Fit to the observations of one region, or of all; the fit starts from the last hyper-parameters."""
    points, y = nearest(*state.seen(domain, region), config.capacity)
    sample = state.sample(design_size(config, region or 0), region)
    theta = state.regions[state.current].theta
    return fit_model(domain, config, points, y, sample, None if theta is None else np.array(theta), rng)
