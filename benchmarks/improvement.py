"""Expected improvement below the best value: EI = σ h(u), h(u) = φ(u) + uΦ(u), u = (best - μ)/σ."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erfcx, ndtr

from casmopolitan.core.points import Array

LARGE = 5.0
"""Above this u, h(u) = u and Φ(u) = 1 to seven digits."""


def improvement(mean: Array, variance: Array, best: float) -> Array:
    """Return EI."""
    deviation = np.sqrt(variance)
    u = (best - mean) / deviation
    value: Array = deviation * np.maximum(np.exp(-0.5 * u * u) / math.sqrt(2 * math.pi) + u * ndtr(u), 0.0)
    return value


def log_improvement(mean: Array, variance: Array, best: float) -> tuple[Array, Array, Array]:
    """Return log EI = log σ + log h(u), and its derivatives by μ and σ². With the ratio R = Φ/φ, h/φ = 1 + uR."""
    deviation = np.sqrt(variance)
    u = np.maximum((best - mean) / deviation, -1e4)
    v, large = np.minimum(u, LARGE), np.maximum(u, LARGE)
    R = math.sqrt(math.pi / 2) * erfcx(-v / math.sqrt(2))
    h = 1.0 + v * R
    log_h = np.where(u > LARGE, np.log(large), np.log(h) - 0.5 * v * v - 0.5 * math.log(2 * math.pi))
    tail, density = np.where(u > LARGE, 1.0 / large, R / h), np.where(u > LARGE, 0.0, 1.0 / h)
    return np.log(deviation) + log_h, -tail / deviation, density / (2.0 * variance)
