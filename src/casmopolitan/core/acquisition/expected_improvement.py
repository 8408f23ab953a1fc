"""Expected improvement below the incumbent f*:  EI = σ h(u),   u = (f* - μ)/σ,   h(u) = φ(u) + u Φ(u).

u is the distance of the mean below the incumbent, in deviations. log EI keeps its slope if EI itself underflows.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erfcx, ndtr

from casmopolitan.core.points import Array

LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)
TAIL = -25.0
"""Below this u the asymptotic series of the tail is exact to machine precision, and the direct form starts to cancel."""


def phi(u: Array) -> Array:
    """Return the standard normal density."""
    density: Array = np.exp(-0.5 * u * u - LOG_SQRT_2PI)
    return density


def log_h(u: Array) -> tuple[Array, Array, Array]:
    """Return log h(u) with h = φ + u Φ, and the ratios Φ/h and φ/h of its derivatives; accurate for every u.

    u > -1: directly. Below, h/φ = 1 - |u| R with the scaled tail R = Φ/φ, so that no ratio has two terms that underflow. Below
    TAIL, 1 - |u| R is computed by its series 1/u² - 3/u⁴ + 15/u⁶ - ...
    """
    log, tail, density = np.empty_like(u), np.empty_like(u), np.empty_like(u)
    near = u > -1.0
    far = u < TAIL
    mid = ~near & ~far
    if near.any():
        v = u[near]
        p, P = phi(v), ndtr(v)
        h = p + v * P
        log[near], tail[near], density[near] = np.log(h), P / h, p / h
    if mid.any():
        v = u[mid]
        R = math.sqrt(math.pi / 2) * erfcx(-v / math.sqrt(2))
        h = 1.0 + v * R
        log[mid], tail[mid], density[mid] = np.log(h) - 0.5 * v * v - LOG_SQRT_2PI, R / h, 1.0 / h
    if far.any():
        v = np.maximum(u[far], -1e150)
        s = 1.0 / (v * v)
        series, term = np.ones_like(v), np.ones_like(v)
        for k in range(1, 10):
            term = term * -(2 * k + 1) * s
            series += term
        R = math.sqrt(math.pi / 2) * erfcx(-v / math.sqrt(2))
        log[far] = -0.5 * v * v - LOG_SQRT_2PI - 2.0 * np.log(-v) + np.log(series)
        tail[far], density[far] = R / series * v * v, v * v / series
    return log, tail, density


def expected_improvement(mean: Array, variance: Array, best: float) -> tuple[Array, Array, Array]:
    """Return EI, ∂EI/∂μ = -Φ(u), ∂EI/∂σ² = φ(u) / 2σ."""
    deviation = np.sqrt(variance)
    u = (best - mean) / deviation
    density, tail = phi(u), ndtr(u)
    return deviation * np.maximum(density + u * tail, 0.0), -tail, density / (2 * deviation)


def log_expected_improvement(mean: Array, variance: Array, best: float) -> tuple[Array, Array, Array]:
    """Return log EI = log σ + log h(u), and its derivatives by μ and σ²."""
    deviation = np.sqrt(variance)
    u = (best - mean) / deviation
    log, tail, density = log_h(u)
    return np.log(deviation) + log, -tail / deviation, density / (2 * variance)


def augmented_expected_improvement(mean: Array, variance: Array, best: float, noise: float) -> tuple[Array, Array, Array]:
    """Return EI · (1 - τ/√(τ² + σ²)), τ² the noise variance (Huang et al., 2006), and its derivatives by μ and σ²."""
    value, by_mean, by_variance = expected_improvement(mean, variance, best)
    total = noise + variance
    relative_noise = math.sqrt(noise) / np.sqrt(total)
    penalty = 1.0 - relative_noise
    return value * penalty, by_mean * penalty, by_variance * penalty + value * relative_noise / (2 * total)


def log_augmented_expected_improvement(mean: Array, variance: Array, best: float, noise: float) -> tuple[Array, Array, Array]:
    """Return log EI + log(1 - τ/√(τ² + σ²)), and its derivatives by μ and σ².

    Points whose value is known to within the noise are not tried again.
    """
    value, by_mean, by_variance = log_expected_improvement(mean, variance, best)
    total = noise + variance
    penalty = -np.expm1(-0.5 * np.log1p(variance / noise))  # exact for tiny σ²
    return value + np.log(penalty), by_mean, by_variance + math.sqrt(noise) / (2 * total**1.5 * penalty)
