"""A benchmark problem: a space, a function on it, and its optimum if known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from casmopolitan.formatting import counted
from casmopolitan.space import Space

Array = NDArray[np.float64]
Configuration = Mapping[str, Any]
Function = Callable[[Configuration], float]
Direction = Literal["minimize", "maximize"]

TOLERANCE = 1e-9
"""How far a value may be from the optimum, relative to its size, and still count as the optimum: rounding errors only."""


@dataclass(frozen=True)
class Optimum:
    """The best value of a problem, a configuration that has it, and whether it is proven."""

    value: float
    """The best value, without noise."""
    configuration: Configuration | None
    """A configuration with this value; None if none is known."""
    exact: bool
    """True: proven, by enumeration or by construction. False: the best value known."""


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """A function to optimise over a space: `problem(configuration)` is one evaluation.

    The value is function(configuration), plus a draw from N(0, noise²) if `noise` is not zero. Every problem has its own
    generator for these draws, started from `seed`. A copy in another process has a copy of the generator, so give each
    process its own with `seeded`.
    """

    name: str
    """The name, as `get` takes it."""
    space: Space
    """The search space."""
    function: Function
    """The function without noise."""
    source: str
    """The publication that the problem comes from."""
    optimum: Optimum | None = None
    """The best value, if it is known."""
    direction: Direction = "minimize"
    """Whether small or large values are good."""
    noise: float = 0.0
    """Standard deviation of the Gaussian noise on every evaluation; 0 means deterministic."""
    goal: float | None = None
    """A value that ends the search when it is reached, other than the optimum: the success of an attack."""
    extends: bool = False
    """Whether the function is defined, with the same optimum, beyond the box of its continuous variables."""
    seed: int = 0
    """The seed of the noise."""
    _noise: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_noise", np.random.default_rng(self.seed))

    def __call__(self, configuration: Configuration) -> float:
        """Evaluate a configuration once.

        Args:
            configuration: A configuration of the space.

        Returns:
            The value, with noise if there is any.

        Raises:
            SpaceError: If the configuration is not valid; the message lists all problems.
        """
        self.space.validate(configuration)
        value = float(self.function(configuration))
        return value + self.noise * float(self._noise.standard_normal()) if self.noise else value

    def __repr__(self) -> str:
        optimum = (
            "" if self.optimum is None else f", {'optimum' if self.optimum.exact else 'best known'} {self.optimum.value:g}"
        )
        return f"Problem({self.name!r}, {counted(len(self.space), 'variable')}, {self.direction}{optimum})"

    def seeded(self, seed: int) -> Problem:
        """Return the same problem with another seed of its noise.

        Args:
            seed: The seed.

        Returns:
            The problem.
        """
        return replace(self, seed=seed)

    def solved(self, value: float) -> bool:
        """Return whether a value reaches the goal, or the optimum (also the best known one) if there is no goal.

        Args:
            value: The value of an evaluation.

        Returns:
            True if it does; False if neither goal nor optimum is known.
        """
        target = self.goal if self.goal is not None else self.optimum.value if self.optimum else math.nan
        slack = 0.0 if self.goal is not None else TOLERANCE * max(1.0, abs(target))
        return value <= target + slack if self.direction == "minimize" else value >= target - slack


def vector(configuration: Configuration, names: Sequence[str]) -> Array:
    """Return the numbers of a configuration in the order of the names."""
    return np.fromiter((configuration[name] for name in names), dtype=np.float64, count=len(names))


def numbered(stem: str, n: int) -> tuple[str, ...]:
    """Return n names in order: x1, x2, ..., xn."""
    return tuple(f"{stem}{i}" for i in range(1, n + 1))
