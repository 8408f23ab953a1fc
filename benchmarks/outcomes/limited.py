"""Problems with limits: a welded beam, a pressure vessel and mixed problems of the Cat-Suite.

The Cat-Suite (Hallé-Hannan and others, 2025) has problems with choices, integers and reals, made from older test problems. The
optima here are at or below its best known values of June 2025.
"""

from __future__ import annotations

import math

import casmopolitan as cas
from benchmarks.outcomes.problem import OutcomeProblem

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


def steps(low: float, high: float) -> list[float]:
    return [low + 0.0625 * k for k in range(int((high - low) / 0.0625))]


def vessel(c: dict) -> dict:
    """A pressure vessel of rolled plate (Sandgren, 1990): cost, spare thickness of shell and head, volume."""
    shell, head, r, long = 0.0625 * c["shell"], 0.0625 * c["head"], c["radius"], c["length"]
    return {
        "cost": 0.6224 * shell * r * long + 1.7781 * head * r * r + 3.1661 * shell**2 * long + 19.84 * shell**2 * r,
        "shell spare": shell - 0.0193 * r,
        "head spare": head - 0.00954 * r,
        "volume": math.pi * r * r * long + 4 / 3 * math.pi * r**3,
    }


VESSEL_LIMITS = {"shell spare": ">= 0", "head spare": ">= 0", "volume": ">= 1296000"}
SHEETS = {"shell": cas.Integer(1, 99), "head": cas.Integer(1, 99)}


def pressure_vessel() -> OutcomeProblem:
    space = cas.Space(SHEETS | {"radius": cas.Real(10.0, 200.0), "length": cas.Real(10.0, 200.0)})
    return OutcomeProblem(space, vessel, {"cost": "minimize"}, VESSEL_LIMITS, best=6059.7143)


def branin(c: dict) -> dict:
    """Cat-cstrs-2: Branin's function with two integers as parameters, and two switches that scale it and its limit."""
    i, j, x, y = c["i"], c["j"], c["x"], c["y"]
    parabola = 15 * y - i / (4 * math.pi**2) * (15 * x - j) ** 2 + i / math.pi * (15 * x - j)
    value = (parabola**2 + (i - 1 / (8 * math.pi)) * math.cos(15 * x - 5) + i - 54.8104) / 51.9496
    factor, slope, needed = {
        "AA": (1.0, 1.0, i / 10),
        "AB": (0.4, 1.5, j / 10),
        "BA": (-0.75, 1.5, i / 5),
        "BB": (-0.5, 1.2, j / 7.5),
    }[c["a"] + c["b"]]
    return {"f": factor * value, "g": needed - slope * x * y}


def cat_branin() -> OutcomeProblem:
    switches = {name: cas.Categorical(["A", "B"]) for name in "ab"}
    integers = {name: cas.Integer(1, 5) for name in "ij"}
    space = cas.Space(switches | integers | {name: cas.Real(0.0, 1.0) for name in "xy"})
    return OutcomeProblem(space, branin, {"f": "minimize"}, {"g": "<= 0"}, best=-5.1273)


P = {"A": (-5, -5, -4), "B": (2.5, 3.5, 4.5), "C": (7.5, 8.5, 10)}
S = {"A": (-5, 2.5, 1), "B": (-5, 4.5, 6.5), "C": (-4, 3, 9)}
"""Two of the variables of G09, by both choices of Cat-cstrs-6."""


def g09(c: dict) -> dict:
    """Cat-cstrs-6: problem G09 (Hock and Schittkowski, 1981) with two integers, and two variables that follow from choices."""
    x, y, z, i, j = c["x"], c["y"], c["z"], c["i"], c["j"]
    p, s = (table[c["a"]]["ABC".index(c["b"])] for table in (P, S))
    f = (x - 10) ** 2 + 5 * (y - 12) ** 2 + z**4 + 3 * (i - 11) ** 2 + 10 * j**6
    return {
        "f": f + 7 * p**2 + s**2 - 4 * p * s - 10 * p - 8 * s,
        "g1": (2 * x**2 + 3 * y**4 + z + 4 * i**2 + 5 * j) / 2 - 127,
        "g2": (7 * x + 3 * y + 10 * z**2 + i - j) / 2 - 282,
        "g3": 23 * x + y**2 + p - 8 * s - 196,
        "g4": 4 * x**2 + y**2 - 3 * x * y + 2 * z**2 + 5 * p - 11 * s,
    }


def cat_g09() -> OutcomeProblem:
    choices = {name: cas.Categorical(["A", "B", "C"]) for name in "ab"}
    integers = {name: cas.Integer(-10, 10) for name in "ij"}
    space = cas.Space(choices | integers | {name: cas.Real(-10.0, 10.0) for name in "xyz"})
    return OutcomeProblem(space, g09, {"f": "minimize"}, dict.fromkeys(("g1", "g2", "g3", "g4"), "<= 0"), best=555.18198)


def goldstein(c: dict) -> dict:
    """Cat-cstrs-7: a polynomial (Pelamatti and others, 2019) of two reals and of two variables with three levels each."""
    x, y, u, v = c["x"], c["y"], c["u"], c["v"]
    alone = 53.3108 + 0.184901 * x - 5.02914e-6 * x**3 + 7.72522e-8 * x**4 - 0.0870775 * y
    alone += -0.106959 * u + 7.98772e-6 * u**3 + 0.00242482 * v + 1.32851e-6 * v**3
    pairs = -0.00146393 * x * y - 0.00301588 * x * u - 0.00272291 * x * v + 0.0017004 * y * u + 0.0038428 * y * v
    pairs -= 0.000198969 * u * v
    triples = 1.86025e-5 * x * y * u - 1.88719e-6 * x * y * v + 2.50923e-5 * x * u * v - 5.62199e-5 * y * u * v
    return {"f": alone + pairs + triples, "g": u * math.sin(x / 100) ** 3 + v * math.sin(y / 10) ** 3}


def cat_goldstein() -> OutcomeProblem:
    levels = {name: cas.Categorical([20, 50, 80]) for name in "uv"}
    space = cas.Space(levels | {name: cas.Real(0.0, 100.0) for name in "xy"})
    return OutcomeProblem(space, goldstein, {"f": "minimize"}, {"g": "<= 0"}, best=38.8)


FORMS = [(20, 0.8, 15, 0.02, 0.0), (50, 0.85, 18, 0.025, 0.3), (10, 0.75, 12, 0.018, -0.4), (40, 0.82, 20, 0.022, 0.5)]
FALLING = (200, 160, 220, 180)
"""Start, slope, height, frequency and phase of the first four forms of Cat-cstrs-11; the start of the four that fall."""


def formed_vessel(c: dict) -> dict:
    """Cat-cstrs-11: the pressure vessel; its radius follows from a real number by one of eight curves.

    Form 5 reaches the vessel's best radius, so its optimum is that of the vessel.
    """
    start, slope, height, frequency, phase = FORMS[c["form"] % 4]
    rise = slope * c["x"] + height * math.sin(frequency * c["x"] + phase)
    radius = start + rise if c["form"] < 4 else FALLING[c["form"] % 4] - rise
    return vessel({"shell": c["shell"], "head": c["head"], "radius": radius, "length": c["length"]})


def cat_vessel() -> OutcomeProblem:
    variables = {"form": cas.Categorical(range(8))} | SHEETS
    space = cas.Space(variables | {"length": cas.Real(10.0, 200.0), "x": cas.Real(10.0, 200.0)})
    return OutcomeProblem(space, formed_vessel, {"cost": "minimize"}, VESSEL_LIMITS, best=6059.7143)


STEEL = (
    (0.2, 0.52, 0.83, 1.13, 1.45),
    (0.27, 0.58, 0.87, 1.19, 1.49),
    (0.33, 0.63, 0.91, 1.24, 1.54),
    (0.38, 0.68, 0.96, 1.3, 1.62),
    (0.42, 0.73, 1.01, 1.35, 1.66),
)
"""Area of steel by both choices of Cat-cstrs-12."""


def concrete(c: dict) -> dict:
    """Cat-cstrs-12: a beam of reinforced concrete; its area of steel follows from two choices."""
    steel, depth, width = STEEL[c["b"]][c["a"]], c["depth"], c["x"] + c["y"]
    return {
        "cost": 29.4 * steel + 0.6 * depth * width,
        "shape": 5 * width - 4 * depth + 2 * steel - 2.5,
        "load": 2.5 * steel**2 + 25 * depth - steel * depth * width - 2.5,
    }


def cat_concrete() -> OutcomeProblem:
    choices = {"a": cas.Categorical(range(5)), "b": cas.Categorical(range(5)), "depth": cas.Integer(28, 40)}
    space = cas.Space(choices | {name: cas.Real(5.0, 10.0) for name in "xy"})
    return OutcomeProblem(space, concrete, {"cost": "minimize"}, {"shape": "<= 0", "load": "<= 0"}, best=303.4)
