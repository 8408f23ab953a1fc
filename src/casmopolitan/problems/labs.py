"""Low-autocorrelation binary sequences: find a sequence of signs with the highest merit factor."""

from __future__ import annotations

from functools import partial
from itertools import cycle

import numpy as np

from casmopolitan.errors import DataError
from casmopolitan.problems.problem import Array, Configuration, Optimum, Problem, numbered, vector
from casmopolitan.space import Categorical, Space

BEST = {
    13: "1 1 1 1 2 2 5",
    20: "1 2 3 2 1 1 3 1 1 5",
    25: "2 2 3 6 1 1 1 1 1 2 1 2 1 1",
    30: "1 3 2 3 1 1 1 1 1 2 1 2 1 6 4",
    35: "7 1 2 2 1 2 2 1 1 1 1 2 1 1 1 1 3 3 2",
    40: "4 4 4 1 2 1 1 2 1 3 1 1 2 1 3 1 3 1 3 1",
    45: "8 2 1 2 1 1 2 1 2 3 1 2 3 4 3 2 1 1 1 1 1 1 1",
    50: "7 2 5 4 2 2 2 1 3 1 1 1 1 1 1 3 2 1 1 1 2 1 1 2 1 1",
}
"""n -> an optimal sequence, as lengths of runs of equal signs; the energies are proven (Packebusch & Mertens 2016)."""


def energy(signs: Array) -> float:
    """E = Σ_{k=1}^{n−1} C_k²  with  C_k = Σ_j s_j s_{j+k}."""
    return float(np.sum(np.correlate(signs, signs, "full")[len(signs) :] ** 2))


def sequence(runs: str) -> list[int]:
    """Return the signs whose runs of equal sign have the given lengths; the first run is positive."""
    return [sign for sign, length in zip(cycle((1, -1)), map(int, runs.split()), strict=False) for _ in range(length)]


def labs(n: int = 50) -> Problem:
    """s_i in {−1, 1};  f = −n² / (2E), minus the merit factor."""
    if n < 2:
        raise DataError(f"labs-{n}: a sequence of fewer than two signs has no autocorrelation; take n >= 2")
    names = numbered("s", n)
    function = partial(_merit, names=names)
    optimum = None
    if n in BEST:
        best = dict(zip(names, sequence(BEST[n]), strict=True))
        optimum = Optimum(function(best), best, exact=True)
    return Problem(
        name=f"labs-{n}",
        space=Space({name: Categorical([-1, 1]) for name in names}),
        function=function,
        source="Deshwal et al. 2023 (BODi); Packebusch & Mertens 2016",
        optimum=optimum,
    )


def _merit(configuration: Configuration, names: tuple[str, ...]) -> float:
    """−n² / (2E)."""
    return -(len(names) ** 2) / (2 * energy(vector(configuration, names)))
