"""Kriging believer (App. C.3): pending points are taken to have come out as the model predicts.

Used for the points of a batch and for trials still running alike, so that asynchronous use is the same code. A pending point
that is believed to be the best so far sets the value to beat: else the rest of a batch would crowd around it.
"""

from __future__ import annotations

from casmopolitan.core.gp.posterior import Posterior
from casmopolitan.core.points import Points


def believing(posterior: Posterior, pending: Points) -> Posterior:
    """The posterior conditioned on (z, μ(z)) at the pending points, hyper-parameters kept."""
    if len(pending) == 0:
        return posterior
    mean, _ = posterior.moments(pending)
    return posterior.extended(pending, mean)
