"""The record every benchmark problem is: a space, a function on it, and what is known about its optimum."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from casmopolitan.space import Space

Array = NDArray[np.float64]
Configuration = Mapping[str, Any]
Function = Callable[[Configuration], float]
Direction = Literal["minimize", "maximize"]

TOLERANCE = 1e-9
"""How far from the optimum, relative to its size, a value still counts as the optimum: rounding only."""


@dataclass(frozen=True)
class Optimum:
    """The best value, noise not counted; a point that attains it where one is known; and whether it is proven."""

    value: float
    configuration: Configuration | None
    exact: bool
    """True: proven, by enumeration or by construction. False: the best that anybody is known to have found."""


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """A function to optimise over a space: `problem(configuration)` is one evaluation.

    The value is function(configuration), plus a draw of N(0, noise²) where `noise` is not zero. The draws come from a
    generator of the problem's own, started from `seed`: a fresh problem repeats them, and `seeded` gives another series.
    (A copy sent to another process carries the generator along; give each its own by `seeded`.)
    """

    name: str
    space: Space
    function: Function
    source: str
    """Where the problem comes from."""
    optimum: Optimum | None = None
    direction: Direction = "minimize"
    noise: float = 0.0
    """Standard deviation of the Gaussian noise on every evaluation; 0 means deterministic."""
    goal: float | None = None
    """A value that ends the search when reached, where one exists apart from the optimum: an attack's success."""
    extends: bool = False
    """Whether the function is defined, with the same optimum, beyond the box of its continuous variables."""
    seed: int = 0
    """Where the noise starts."""
    _noise: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_noise", np.random.default_rng(self.seed))

    def __call__(self, configuration: Configuration) -> float:
        """One evaluation; SpaceError lists everything wrong with a configuration that is not one of the space."""
        self.space.validate(configuration)
        value = float(self.function(configuration))
        return value + self.noise * float(self._noise.standard_normal()) if self.noise else value

    def __repr__(self) -> str:
        optimum = (
            "" if self.optimum is None else f", {'optimum' if self.optimum.exact else 'best known'} {self.optimum.value:g}"
        )
        return f"Problem({self.name!r}, {len(self.space)} variables, {self.direction}{optimum})"

    def seeded(self, seed: int) -> Problem:
        """The same problem with its noise started afresh from the given seed."""
        return replace(self, seed=seed)

    def solved(self, value: float) -> bool:
        """Whether the value reaches the goal, or else the (best known) optimum; False where neither is known."""
        target = self.goal if self.goal is not None else self.optimum.value if self.optimum else math.nan
        slack = 0.0 if self.goal is not None else TOLERANCE * max(1.0, abs(target))
        return value <= target + slack if self.direction == "minimize" else value >= target - slack


def vector(configuration: Configuration, names: Sequence[str]) -> Array:
    """The numbers of a configuration in the order of the names."""
    return np.fromiter((configuration[name] for name in names), dtype=np.float64, count=len(names))


def numbered(stem: str, n: int) -> tuple[str, ...]:
    """n names in order, counted from one: x1, x2, ..., xn."""
    return tuple(f"{stem}{i}" for i in range(1, n + 1))
