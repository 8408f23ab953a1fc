"""Textbook functions on eleven levels per variable, whose order is hidden: all variables are categorical (MCBO's SFU tasks)."""

from __future__ import annotations

from functools import partial

import numpy as np

from casmopolitan.errors import DataError
from casmopolitan.problems import functions
from casmopolitan.problems.problem import Configuration, Optimum, Problem, numbered, vector
from casmopolitan.space import Categorical, Space

LEVELS = 11

SEPARABLE = {
    "levy": (functions.levy, -10.0, 10.0),
    "rastrigin": (functions.rastrigin, -5.12, 5.12),
    "schwefel": (functions.schwefel, -500.0, 500.0),
    "sphere": (functions.sphere, -5.12, 5.12),
    "styblinski-tang": (functions.styblinski_tang, -5.0, 5.0),
}
"""Sums of functions of one variable: the best level of each variable does not depend on the others."""

WHOLE = {
    "ackley": (functions.ackley, -32.768, 32.768, 0.0),
    "griewank": (functions.griewank, -600.0, 600.0, 0.0),
    "rosenbrock": (functions.rosenbrock, -5.0, 10.0, 1.0),
}
"""Functions whose minimum is 0, with every variable at the same level: the last number."""


def nominal(function: str, n: int = 20) -> Problem:
    """Return the function on linspace(low, high, 11)^n, with the levels as choices without order."""
    if n < 2:
        raise DataError(f"sfu-{function}-{n}: take n >= 2 variables")
    of, low, high = (SEPARABLE | {name: entry[:3] for name, entry in WHOLE.items()})[function]
    levels = [round(float(level), 12) + 0.0 for level in np.linspace(low, high, LEVELS)]
    best = [WHOLE[function][3]] * n if function in WHOLE else separable_minimum(of, levels, n)
    names = numbered("x", n)
    return Problem(
        name=f"sfu-{function}-{n}",
        space=Space({name: Categorical(levels) for name in names}),
        function=partial(_value, names=names, of=of),
        source="Dreczkowski et al. 2023 (MCBO); Surjanovic & Bingham, virtual library",
        optimum=Optimum(of(np.array(best)), dict(zip(names, best, strict=True)), exact=True),
    )


def separable_minimum(of: functions.Of, levels: list[float], n: int) -> list[float]:
    """Return the minimiser of a sum of functions of one variable: the best level of each, with the others fixed."""
    z = np.full(n, levels[0])
    for i in range(n):
        z[i] = min(levels, key=lambda level: of(np.concatenate([z[:i], [level], z[i + 1 :]])))
    return [float(level) for level in z]


def _value(configuration: Configuration, names: tuple[str, ...], of: functions.Of) -> float:
    """Return the function at the chosen levels."""
    return of(vector(configuration, names))
