"""GP-UCB (Srinivas et al., 2010) for a minimiser:  -μ + √β σ."""

from __future__ import annotations

import numpy as np

from casmopolitan.core.points import Array


def upper_confidence(mean: Array, variance: Array, root_beta: float) -> tuple[Array, Array, Array]:
    """Return the optimistic value, and its derivatives by μ and σ²."""
    deviation = np.sqrt(variance)
    return root_beta * deviation - mean, np.full_like(mean, -1.0), 0.5 * root_beta / deviation
