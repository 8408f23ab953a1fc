"""One domain with every kind of variable, data that see some of its levels, every kernel beside its formula in loops."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.additive import HeatAndAdditive
from casmopolitan.core.kernels.base import Data, Kernel
from casmopolitan.core.kernels.categorical import CategoricalKernel
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.heat import HeatKernel
from casmopolitan.core.kernels.matern import MaternKernel
from casmopolitan.core.kernels.mixed import MixedKernel
from casmopolitan.core.kernels.onehot import OneHotKernel
from casmopolitan.core.kernels.overlap import OverlapKernel
from casmopolitan.core.points import Array, Axis, Points

UNEVEN = np.array([0.0, 0.05, 0.3, 0.35, 0.8, 1.0])
POSITIONS = (None, None, None, None, UNEVEN, np.array([0.0, 0.4, 1.0]), np.array([0.0, 1.0]), UNEVEN)
ORDERED = tuple(j for j, positions in enumerate(POSITIONS) if positions is not None)
SEEN = ([2], [1, 4], [0, 3, 5], [0, 1, 2, 3, 4, 5, 6], [1, 2, 4], [1], [0, 1], [0, 5])
"""The levels that occur in the data: one, two, three and more of categorical variables, inner and outer of ordinal ones."""

Formula = Callable[[Array, "Pair"], float]


@dataclass(frozen=True)
class Pair:
    """Two points as a formula sees them: the distances d_j of their discrete variables, and x and x'."""

    d: list[float]
    a: Array
    b: Array


@dataclass(frozen=True)
class Case:
    """A kernel, hyper-parameters that suit it, and its formula."""

    kernel: Kernel
    theta: Array
    formula: Formula


def per_variable(theta: Array, count: int) -> list[float]:
    """One number a variable, the only one repeated without ard."""
    return [float(theta[min(i, len(theta) - 1)]) for i in range(count)]


def categorical(theta: Array, pair: Pair) -> float:
    ells = per_variable(theta, len(pair.d))
    return math.exp(sum(ell * (1 - d) for ell, d in zip(ells, pair.d, strict=True)) / len(pair.d))


def heat(theta: Array, pair: Pair) -> float:
    rates = per_variable(theta, len(pair.d))
    return math.exp(-sum(w * d for w, d in zip(rates, pair.d, strict=True)))


def bent(theta: Array, pair: Pair) -> float:
    lam = float(theta[-1])
    return heat(theta[:-1], Pair([(1 - lam) * d + lam * d**2 for d in pair.d], pair.a, pair.b))


def additive(theta: Array, pair: Pair) -> float:
    rates = per_variable(theta, len(pair.d))
    return sum(w * (1 - d) for w, d in zip(rates, pair.d, strict=True)) / sum(rates)


def overlap(theta: Array, pair: Pair) -> float:
    return sum(1 - d for d in pair.d) / len(pair.d)


def matern_of(r2: float) -> float:
    s = math.sqrt(5 * r2)
    return (1 + s + s * s / 3) * math.exp(-s)


def matern(theta: Array, pair: Pair) -> float:
    ells = per_variable(theta, len(pair.a))
    return matern_of(sum((p - q) ** 2 / ell**2 for p, q, ell in zip(pair.a, pair.b, ells, strict=True)))


def one_hot(ard: bool | str) -> Formula:
    def formula(theta: Array, pair: Pair) -> float:
        first = len(pair.d) if ard is True else 1
        ells_h, ells_x = per_variable(theta[:first], len(pair.d)), per_variable(theta[first:], len(pair.a))
        r2 = sum(2 * d / ell**2 for d, ell in zip(pair.d, ells_h, strict=True))
        r2 += sum((p - q) ** 2 / ell**2 for p, q, ell in zip(pair.a, pair.b, ells_x, strict=True))
        return matern_of(r2)

    return formula


def mixed(discrete: Formula, width_h: int, width_x: int, trade_off: float | str, single: Formula = additive) -> Formula:
    def formula(theta: Array, pair: Pair) -> float:
        k_h, k_x = discrete(theta[:width_h], pair), matern(theta[width_h : width_h + width_x], pair)
        rest = theta[width_h + width_x :]
        if trade_off == "orders":
            alone = k_x * single(theta[:width_h], pair)
            return float(rest[0] * k_x * k_h + rest[1] * k_h + rest[2] * k_x + rest[3] * alone)
        if trade_off == "weights":
            return float(rest[0] * k_x * k_h + rest[1] * k_h + rest[2] * k_x)
        lam = float(rest[0]) if trade_off == "learnt" else float(trade_off)
        return lam * k_x * k_h + (1 - lam) * (k_h + k_x)

    return formula


def cases() -> dict[str, Case]:
    d_h, d_x, rng = len(POSITIONS), 2, np.random.default_rng(7)
    made: dict[str, Case] = {"overlap": Case(OverlapKernel(d_h), np.empty(0), overlap)}
    for ard in (True, False):
        mark = "ard" if ard else "shared"
        wide_h, wide_x = (d_h, d_x) if ard else (1, 1)
        ell_h, rates, ell_x = rng.uniform(0.2, 3.0, wide_h), rng.uniform(0.05, 1.0, wide_h), rng.uniform(0.2, 1.0, wide_x)
        long_h = rng.uniform(1.5, 4.0, wide_h)
        cat, hot, mat = CategoricalKernel(d_h, ard), HeatKernel(d_h, ard), MaternKernel(d_x, ard)
        made[f"categorical, {mark}"] = Case(cat, ell_h, categorical)
        made[f"heat, {mark}"] = Case(hot, rates, heat)
        smooth, rates_and_smoothness = HeatKernel(d_h, ard, ORDERED), np.append(rates, 0.4)
        made[f"smooth heat, {mark}"] = Case(smooth, rates_and_smoothness, bent)
        made[f"matern, {mark}"] = Case(mat, ell_x, matern)
        made[f"one-hot, {mark}"] = Case(OneHotKernel(d_h, d_x, ard), np.concatenate([long_h, ell_x]), one_hot(ard))
        for trade_off, own in ((0.5, []), (0.0, []), (1.0, []), ("learnt", [0.3]), ("weights", [0.5, 0.2, 0.7])):
            formula = mixed(categorical, wide_h, wide_x, trade_off)
            theta = np.concatenate([ell_h, ell_x, own])
            made[f"mixed {trade_off}, {mark}"] = Case(MixedKernel(cat, mat, trade_off), theta, formula)
        for trade_off, own in (("weights", [0.5, 0.2, 0.7]), ("orders", [0.5, 0.2, 0.7, 0.9])):
            made[f"mixed heat {trade_off}, {mark}"] = Case(
                MixedKernel(hot, mat, "weights", HeatAndAdditive(hot) if trade_off == "orders" else None),
                np.concatenate([rates, ell_x, own]),
                mixed(heat, wide_h, wide_x, trade_off),
            )
            made[f"mixed smooth heat {trade_off}, {mark}"] = Case(
                MixedKernel(smooth, mat, "weights", HeatAndAdditive(smooth) if trade_off == "orders" else None),
                np.concatenate([rates_and_smoothness, ell_x, own]),
                mixed(bent, wide_h + 1, wide_x, trade_off, lambda theta, pair: additive(theta[:-1], pair)),
            )
    apart = np.array([2.5, 0.4, 0.7])
    made["one-hot, continuous"] = Case(OneHotKernel(d_h, d_x, "continuous"), apart, one_hot("continuous"))
    made["mixed overlap"] = Case(
        MixedKernel(OverlapKernel(d_h), MaternKernel(d_x), "learnt"),
        np.array([0.3, 0.6, 0.4]),
        mixed(overlap, 0, d_x, "learnt"),
    )
    return made


CASES = cases()


@pytest.fixture(scope="session", params=list(CASES))
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.fixture(scope="session")
def domain() -> Domain:
    levels = np.array([4, 5, 6, 7, 6, 3, 2, 6])
    return Domain(levels, POSITIONS, (Axis(0.0, 1.0), Axis(0.0, 1.0)))


@pytest.fixture(scope="session")
def seen() -> Points:
    """Fourteen points in which exactly the levels of SEEN occur, two of them equal."""
    rng = np.random.default_rng(0)
    columns = [rng.permutation(np.resize(levels, 13)) for levels in SEEN]
    h, x = np.stack(columns, axis=1).astype(np.int64), rng.random((13, 2))
    return Points(np.concatenate([h, h[:1]]), np.concatenate([x, x[:1]]))


@pytest.fixture(scope="session")
def candidates(domain: Domain) -> Points:
    """Twenty-one points in which every level occurs, seen or not."""
    rng = np.random.default_rng(1)
    h = np.stack([rng.permutation(np.resize(np.arange(n), 21)) for n in domain.levels], axis=1)
    return Points(h.astype(np.int64), rng.random((21, 2)))


@pytest.fixture(scope="session")
def data(domain: Domain, seen: Points) -> Data:
    return coded(domain, seen)


@pytest.fixture(scope="session")
def pairwise() -> Callable[[Domain, Formula, Array, Points, Points], Array]:
    """The matrix of a formula, one pair after the other."""

    def matrix(domain: Domain, formula: Formula, theta: Array, left: Points, right: Points) -> Array:
        K = np.empty((len(left), len(right)))
        for i in range(len(left)):
            for k in range(len(right)):
                d = []
                for j, positions in enumerate(domain.positions):
                    a, b = left.h[i, j], right.h[k, j]
                    d.append(float(a != b) if positions is None else abs(float(positions[a]) - float(positions[b])))
                K[i, k] = formula(theta, Pair(d, left.x[i], right.x[k]))
        return K

    return matrix


@pytest.fixture(scope="session", name="cases")
def all_cases() -> dict[str, Case]:
    return CASES
