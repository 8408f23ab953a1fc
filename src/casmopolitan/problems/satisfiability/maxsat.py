"""Weighted maximum satisfiability (App. C.1), from a WCNF file or as a forced-satisfiable Model RB instance."""

from __future__ import annotations

import math
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np

from casmopolitan.errors import DataError
from casmopolitan.problems.problem import Array, Configuration, Optimum, Problem, numbered, vector
from casmopolitan.problems.satisfiability.wcnf import Formula, formula, read
from casmopolitan.space import Categorical, Space

TIGHTNESS = 0.25
"""p of Model RB: the share of value pairs that one constraint forbids."""
DENSITY = 0.8 / math.log(4 / 3)
"""r of Model RB: r · n ln n constraints between n variables put the instance at the threshold of satisfiability."""


def weights(instance: Formula, standardised: bool) -> Array:
    """Return the weights of all clauses, including hard ones, raw or as (w − mean) / std (population)."""
    raw = instance.weights
    if not standardised:
        return raw
    if raw.std() == 0:
        raise DataError("All clauses have the same weight, so their weights cannot be standardised; pass standardised=False")
    standard: Array = (raw - raw.mean()) / raw.std()
    return standard


def maxsat(path: str | Path, *, standardised: bool = True) -> Problem:
    """Return the problem of a WCNF file:  f = −Σ_c w_c [c satisfied].

    Args:
        path: The file, plain or gzipped.
        standardised: Whether the weights are standardised, as in the paper's experiments.

    Returns:
        The problem.

    Raises:
        DataError: If the file cannot be read.
    """
    name = Path(path).name.removesuffix(".gz").removesuffix(".wcnf")
    return from_formula(
        read(path), f"maxsat:{name}" + ("" if standardised else "-raw"), f"the WCNF file {name}", standardised=standardised
    )


def from_formula(
    instance: Formula, name: str, source: str, *, standardised: bool, best: tuple[int, ...] | None = None
) -> Problem:
    """Return the problem of a formula; `best` is an optimal point, if one is known."""
    names = numbered("x", instance.n)
    function = partial(_loss, names=names, instance=instance, weights=weights(instance, standardised))
    point = dict(zip(names, best, strict=True)) if best is not None else None
    return Problem(
        name=name,
        space=Space({variable: Categorical([0, 1]) for variable in names}),
        function=function,
        source=source,
        optimum=Optimum(function(point), point, exact=True) if point is not None else None,
    )


def model_rb(blocks: int, size: int, seed: int) -> tuple[Formula, tuple[int, ...]]:
    """Return a forced-satisfiable instance of Model RB as weighted MaxSAT, and its hidden solution.

    There is one bit per (block, value). Every bit has a soft clause (x_i) of weight 1. Every two values of a block, and every
    pair of values that a constraint forbids, have a hard clause (not a or not b) of weight n + 1. Each of the r n ln n
    constraints takes two random blocks and forbids a share p of their pairs of values, never the pair of the hidden solution.
    """
    rng = np.random.RandomState(seed)
    hidden = rng.randint(0, size, blocks)
    edges = {(b * size + i, b * size + j) for b in range(blocks) for i, j in combinations(range(size), 2)}
    for _ in range(round(DENSITY * blocks * math.log(blocks))):
        a, b = sorted(int(block) for block in rng.choice(blocks, 2, replace=False))
        allowed = [(i, j) for i in range(size) for j in range(size) if (i, j) != (hidden[a], hidden[b])]
        chosen = rng.choice(len(allowed), round(TIGHTNESS * size**2), replace=False)
        edges |= {(a * size + allowed[k][0], b * size + allowed[k][1]) for k in chosen}
    n = blocks * size
    soft: list[tuple[float, bool, tuple[int, ...]]] = [(1, False, (i + 1,)) for i in range(n)]
    solution = np.zeros((blocks, size), dtype=int)
    solution[np.arange(blocks), hidden] = 1
    bits = tuple(int(bit) for bit in solution.ravel())
    return formula(n, soft + [(n + 1, True, (-a - 1, -b - 1)) for a, b in sorted(edges)]), bits


def maxsat_model_rb(n: int = 60, *, seed: int = 0, raw: bool = False) -> Problem:
    """Return the paper's 60-bit MaxSAT problem on a generated instance of the same family: 10 blocks of 6 values.

    With standardised weights, soft clauses have negative weights, so the optimum is all zeros:
    f = f(0) − w̃_soft |x|₁ + w̃_hard #{edges with both ends 1}. With raw weights it is the hidden solution, a largest
    independent set.
    """
    if n != 60:
        raise DataError(f"maxsat-{n}: the built-in instance has 60 variables. For others use problems.maxsat with a file")
    instance, hidden = model_rb(10, 6, seed)
    return from_formula(
        instance,
        f"maxsat-{n}" + (f"-seed{seed}" if seed else "") + ("-raw" if raw else ""),
        "Wan et al. 2021, App. C.1; Model RB of Xu & Li 2000",
        standardised=not raw,
        best=hidden if raw else (0,) * n,
    )


def _loss(configuration: Configuration, names: tuple[str, ...], instance: Formula, weights: Array) -> float:
    """−Σ_c w_c [c satisfied]."""
    return -float(weights[instance.satisfied(vector(configuration, names) == 1)].sum())
