"""The logarithm of the probability that an outcome meets its limit."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erfcx, log_ndtr

from casmopolitan.core.points import Array


def log_probability_below(mean: Array, variance: Array, bound: float) -> tuple[Array, Array, Array]:
    """Return log Φ(t) with t = (bound - μ)/σ, and its derivatives by μ and σ²."""
    deviation = np.sqrt(variance)
    t = (bound - mean) / deviation
    log: Array = log_ndtr(t)
    ratio = math.sqrt(2.0 / math.pi) / erfcx(-np.minimum(t, 30.0) / math.sqrt(2.0))  # φ/Φ, accurate even if both underflow
    return log, -ratio / deviation, -0.5 * ratio * t / variance
