"""Planted functions with a known structure: "planted:KIND-SIZE-LEVELS-ACTIVE#INSTANCE", such as "planted:sparse-120-2-12#0".

kind      sparse: ACTIVE of SIZE variables matter, alone and in pairs; additive: a sum over single variables; pairwise: mostly
          pairs; rugged: each variable interacts with three others (an NK landscape)
numbers   "planted:sparse-40-3-6+3#0" adds three continuous variables whose best values depend on a choice
noise     "planted:sparse-40-3-6~0.2#0" adds Gaussian noise with that share of the function's deviation to what methods see

Instances below 100 are for tuning, the others for judging.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

import casmopolitan as cas

PREFIX = "planted:"
PURPOSE = 20210722
"""Sets these functions' random numbers apart from every other stream."""

PATTERN = re.compile(r"(sparse|additive|pairwise|rugged)-(\d+)-(\d+)-(\d+)(?:\+(\d+))?(?:~([\d.]+))?#(\d+)")

TUNING = (
    "sparse-120-2-12", "sparse-40-3-6", "additive-20-4-20", "pairwise-30-2-30", "rugged-20-2-20", "sparse-30-2-6+3",
    "pairwise-12-3-12~0.2",
)  # fmt: skip
"""The functions of the suite "planted"; the suite "planted-judge" has other instances and sizes."""

JUDGING = (
    "sparse-120-2-12", "sparse-200-2-10", "sparse-60-4-8", "sparse-80-2-16", "additive-30-3-30", "pairwise-40-2-40",
    "rugged-25-2-25", "sparse-40-2-8+4", "pairwise-16-3-16~0.2",
)  # fmt: skip


def names(judging: bool) -> list[str]:
    chosen, first = (JUDGING, 100) if judging else (TUNING, 0)
    return [f"{PREFIX}{name}#{first + i % 2}" for name in chosen for i in range(2)]


@dataclass(frozen=True, eq=False)
class Planted:
    """The sum of a table per active variable, a table per interaction, and a bowl in the numbers."""

    kind: str
    size: int
    levels: int
    active: int
    numbers: int
    instance: int
    names: tuple[str, ...] = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "names", tuple(f"v{i}" for i in range(self.size)))

    @cached_property
    def parts(self):
        """Main effects (active, levels), interactions as (variables, table), and the centre of the bowl per choice."""
        rng = np.random.default_rng([PURPOSE, self.instance, self.size, self.levels, self.active])
        which = rng.permutation(self.size)[: self.active]
        strength = {"sparse": 1.5, "additive": 1.0, "pairwise": 0.3, "rugged": 0.0}[self.kind]
        single = strength * rng.normal(size=(self.active, self.levels))
        count, order = {"sparse": (2, 2), "additive": (0, 2), "pairwise": (3, 2), "rugged": (1, 4)}[self.kind]
        terms = []
        for i in range(count * self.active):
            others = [j for j in range(self.active) if j != i % self.active]
            variables = np.r_[i % self.active, rng.choice(others, order - 1, replace=False)]
            terms.append((variables, rng.normal(size=(self.levels,) * order)))
        return which, single, terms, 0.2 + 0.6 * rng.random((self.levels, self.numbers))

    def __call__(self, configuration):
        which, single, terms, centre = self.parts
        h = np.array([configuration[self.names[j]] for j in which])
        total = single[np.arange(self.active), h].sum() + sum(table[tuple(h[variables])] for variables, table in terms)
        x = np.array([configuration[f"x{k}"] for k in range(self.numbers)])
        return float(total + 4.0 * ((x - centre[h[0]]) ** 2).sum())


def planted(name: str) -> cas.problems.Problem:
    """The problem of a name without its prefix."""
    match = PATTERN.fullmatch(name)
    if not match:
        raise SystemExit(f"{PREFIX}{name} does not name a planted function, such as {PREFIX}sparse-120-2-12#0.")
    kind, size, levels, active, numbers, noise, instance = match.groups()
    function = Planted(kind, int(size), int(levels), int(active), int(numbers or 0), int(instance))
    choices = {variable: cas.Categorical(range(function.levels)) for variable in function.names}
    space = cas.Space(choices | {f"x{k}": cas.Real(0.0, 1.0) for k in range(function.numbers)})
    spread = 0.0
    if noise:
        sample = space.sample(200, np.random.default_rng([PURPOSE, function.instance]))
        spread = float(noise) * float(np.std([function(configuration) for configuration in sample]))
    return cas.problems.Problem(name, space, function, "planted", noise=spread, seed=function.instance)
