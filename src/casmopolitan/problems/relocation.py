"""The same problem with its optimum elsewhere, so that no method profits from an optimum at a corner or in the middle.

Under relocation the value at z is the original's value at m(z), where m acts on each variable alone:

- a categorical's choices are permuted at random;
- an ordinal, an integer or a real with a step is reversed, or left, by the toss of a coin: order is kept;
- a continuous variable is shifted, z + s, where the problem `extends` beyond its box: the box then shows another part
  of the same function, of the same size, |s| at most a quarter of the width and such that the known optimum stays inside;
- a continuous variable of any other problem may not leave its box; it is reversed, or left, by the toss of a coin (on a
  log scale, in the logarithm), which maps the box onto itself.

The optimum value is the original's, the optimal point is moved by the inverse of m, and so is a constraint of the space.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from casmopolitan.problems.problem import Configuration, Function, Problem
from casmopolitan.space import Categorical, Forbid, Integer, Ordinal, Predicate, Real, Space, Variable

REACH = 0.25
"""The longest shift, as a part of the box's width."""


@dataclass(frozen=True)
class Permuted:
    """choice k -> choice order[k]."""

    variable: Categorical
    order: tuple[int, ...]

    def forward(self, value: Any) -> Any:
        """The original's value."""
        return self.variable.at(self.order[self.variable.index(value)])

    def backward(self, value: Any) -> Any:
        """The relocated problem's value."""
        return self.variable.at(self.order.index(self.variable.index(value)))


@dataclass(frozen=True)
class Reversed:
    """Value k of n -> value n − 1 − k; without a grid low + high − z, or low · high / z on a log scale."""

    variable: Ordinal | Integer | Real

    def forward(self, value: Any) -> Any:
        """The original's value."""
        variable = self.variable
        if isinstance(variable, Real) and variable.grid is None:
            low, high = variable.low, variable.high
            return min(max(low * high / value if variable.log else low + high - value, low), high)
        return variable.at(int(variable.count) - 1 - variable.index(value))

    backward = forward


@dataclass(frozen=True)
class Shifted:
    """z -> z + s."""

    shift: float

    def forward(self, value: Any) -> Any:
        """The original's value."""
        return value + self.shift

    def backward(self, value: Any) -> Any:
        """The relocated problem's value."""
        return value - self.shift


@dataclass(frozen=True)
class Left:
    """z -> z."""

    def forward(self, value: Any) -> Any:
        """The original's value."""
        return value

    backward = forward


Move = Permuted | Reversed | Shifted | Left


def relocated(problem: Problem, seed: int) -> Problem:
    """The problem under the relocation with that seed; named with `@seed` behind it."""
    rng = np.random.default_rng(seed)
    known = problem.optimum.configuration if problem.optimum else None
    moves = {
        name: _move(variable, rng, known[name] if known else None, problem.extends)
        for name, variable in problem.space.variables.items()
    }
    optimum = problem.optimum
    if optimum is not None and known is not None:
        optimum = replace(optimum, configuration={name: move.backward(known[name]) for name, move in moves.items()})
    return replace(
        problem,
        name=f"{problem.name}@{seed}",
        space=_moved_space(problem.space, moves),
        function=partial(_at_moved, moves=moves, function=problem.function),
        optimum=optimum,
    )


def _move(variable: Variable, rng: np.random.Generator, best: Any, extends: bool) -> Move:
    """The move of one variable; `best` is the optimum's value of it, None where it is not known."""
    if isinstance(variable, Categorical):
        return Permuted(variable, tuple(int(k) for k in rng.permutation(variable.count)))
    if extends and isinstance(variable, Real) and variable.grid is None and not variable.log:
        reach = REACH * (variable.high - variable.low)
        least, most = (-reach, reach) if best is None else (best - variable.high, best - variable.low)
        return Shifted(float(rng.uniform(max(-reach, least), min(reach, most))))
    return Reversed(variable) if rng.random() < 0.5 else Left()


def _moved(configuration: Configuration, moves: dict[str, Move]) -> dict[str, Any]:
    """m(z)."""
    return {name: move.forward(configuration[name]) for name, move in moves.items()}


def _at_moved(configuration: Configuration, moves: dict[str, Move], function: Function) -> float:
    """f(m(z))."""
    return function(_moved(configuration, moves))


def _moved_space(space: Space, moves: dict[str, Move]) -> Space:
    """The same variables, under the constraint that m(z) satisfies the original one."""
    rules = [
        Forbid({name: [moves[name].backward(value) for value in values] for name, values in rule.values.items()})
        if isinstance(rule, Forbid)
        else partial(_allowed, moves=moves, predicate=rule)
        for rule in space.constraint
    ]
    return Space(space.variables, rules)


def _allowed(configuration: Configuration, moves: dict[str, Move], predicate: Predicate) -> bool:
    """What the predicate says of m(z)."""
    return predicate(_moved(configuration, moves))
