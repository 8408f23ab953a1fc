"""Sparsifying an Ising model (Baptista & Poloczek 2018; Oh et al. 2019): find the couplings of a grid that can be left out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from casmopolitan.errors import DataError
from casmopolitan.problems.problem import Array, Configuration, Optimum, Problem, numbered, vector
from casmopolitan.space import Categorical, Space

SIDES = {4: 2, 12: 3, 24: 4}
"""Number of edges -> side of the square grid."""

BEST = {
    (12, 0, 1e-4): "111111111101",
    (12, 0, 1e-2): "111111110001",
    (24, 0, 1e-4): "110101111111111111011101",
    (24, 0, 1e-2): "110001111101010111010101",
}
"""(edges, seed, λ) -> the optimal point, by enumeration."""


@dataclass(frozen=True, eq=False)
class Grid:
    """A square grid of spins: p(s) ∝ exp(2 Σ_e J_e s_a s_b).

    couplings (edges,): first the horizontal edges row by row, then the vertical ones; moments (edges,): E_p[s_a s_b].
    """

    side: int
    couplings: Array
    moments: Array


def grid(side: int, seed: int) -> Grid:
    """J_e = ±U(0.05, 5), both signs equally likely; the moments are sums over all 2^(side²) states."""
    rng = np.random.RandomState(seed)
    edges = 2 * side * (side - 1)
    couplings = rng.choice([-1.0, 1.0], edges) * rng.uniform(0.05, 5, edges)
    states = 2 * (np.arange(2 ** (side * side))[:, None] >> np.arange(side * side) & 1) - 1
    spins = states.reshape(-1, side, side)
    across = spins[:, :, :-1] * spins[:, :, 1:]
    down = spins[:, :-1, :] * spins[:, 1:, :]
    products = np.concatenate([across.reshape(len(spins), -1), down.reshape(len(spins), -1)], axis=1)
    energy = 2 * products @ couplings
    p = np.exp(energy - energy.max())
    return Grid(side, couplings, p @ products / p.sum())


def log_partition(side: int, couplings: Array) -> float:
    """log Σ_s exp(2 Σ_e J_e s_a s_b), row by row: the 2^side states of a row are a vector, two rows are joined by a matrix."""
    rows = 2.0 * (np.arange(2**side)[:, None] >> np.arange(side) & 1) - 1
    across = couplings[: side * (side - 1)].reshape(side, side - 1)
    down = couplings[side * (side - 1) :].reshape(side - 1, side)
    within = np.exp(2 * (rows[:, :-1] * rows[:, 1:]) @ across.T)
    total = within[:, 0]
    for r in range(1, side):
        total = (total @ np.exp(2 * (rows * down[r - 1]) @ rows.T)) * within[:, r]
    return float(np.log(total.sum()))


def divergence(x: Array, instance: Grid) -> float:
    """KL(p ‖ q_x) = 2 Σ_e J_e (1 − x_e) E_p[s_a s_b] + log Z_q − log Z_p, where q_x keeps the edges with x_e = 1."""
    kept = instance.couplings * x
    lost = 2 * float(np.sum((instance.couplings - kept) * instance.moments))
    return lost + log_partition(instance.side, kept) - log_partition(instance.side, instance.couplings)


def ising(n: int = 24, *, seed: int = 0, penalty: float = 1e-2) -> Problem:
    """x_e = 1 keeps coupling e of n;  f = KL(p ‖ q_x) + λ |x|₁."""
    if n not in SIDES:
        raise DataError(f"ising-{n}: square grids with 2, 3 and 4 spins per side have 4, 12 and 24 edges; take one of these")
    names = numbered("x", n)
    function = partial(_loss, names=names, instance=grid(SIDES[n], seed), penalty=penalty)
    bits = "1" * n if penalty == 0 else BEST.get((n, seed, penalty))
    best = dict(zip(names, map(int, bits), strict=True)) if bits else None
    parts = [f"ising-{n}"]
    parts += [f"seed{seed}"] if seed else []
    parts += [f"lambda{penalty:g}"] if penalty != 1e-2 else []
    return Problem(
        name="-".join(parts),
        space=Space({name: Categorical([0, 1]) for name in names}),
        function=function,
        source="Baptista & Poloczek 2018 (BOCS); Oh et al. 2019 (COMBO)",
        optimum=Optimum(function(best), best, exact=True) if best else None,
    )


def _loss(configuration: Configuration, names: tuple[str, ...], instance: Grid, penalty: float) -> float:
    """KL(p ‖ q_x) + λ |x|₁."""
    x = vector(configuration, names)
    return divergence(x, instance) + penalty * float(x.sum())
