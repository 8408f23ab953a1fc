"""Contamination control (App. C.1; Hu et al. 2010): choose the stages of a food chain at which to pay for prevention."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from casmopolitan.problems.problem import Array, Configuration, Optimum, Problem, numbered, vector
from casmopolitan.space import Categorical, Space

RUNS = 100
THRESHOLD = 0.1
TARGET = 0.95
NOISE = 0.1
"""Standard deviation of the noisy variant: variance 0.01 (App. B.2)."""

BEST = {
    42: "1101101011010110101101010",
    621: "1011010110110110110110110",
    8919: "1010101101101101101110100",
    2362: "0110111011101101011010110",
    2303: "1011101101110101101101100",
    6555: "1010111011101011011011010",
    0: "1010110110110110110110110",
}
"""Seed -> the optimal point of 25 stages, by enumeration; the same for every λ in [0, 0.01]."""


@dataclass(frozen=True, eq=False)
class Chain:
    """One instance: initial contamination (runs,), spread and effect of prevention (stages, runs)."""

    initial: Array
    spread: Array
    effect: Array


def chain(stages: int, seed: int) -> Chain:
    """Z_0 ~ Beta(1, 30), Λ_i ~ Beta(1, 17/3), Γ_i ~ Beta(1, 3/7), each from its own RandomState(seed)."""
    return Chain(
        np.random.RandomState(seed).beta(1, 30, RUNS),
        np.random.RandomState(seed).beta(1, 17 / 3, (stages, RUNS)),
        np.random.RandomState(seed).beta(1, 3 / 7, (stages, RUNS)),
    )


def costs(x: Array, instance: Chain, penalty: float) -> Array:
    """f(x) = Σ_i [ x_i − ( mean_k 1{Z_ik < 0.1} − 0.95 ) ] + λ Σ_i x_i, one value per row of x (n, stages).

    Z_i = Λ_i (1 − x_i)(1 − Z_{i−1}) + (1 − Γ_i x_i) Z_{i−1}
    """
    z = np.broadcast_to(instance.initial, (len(x), RUNS))
    clean = np.zeros(len(x))
    for i, (spread, effect) in enumerate(zip(instance.spread, instance.effect, strict=True)):
        treated = x[:, i : i + 1]
        z = spread * (1 - treated) * (1 - z) + (1 - effect * treated) * z
        clean += (z < THRESHOLD).mean(axis=1) - TARGET
    total: Array = x.sum(axis=1) * (1 + penalty) - clean
    return total


def contamination(stages: int = 25, *, seed: int = 42, penalty: float = 1e-2, noisy: bool = False) -> Problem:
    """x_i = 1: prevention at stage i. `penalty` is the λ on the number of preventions; `noisy` adds N(0, 0.01)."""
    names = numbered("x", stages)
    function = partial(_cost, names=names, instance=chain(stages, seed), penalty=penalty)
    optimum = None
    if stages == 25 and seed in BEST and 0 <= penalty <= 1e-2:
        best = dict(zip(names, map(int, BEST[seed]), strict=True))
        optimum = Optimum(function(best), best, exact=True)
    parts = [f"contamination-{stages}"]
    parts += [f"seed{seed}"] if seed != 42 else []
    parts += [f"lambda{penalty:g}"] if penalty != 1e-2 else []
    parts += ["noisy"] if noisy else []
    return Problem(
        name="-".join(parts),
        space=Space({name: Categorical([0, 1]) for name in names}),
        function=function,
        source="Wan et al. 2021, App. C.1; Hu et al. 2010",
        optimum=optimum,
        noise=NOISE if noisy else 0.0,
    )


def _cost(configuration: Configuration, names: tuple[str, ...], instance: Chain, penalty: float) -> float:
    """Return `costs` of a single configuration."""
    return float(costs(vector(configuration, names)[None], instance, penalty)[0])
