"""Textbook functions that several problems use; each takes one vector z of length d and is minimised."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from casmopolitan.problems.problem import Array

Of = Callable[[Array], float]


def ackley(z: Array) -> float:
    """−20 exp(−0.2 √(mean z²)) − exp(mean cos 2πz) + 20 + e;  0 at the origin."""
    return float(20 - 20 * np.exp(-0.2 * np.sqrt(np.mean(z**2))) - np.exp(np.mean(np.cos(2 * np.pi * z))) + math.e)


def rosenbrock(z: Array) -> float:
    """Σ_{i<d} [ 100 (z_{i+1} − z_i²)² + (z_i − 1)² ];  0 at ones."""
    return float(np.sum(100 * (z[1:] - z[:-1] ** 2) ** 2 + (z[:-1] - 1) ** 2))


def levy(z: Array) -> float:
    """sin²(πw_1) + Σ_{i<d} (w_i − 1)²(1 + 10 sin²(πw_i + 1)) + (w_d − 1)²(1 + sin² 2πw_d), w = 1 + (z − 1)/4;  0 at ones."""
    w = 1 + (z - 1) / 4
    middle = np.sum((w[:-1] - 1) ** 2 * (1 + 10 * np.sin(np.pi * w[:-1] + 1) ** 2))
    last = (w[-1] - 1) ** 2 * (1 + np.sin(2 * np.pi * w[-1]) ** 2)
    return float(np.sin(np.pi * w[0]) ** 2 + middle + last)


def branin(z: Array) -> float:
    """(z_2 − 5.1/(4π²) z_1² + 5/π z_1 − 6)² + 10 (1 − 1/(8π)) cos z_1 + 10;  0.397887 on the plane."""
    bowl = (z[1] - 5.1 / (4 * np.pi**2) * z[0] ** 2 + 5 / np.pi * z[0] - 6) ** 2
    return float(bowl + 10 * (1 - 1 / (8 * np.pi)) * np.cos(z[0]) + 10)


def camel(z: Array) -> float:
    """Six-hump camel: (4 − 2.1 z_1² + z_1⁴/3) z_1² + z_1 z_2 + (−4 + 4 z_2²) z_2²;  −1.031628 at ±(0.0898, −0.7126)."""
    a, b = z
    return float((4 - 2.1 * a**2 + a**4 / 3) * a**2 + a * b + (-4 + 4 * b**2) * b**2)


def beale(z: Array) -> float:
    """Σ_k (c_k − z_1 + z_1 z_2^k)², c = 1.5, 2.25, 2.625;  0 at (3, 0.5)."""
    a, b = z
    return float(sum((c - a + a * b**k) ** 2 for k, c in ((1, 1.5), (2, 2.25), (3, 2.625))))


def rastrigin(z: Array) -> float:
    """10 d + Σ [ z_i² − 10 cos 2πz_i ];  0 at the origin."""
    return float(10 * len(z) + np.sum(z**2 - 10 * np.cos(2 * np.pi * z)))


def schwefel(z: Array) -> float:
    """418.9829 d − Σ z_i sin √|z_i|;  about 0 at z_i = 420.9687."""
    return float(418.9829 * len(z) - np.sum(z * np.sin(np.sqrt(np.abs(z)))))


def sphere(z: Array) -> float:
    """Σ z_i²;  0 at the origin."""
    return float(np.sum(z**2))


def styblinski_tang(z: Array) -> float:
    """½ Σ [ z_i⁴ − 16 z_i² + 5 z_i ];  −39.16617 d at z_i = −2.903534."""
    return float(np.sum(z**4 - 16 * z**2 + 5 * z) / 2)


def griewank(z: Array) -> float:
    """Σ z_i²/4000 − Π cos(z_i/√i) + 1;  0 at the origin."""
    return float(np.sum(z**2) / 4000 - np.prod(np.cos(z / np.sqrt(np.arange(1, len(z) + 1)))) + 1)
