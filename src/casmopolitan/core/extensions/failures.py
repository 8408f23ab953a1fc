"""Beyond the paper: where trials fail, what is learnt from that."""

from __future__ import annotations

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.feasibility import SuccessModel, fit_success_model
from casmopolitan.core.gp.model import nearest
from casmopolitan.core.points import Points, stack
from casmopolitan.core.state import State


def succeeding(domain: Domain, config: Config, state: State, rng: np.random.Generator) -> SuccessModel | None:
    """The model of which trials succeed, of all regions; None where none has failed or failures are not learnt from.

    At most half the capacity goes to failures, the latest.
    """
    if not state.failures or config.failures != "learnt" or config.acquisition != "log-ei":
        return None
    latest = state.failures[-max(1, config.capacity // 2) :]
    failed, (points, _) = stack(list(latest)), nearest(*state.seen(domain), max(1, config.capacity - len(latest)))
    return fit_success_model(domain, config, points, failed, rng)


def hopeful(points: Points, success: SuccessModel | None) -> tuple[Points, float | None]:
    """The first of the points that will sooner succeed than fail, or else the likeliest to, and how likely it is."""
    if success is None:
        return points[0], None
    P = success.probability(points)
    i = int(np.argmax(np.minimum(P, 0.5)))
    return points[i], float(P[i])
