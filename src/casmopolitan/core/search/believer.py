"""Kriging believer (App. C.3): pending trials are assumed to come out as the model predicts.

These are earlier points of a batch and trials that are still running. A pending point with the best predicted value sets
the value to improve on; otherwise the rest of a batch would crowd around it.
"""

from __future__ import annotations

from casmopolitan.core.gp.posterior import Posterior
from casmopolitan.core.points import Points


def kriging_believer(posterior: Posterior, pending: Points) -> Posterior:
    """Return the posterior conditioned on (z, μ(z)) at the pending points, with the same hyperparameters."""
    if len(pending) == 0:
        return posterior
    mean, _ = posterior.moments(pending)
    return posterior.extended(pending, mean)
