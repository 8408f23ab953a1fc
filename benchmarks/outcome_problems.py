"""Problems with limits or several objectives, each with its exact answer.

The formulas are from the literature that each function names. Two tables of real measurements are read from a folder, like
those of `tables.py`.
"""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np

import casmopolitan as cas
from benchmarks import tables


@dataclass(frozen=True)
class OutcomeProblem:
    """A function with its objectives and limits, and the exact answer.

    best: the best feasible value of one objective. front: the exact front of several, one row per point, in their order.
    """

    space: cas.Space
    measure: Callable[[dict], dict]
    objectives: dict[str, str]
    limits: dict[str, str] = field(default_factory=dict)
    best: float | None = None
    front: np.ndarray | None = None

    @property
    def signs(self) -> np.ndarray:
        return np.array([1.0 if way == "minimize" else -1.0 for way in self.objectives.values()])

    def score(self, found: list[dict | None]) -> float:
        """The best feasible value; with several objectives, the share of the exact hypervolume.

        Objectives are scaled by the best and the worst value of the exact front; the reference point is 1.1 in each.
        """
        rows = [self.signs * [row[name] for name in self.objectives] for row in found if row is not None and self.feasible(row)]
        if self.front is None:
            return float(self.signs[0] * min((row[0] for row in rows), default=math.inf))
        exact = self.signs * self.front
        low, high = exact.min(axis=0), exact.max(axis=0)
        reference = np.full(len(low), 1.1)
        covered = volume((np.array(rows).reshape(-1, len(low)) - low) / (high - low), reference)
        return covered / volume((exact - low) / (high - low), reference)

    def feasible(self, row: dict) -> bool:
        return all(meets(row[name], limit) for name, limit in self.limits.items())


def meets(value: float, limit: str) -> bool:
    relation, bound = limit.split()
    return value <= float(bound) if relation == "<=" else value >= float(bound)


def volume(values: np.ndarray, reference: np.ndarray) -> float:
    """The volume below the reference point that the rows dominate, by slices along the first objective."""
    values = values[(values < reference).all(axis=1)]
    if not len(values):
        return 0.0
    if values.shape[1] == 1:
        return float(reference[0] - values.min())
    values = values[np.argsort(values[:, 0])]
    ends = np.append(values[1:, 0], reference[0])
    return sum(
        (end - row[0]) * volume(values[: k + 1, 1:], reference[1:])
        for k, (row, end) in enumerate(zip(values, ends, strict=True))
    )


def steps(low: float, high: float) -> list[float]:
    return [low + 0.0625 * k for k in range(int((high - low) / 0.0625))]


METALS = {
    "steel": (0.1047, 0.0481, 3e4, 3e7, 12e6),
    "cast iron": (0.0489, 0.0224, 8e3, 14e6, 6e6),
    "aluminium": (0.5235, 0.2405, 5e3, 1e7, 4e6),
    "brass": (0.5584, 0.2566, 8e3, 16e6, 1e7),
}
"""Cost of weld and of bar, strength, Young's modulus and shear modulus (Deb and Goyal, 1996)."""


def beam(c: dict) -> dict:
    """A welded beam that carries 6000 lb at 14 in (Deb and Goyal, 1996): cost, and how far each of five limits is exceeded."""
    weld_cost, bar_cost, strength, young, shear = METALS[c["metal"]]
    h, long, t, b, load, arm = c["h"], c["l"], c["t"], c["b"], 6000.0, 14.0
    upright = math.sqrt(2) * h * long * ((h + t) ** 2 / 4 + long * long / 12)
    area, inertia, radius = math.sqrt(2) * h * long, upright, math.hypot(long, h + t) / 2
    if c["sides"] == 4:
        area, radius = math.sqrt(2) * h * (t + long), max(radius, math.hypot(t, h + long) / 2)
        inertia += math.sqrt(2) * h * t * ((h + long) ** 2 / 4 + t * t / 12)
    direct, torsion = load / area, load * (arm + long / 2) * radius / inertia
    stress = math.sqrt(direct**2 + torsion**2 + 2 * direct * torsion * long / (2 * radius))
    buckling = 4.013 * t * b**3 * math.sqrt(young * shear) / (6 * arm**2) * (1 - t / (4 * arm) * math.sqrt(young / shear))
    return {
        "cost": (1 + weld_cost) * ((t if c["sides"] == 4 else 0) + long) * h * h + bar_cost * t * b * (arm + long),
        "shear": stress - 0.577 * strength,
        "bending": 6 * load * arm / (t * t * b) - strength,
        "thickness": h - b,
        "buckling": load - buckling,
        "deflection": 4 * load * arm**3 / (young * t**3 * b),
    }


def welded_beam() -> OutcomeProblem:
    lengths = {"h": (0.0625, 2.0), "l": (0.1, 10.0), "t": (2.0, 20.0), "b": (0.0625, 2.0)}
    variables = {"sides": cas.Categorical([2, 4]), "metal": cas.Categorical(list(METALS))}
    space = cas.Space(variables | {name: cas.Ordinal(steps(*ends)) for name, ends in lengths.items()})
    limits = dict.fromkeys(("shear", "bending", "thickness", "buckling"), "<= 0") | {"deflection": "<= 0.25"}
    return OutcomeProblem(space, beam, {"cost": "minimize"}, limits, best=1.956046)


def vessel(c: dict) -> dict:
    """A pressure vessel of rolled plate (Sandgren, 1990): cost, spare thickness of shell and head, volume."""
    shell, head, r, long = 0.0625 * c["shell"], 0.0625 * c["head"], c["radius"], c["length"]
    return {
        "cost": 0.6224 * shell * r * long + 1.7781 * head * r * r + 3.1661 * shell**2 * long + 19.84 * shell**2 * r,
        "shell spare": shell - 0.0193 * r,
        "head spare": head - 0.00954 * r,
        "volume": math.pi * r * r * long + 4 / 3 * math.pi * r**3,
    }


def pressure_vessel() -> OutcomeProblem:
    sheets = {"shell": cas.Integer(1, 99), "head": cas.Integer(1, 99)}
    space = cas.Space(sheets | {"radius": cas.Real(10.0, 200.0), "length": cas.Real(10.0, 200.0)})
    limits = {"shell spare": ">= 0", "head spare": ">= 0", "volume": ">= 1296000"}
    return OutcomeProblem(space, vessel, {"cost": "minimize"}, limits, best=6059.7143)


def zdt5() -> OutcomeProblem:
    """Eighty switches (Zitzler, Deb and Thiele, 2000): f1 = 1 + ones of the first 30, f2 = Σ v / f1 over ten groups of five.

    v is 1 for a group of five ones and 2 plus its ones otherwise, which leads away from the front f2 = 10 / f1.
    """

    def measure(c: dict) -> dict:
        bits = np.array([c[f"b{k}"] for k in range(80)])
        f1, ones = 1.0 + bits[:30].sum(), bits[30:].reshape(10, 5).sum(axis=1)
        return {"f1": f1, "f2": float(np.where(ones == 5, 1, 2 + ones).sum() / f1)}

    space = cas.Space({f"b{k}": cas.Categorical([0, 1]) for k in range(80)})
    front = np.array([[f1, 10.0 / f1] for f1 in range(1, 32)])
    return OutcomeProblem(space, measure, {"f1": "minimize", "f2": "minimize"}, front=front)


def gear_train() -> OutcomeProblem:
    """Four gears of 12 to 60 teeth (RE36 of Tanabe and Ishibuchi, 2020): ratio error, largest gear, and excess of the error."""

    def measure(c: dict) -> dict:
        error = abs(6.931 - c["c"] / c["a"] * c["d"] / c["b"])
        return {"error": error, "size": float(max(c.values())), "excess": max(0.0, error / 6.931 - 0.5)}

    space = cas.Space({name: cas.Integer(12, 60) for name in "abcd"})
    return OutcomeProblem(space, measure, dict.fromkeys(("error", "size", "excess"), "minimize"), front=gear_front())


@cache
def gear_front() -> np.ndarray:
    """The exact front, by enumeration of all ratios of two pairs of gears."""
    best: dict[int, float] = {}
    teeth = range(12, 61)
    pairs = [(i * j, max(i, j)) for i, j in itertools.combinations_with_replacement(teeth, 2)]
    products, largest = np.array([p for p, _ in pairs]), np.array([m for _, m in pairs])
    for product, size in pairs:
        errors, sizes = np.abs(6.931 - products / product), np.maximum(largest, size)
        for k in np.flatnonzero(errors <= errors.min() + 7.0):
            best[int(sizes[k])] = min(float(errors[k]), best.get(int(sizes[k]), math.inf))
    rows, least = [], math.inf
    for size in sorted(best):
        if best[size] < least:
            least = best[size]
            rows.append([least, float(size), max(0.0, least / 6.931 - 0.5)])
    return np.array(rows)


TABLES = {
    "arylation-yield-cost": ({"yield": "maximize", "cost": "minimize"}, ("concentration", "temperature")),
    "lipid-particles": (
        {"drug_loading": "maximize", "encap_efficiency": "maximize", "particle_diameter": "minimize"},
        ("drug_input", "solid_lipid_input", "liquid_lipid_input", "surfractant_input"),
    ),
}
"""Objectives and ordered variables of the tables with several outcomes."""


def measured_table(name: str, limits: dict[str, str] | None = None) -> OutcomeProblem:
    """Return a table of real measurements; with limits, only its first objective. Rows that it lacks are failed trials."""
    objectives, ordered = TABLES[name]
    with tables.opened(tables.path_of(name)) as file:
        rows = list(csv.DictReader(file))
    columns = [column for column in rows[0] if column not in objectives]
    space = cas.Space({c: tables.variable([row[c] for row in rows], c in ordered) for c in columns})
    outcomes = {tuple(row[c] for c in columns): {name: float(row[name]) for name in objectives} for row in rows}
    wanted = objectives if limits is None else dict(itertools.islice(objectives.items(), 1))

    def measure(c: dict) -> dict | cas.trial.Failed:
        return outcomes.get(tuple(c[column] for column in columns), cas.FAILED)

    whole = OutcomeProblem(space, measure, wanted, limits or {})
    if limits is not None:
        return OutcomeProblem(space, measure, wanted, limits, best=whole.score(list(outcomes.values())))
    values = np.array([[row[name] for name in wanted] for row in outcomes.values()])
    signed = whole.signs * values
    front = [k for k, row in enumerate(signed) if not ((signed <= row).all(axis=1) & (signed < row).any(axis=1)).any()]
    return OutcomeProblem(space, measure, wanted, front=np.unique(values[front], axis=0))


PROBLEMS: dict[str, Callable[[], OutcomeProblem]] = {
    "welded-beam": welded_beam,
    "pressure-vessel": pressure_vessel,
    "zdt5": zdt5,
    "gear-train": gear_train,
    "arylation-yield-cost": lambda: measured_table("arylation-yield-cost"),
    "lipid-particles": lambda: measured_table("lipid-particles"),
    "arylation-cheap": lambda: measured_table("arylation-yield-cost", {"cost": "<= 0.03"}),
}
"""The problems by name. The last three need `--tables FOLDER`."""
