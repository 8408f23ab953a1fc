"""Problems with two or three objectives whose front is known: ZDT5, problems of the RE suite, an oil sorbent.

The RE suite (Tanabe and Ishibuchi, 2020) is made of engineering designs. If a design has limits, the sum of their violations is
its last objective. The hypervolumes of RE22, RE23, RE25 and RE35 are from random searches of 10^6 or more points around the
front. Those of the suite's own points, 0.76275, 1.16355, 1.08118 and 1.30325, are equal or up to 0.1 % smaller.
"""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np

import casmopolitan as cas
from benchmarks.outcomes.limited import vessel
from benchmarks.outcomes.problem import OutcomeProblem, volume_between, volume_of


def violation(*spare: float) -> float:
    """The sum of the amounts by which spare quantities, which should not be negative, are below zero."""
    return sum(max(0.0, -value) for value in spare)


def zdt5() -> OutcomeProblem:
    """Eighty switches (Zitzler, Deb and Thiele, 2000): f1 = 1 + ones of the first 30, f2 = Σ v / f1 over ten groups of five.

    v is 1 for a group of five ones and 2 plus its ones otherwise, which leads away from the front f2 = 10 / f1.
    """

    def measure(c: dict) -> dict:
        bits = np.array([c[f"b{k}"] for k in range(80)])
        f1, ones = 1.0 + bits[:30].sum(), bits[30:].reshape(10, 5).sum(axis=1)
        return {"f1": float(f1), "f2": float(np.where(ones == 5, 1, 2 + ones).sum() / f1)}

    space = cas.Space({f"b{k}": cas.Categorical([0, 1]) for k in range(80)})
    front = np.array([[f1, 10.0 / f1] for f1 in range(1, 32)])
    return OutcomeProblem(space, measure, {"f1": "minimize", "f2": "minimize"}, volume=volume_of(front))


STEEL = """0.2 0.31 0.4 0.44 0.6 0.62 0.79 0.8 0.88 0.93 1 1.2 1.24 1.32 1.4 1.55 1.58 1.6 1.76 1.8 1.86 2 2.17 2.2 2.37 2.4
2.48 2.6 2.64 2.79 2.8 3 3.08 3.1 3.16 3.41 3.52 3.6 3.72 3.95 3.96 4 4.03 4.2 4.34 4.4 4.65 4.74 4.8 4.84 5 5.28 5.4 5.53 5.72
6 6.16 6.32 6.6 7.11 7.2 7.8 7.9 8 8.4 8.69 9 9.48 10.27 11 11.06 11.85 12 13 14 15"""
"""Areas of steel that bars can make up (Amir and Hasegawa, 1989)."""


def concrete(c: dict) -> dict:
    steel, width, depth = c["steel"], c["width"], c["depth"]
    load = steel * depth - 7.735 * steel**2 / width - 180
    return {"cost": 29.4 * steel + 0.6 * width * depth, "violation": violation(load, 4 - depth / width)}


def re22() -> OutcomeProblem:
    """A beam of reinforced concrete.

    Its width starts at 0.01 instead of 0, where the load is not defined. No beam of the front is that narrow.
    """
    space = cas.Space(
        {
            "steel": cas.Ordinal([float(area) for area in STEEL.split()]),
            "width": cas.Real(0.01, 20.0),
            "depth": cas.Real(0.0, 40.0),
        }
    )
    volume = volume_between([5.88, 0.0], [361.2629, 180.01547], 0.76334)
    return OutcomeProblem(space, concrete, {"cost": "minimize", "violation": "minimize"}, volume=volume)


def re23() -> OutcomeProblem:
    """The pressure vessel, up to 240 long."""

    def measure(c: dict) -> dict:
        found = vessel(c)
        over = violation(found["shell spare"], found["head spare"], found["volume"] - 1296000)
        return {"cost": found["cost"], "violation": over}

    sheets = {"shell": cas.Integer(1, 100), "head": cas.Integer(1, 100)}
    space = cas.Space(sheets | {"radius": cas.Real(10.0, 200.0), "length": cas.Real(10.0, 240.0)})
    volume = volume_between([15.9018, 0.0], [5850.3831, 1288669.7805], 1.1636)
    return OutcomeProblem(space, measure, {"cost": "minimize", "violation": "minimize"}, volume=volume)


WIRES = [0.092, 0.105, 0.12, 0.135, 0.148, 0.162, 0.177, 0.192, 0.207, 0.225, 0.244, 0.263, 0.283, 0.307, 0.331, 0.362, 0.394]
WIRES += [0.4375, 0.5]
"""The diameters of wire from 0.09, the lower bound of RE25."""


def spring(c: dict) -> dict:
    turns, coil, wire = c["turns"], c["coil"], c["wire"]
    index, most, before = coil / wire, 1000.0, 300.0
    stress = (4 * index - 1) / (4 * index - 4) + 0.615 / index
    stiffness = 11.5e6 * wire**4 / (8 * turns * coil**3)
    solid = 1.05 * (turns + 2) * wire
    length = most / stiffness + solid
    over = violation(
        189000 - 8 * stress * most * coil / (math.pi * wire**3),
        14 - length,
        index - 3,
        6 - before / stiffness,
        length - before / stiffness - (most - before) / stiffness - solid,
        1.25 - (most - before) / stiffness,
    )
    return {"volume": math.pi**2 * coil * wire**2 * (turns + 2) / 4, "violation": over}


def re25() -> OutcomeProblem:
    """A coil spring."""
    space = cas.Space({"turns": cas.Integer(1, 70), "coil": cas.Real(0.6, 3.0), "wire": cas.Ordinal(WIRES)})
    volume = volume_between([0.03759135, 0.0], [0.40397043, 2224669.44], 1.08118)
    return OutcomeProblem(space, spring, {"volume": "minimize", "violation": "minimize"}, volume=volume)


def gearbox(c: dict) -> dict:
    face, module, teeth, l1, l2, d1, d2 = (c[name] for name in ("face", "module", "teeth", "l1", "l2", "d1", "d2"))
    weight = 0.7854 * face * module**2 * (10 * teeth**2 / 3 + 14.933 * teeth - 43.0934)
    weight += -1.508 * face * (d1**2 + d2**2) + 7.477 * (d1**3 + d2**3) + 0.7854 * (l1 * d1**2 + l2 * d2**2)
    first = math.sqrt((745 * l1 / (module * teeth)) ** 2 + 1.69e7) / (0.1 * d1**3)
    second = math.sqrt((745 * l2 / (module * teeth)) ** 2 + 1.575e8) / (0.1 * d2**3)
    over = violation(
        1 / 27 - 1 / (face * module**2 * teeth),
        1 / 397.5 - 1 / (face * module**2 * teeth**2),
        1 / 1.93 - l1**3 / (module * teeth * d1**4),
        1 / 1.93 - l2**3 / (module * teeth * d2**4),
        40 - module * teeth,
        12 - face / module,
        face / module - 5,
        l1 - 1.9 - 1.5 * d1,
        l2 - 1.9 - 1.1 * d2,
        1300 - first,
        1100 - second,
    )
    return {"weight": weight, "stress": first, "violation": over}


def re35() -> OutcomeProblem:
    """A speed reducer."""
    ranges = {"face": (2.6, 3.6), "module": (0.7, 0.8), "l1": (7.3, 8.3), "l2": (7.3, 8.3), "d1": (2.9, 3.9), "d2": (5.0, 5.5)}
    reals = {name: cas.Real(*ends) for name, ends in ranges.items()}
    volume = volume_between([2352.3461, 694.2336, 0.0], [6703.04, 1696.46, 397.83], 1.3033)
    objectives = dict.fromkeys(("weight", "stress", "violation"), "minimize")
    return OutcomeProblem(cas.Space({"teeth": cas.Integer(17, 28)} | reals), gearbox, objectives, volume=volume)


def re36() -> OutcomeProblem:
    """Four gears of 12 to 60 teeth: ratio error, largest gear, and excess of the error.

    The largest gear of the exact front has 49 teeth. The suite's worst point has 56; with it, the scaled hypervolume is the
    published 1.00596 instead of 0.94447.
    """

    def measure(c: dict) -> dict:
        error = abs(6.931 - c["c"] / c["a"] * c["d"] / c["b"])
        return {"error": error, "size": float(max(c.values())), "excess": max(0.0, error / 6.931 - 0.5)}

    space = cas.Space({name: cas.Integer(12, 60) for name in "abcd"})
    objectives = dict.fromkeys(("error", "size", "excess"), "minimize")
    return OutcomeProblem(space, measure, objectives, volume=volume_of(gear_front()))


@cache
def gear_front() -> np.ndarray:
    """The exact front of RE36, by enumeration of all ratios of two pairs of gears."""
    best: dict[int, float] = {}
    pairs = [(i * j, max(i, j)) for i, j in itertools.combinations_with_replacement(range(12, 61), 2)]
    products, largest = np.array([p for p, _ in pairs]), np.array([m for _, m in pairs])
    for product, size in pairs:
        errors, sizes = np.abs(6.931 - products / product), np.maximum(largest, size)
        for k in range(12, 61):
            best[k] = min(float(errors[sizes <= k].min(initial=math.inf)), best.get(k, math.inf))
    rows, least = [], math.inf
    for size in sorted(best):
        if best[size] < least:
            least = best[size]
            rows.append([least, float(size), max(0.0, least / 6.931 - 0.5)])
    return np.array(rows)
