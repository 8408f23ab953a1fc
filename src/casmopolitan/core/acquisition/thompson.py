"""Thompson sampling: the candidate at which one joint draw of the posterior is lowest."""

from __future__ import annotations

import numpy as np

from casmopolitan.core.gp.posterior import Posterior
from casmopolitan.core.points import Array, Points


def thompson(posterior: Posterior, points: Points, rng: np.random.Generator) -> Array:
    """Return minus one joint draw at the points; the largest entry is the point to evaluate."""
    draw: Array = posterior.sample(points, 1, rng)[0]
    return -draw
