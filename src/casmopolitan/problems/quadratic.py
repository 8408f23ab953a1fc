"""Quadratic functions of bits: binary quadratic programmes (Baptista & Poloczek 2018) and signed maximum cuts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations

import numpy as np

from casmopolitan.errors import DataError
from casmopolitan.problems.problem import Array, Configuration, Optimum, Problem, numbered, vector
from casmopolitan.space import Categorical, Space

EXHAUSTIVE = 20
"""Up to this many bits the optimum is found by enumeration when the problem is built (about 10 ms)."""
BLOCK = 2**20
"""Values computed at a time in an enumeration."""

BEST_CUTS = {
    ("complete", 43, 0): "0010001110011011110100110101000010011011000",
    ("johnson", 28, 0): "1010101011100011110110100010",
}
"""(graph, n, seed) -> the best known point; for the Johnson graph by enumeration, for the complete one by tabu search."""


def minimum(Q: Array) -> tuple[float, list[int]]:
    """Return the minimum of x'Qx over x in {0, 1}^n and its point, by enumeration.

    With x = (a, b) split into halves, x'Qx = a'Q_aa a + b'Q_bb b + a'(Q_ab + Q_ba')b: one matrix of all halves by all halves.
    """
    n = len(Q)
    k = n // 2
    A, B = _bits(k), _bits(n - k)
    of_a = np.einsum("ni,ij,nj->n", A, Q[:k, :k], A)
    of_b = np.einsum("ni,ij,nj->n", B, Q[k:, k:], B)
    mixed = (Q[:k, k:] + Q[k:, :k].T) @ B.T
    rows = max(1, BLOCK // len(B))
    best, where = np.inf, (0, 0)
    for start in range(0, len(A), rows):
        values = of_a[start : start + rows, None] + of_b + A[start : start + rows] @ mixed
        i, j = np.unravel_index(np.argmin(values), values.shape)
        if values[i, j] < best:
            best, where = float(values[i, j]), (start + int(i), int(j))
    return best, [int(bit) for bit in (*A[where[0]], *B[where[1]])]


def bqp(n: int = 10, *, seed: int = 0, alpha: float = 10.0, penalty: float = 0.0) -> Problem:
    """f = x'Qx + λ |x|₁,  Q_ij = N(0, 1) exp(−(i − j)²/α): the smaller α, the nearer to a diagonal matrix."""
    if n < 1 or not alpha > 0:
        raise DataError(f"bqp-{n}: a binary quadratic programme needs n >= 1 bits and α > 0; got α = {alpha:g}")
    i = np.arange(n)
    Q = np.random.RandomState(seed).standard_normal((n, n)) * np.exp(-((i[:, None] - i) ** 2) / alpha)
    Q[i, i] += penalty
    parts = [f"bqp-{n}"]
    parts += [f"seed{seed}"] if seed else []
    parts += [f"alpha{alpha:g}"] if alpha != 10 else []
    parts += [f"lambda{penalty:g}"] if penalty else []
    return _quadratic("-".join(parts), Q, "Baptista & Poloczek 2018 (BOCS)")


def johnson_edges() -> list[tuple[int, int]]:
    """Return the graph johnson8-2-4: the 28 pairs out of 8, connected if they are disjoint; 210 edges."""
    pairs = list(combinations(range(8), 2))
    return [(a, b) for a, b in combinations(range(28), 2) if not set(pairs[a]) & set(pairs[b])]


def maxcut(n: int = 43, *, seed: int = 0, graph: str = "complete") -> Problem:
    """f = −Σ_e w̃_e [x_a ≠ x_b]: a maximum cut with random weights from 1 to 10, standardised, and so of both signs.

    Two-literal MaxSAT with standardised weights has this form. Flipping every bit does not change f.
    """
    edges = johnson_edges() if graph == "johnson" else list(combinations(range(n), 2))
    if len(edges) < 2:
        raise DataError(f"maxcut-{n}: weights of fewer than two edges cannot be standardised; take n >= 3")
    raw = np.random.RandomState(seed).randint(1, 11, len(edges)).astype(float)
    Q = np.zeros((n, n))
    for (a, b), weight in zip(edges, (raw - raw.mean()) / raw.std(), strict=True):
        Q[a, b] += 2 * weight  # −w [x_a ≠ x_b] = 2w x_a x_b − w x_a − w x_b
        Q[a, a] -= weight
        Q[b, b] -= weight
    stem = "maxcut-johnson" if graph == "johnson" else f"maxcut-{n}"
    source = "Oh et al. 2019 (COMBO), the family of its 28- and 43-bit MaxSAT problems"
    known = [int(bit) for bit in BEST_CUTS.get((graph, n, seed), "")]
    return _quadratic(stem + (f"-seed{seed}" if seed else ""), Q, source, known, exact=graph == "johnson")


def _quadratic(name: str, Q: Array, source: str, best: Sequence[int] = (), exact: bool = False) -> Problem:
    """Return the problem x'Qx; its optimum is enumerated if it is small, otherwise taken from `best`."""
    names = numbered("x", len(Q))
    function = partial(_form, names=names, Q=Q)
    if len(Q) <= EXHAUSTIVE:
        best, exact = minimum(Q)[1], True
    point = dict(zip(names, best, strict=True)) if best else None
    return Problem(
        name=name,
        space=Space({variable: Categorical([0, 1]) for variable in names}),
        function=function,
        source=source,
        optimum=Optimum(function(point), point, exact) if point else None,
    )


def _form(configuration: Configuration, names: tuple[str, ...], Q: Array) -> float:
    """x'Qx."""
    x = vector(configuration, names)
    return float(x @ Q @ x)


def _bits(n: int) -> Array:
    """Return all points of {0, 1}^n, one per row."""
    return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(np.float64)
