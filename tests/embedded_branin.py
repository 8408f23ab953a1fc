"""Branin's function of two variables among many: a problem of the papers of REMBO and ALEBO."""

from __future__ import annotations

import math
from collections.abc import Mapping

import casmopolitan as cas


def space_of(dimension: int) -> cas.Space:
    return cas.Space({f"x{i}": cas.Real(-1.0, 1.0) for i in range(dimension)})


def branin(configuration: Mapping[str, float]) -> float:
    """Branin's function of x3 and x10 on [-1, 1]², less its minimum."""
    u, v = 7.5 * (configuration["x3"] + 1.0) - 5.0, 7.5 * (configuration["x10"] + 1.0)
    parabola = v - 5.1 * u * u / (4 * math.pi**2) + 5 * u / math.pi - 6
    return parabola**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(u) + 10 - 0.397887
