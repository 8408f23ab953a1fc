"""An oil sorbent of electrospun fibres: three quadratic functions of two reals and five ordinals (Wang and others, 2020)."""

from __future__ import annotations

import numpy as np

import casmopolitan as cas
from benchmarks.outcomes.problem import OutcomeProblem, Volume

LEVELS = {
    "v2": [0.7, 1, 1.4, 1.7, 2],
    "v3": [12, 15, 18, 21, 24],
    "v4": [0.12, 0.135, 0.15, 0.165, 0.18],
    "v6": [16, 20, 26, 28],
    "v7": [0.41, 0.6, 0.84, 1.32],
}
"""The levels of the ordinals; the functions take each divided by its largest."""

NAMES = ("v1", "v2", "v3", "v4", "v5", "v6", "v7")


def quadratic(constant: float, linear: list[float], upper: list[list[float]]) -> np.ndarray:
    """Return the matrix A of v A v with v = (1, v1, ..., v7), from the upper triangle of the squares and products."""
    matrix = np.zeros((8, 8))
    matrix[0] = [constant, *linear]
    for i, row in enumerate(upper, start=1):
        matrix[i, i:] = row
    return matrix


OUTCOMES = {
    "contact angle": quadratic(
        -197.0928,
        [-78.3309, 98.6355, 300.0701, 89.8360, 208.2343, 332.9341, 135.6621],
        [
            [-16.7536, -11.0715, 201.8934, 17.1270, 2.5198, -109.3922, 30.1607],
            [-45.6507, -46.1790, 19.2888, -102.9493, -19.1245, 53.6297],
            [-91.4134, -73.0649, -37.7181, -219.1268, -55.3704],
            [0.0, 3.8778, -6.9252, -105.1650],
            [-76.8701, -34.3181, -36.3892],
            [0.0, -82.3222],
            [0.0],
        ],
    ),
    "absorbed oil": quadratic(
        -212.8531,
        [245.7998, -127.3395, 305.8461, 638.1605, 301.2118, -451.3796, -115.5485],
        [
            [0.0, 42.8351, 262.3775, -103.5274, -196.1568, -394.7975, -176.3341],
            [0.0, 74.8291, 4.1557, -133.8683, 65.8711, -42.6911],
            [0.0, -323.9363, -107.3983, -323.2353, 46.9172],
            [-286.0182, -144.4199, 272.3729, 49.0799],
            [0.0, 318.4706, -236.2498],
            [393.5992, 252.4848],
            [0.0],
        ],
    ),
    "strength": quadratic(
        7.7696,
        [15.4344, -10.6190, -17.9367, 17.1385, 2.5026, -24.3010, 10.6058],
        [
            [-18.7356, -1.2041, -37.2207, -3.2265, 7.3121, 52.3994, 9.7485],
            [12.1928, -15.9371, -1.1706, -2.6297, 7.0225, -1.4938],
            [0.0, 30.2786, 14.5061, 48.5021, -11.4857],
            [-17.5460, -3.1381, -14.9747, 4.5204],
            [5.4997, -17.6907, -19.2489],
            [-26.2718, -9.8219],
            [0.0],
        ],
    ),
}


def sorbent(c: dict) -> dict:
    v = np.array([1.0, *(c[name] / LEVELS[name][-1] if name in LEVELS else c[name] for name in NAMES)])
    return {name: float(v @ matrix @ v) for name, matrix in OUTCOMES.items()}


def oil_sorbent() -> OutcomeProblem:
    """Maximise all three. The reference point is that of Daulton and others (2022).

    The hypervolume is from a random search of 3 · 10^6 points. Their estimate, 1279774.75, is smaller than that of a grid.
    """
    space = cas.Space({name: cas.Ordinal(LEVELS[name]) if name in LEVELS else cas.Real(0.0, 1.0) for name in NAMES})
    volume = Volume(np.array([-125.3865, -57.8292, 43.2665]), 1.485e6)
    return OutcomeProblem(space, sorbent, dict.fromkeys(OUTCOMES, "maximize"), volume=volume)
