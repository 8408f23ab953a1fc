"""The same problem with its optimum elsewhere, so that no method benefits from an optimum at a corner or in the middle.

The value of a relocated problem at z is the original value at m(z), where m acts on each variable separately:

- the choices of a categorical variable are permuted at random;
- an ordinal, an integer or a real with a step is reversed with probability ½, which keeps its order;
- a continuous variable is shifted, z + s, if the problem `extends` beyond its box. The box then shows another part of the
  same function; |s| is at most a quarter of its width, and the known optimum stays inside;
- a continuous variable of any other problem may not leave its box. It is reversed with probability ½ (on a log scale, in
  the logarithm), which maps the box onto itself.

The optimum value does not change. The optimal point moves by the inverse of m, and so does a constraint of the space.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from casmopolitan.problems.problem import Configuration, Function, Problem
from casmopolitan.space import Categorical, Forbid, Integer, Ordinal, Predicate, Real, Space, Variable
from casmopolitan.space.linear import Linear

REACH = 0.25
"""The largest shift, relative to the width of the box."""


@dataclass(frozen=True)
class Permuted:
    """choice k -> choice order[k]."""

    variable: Categorical
    order: tuple[int, ...]

    def forward(self, value: Any) -> Any:
        """Return the value in the original problem."""
        return self.variable.at(self.order[self.variable.index(value)])

    def backward(self, value: Any) -> Any:
        """Return the value in the relocated problem."""
        return self.variable.at(self.order.index(self.variable.index(value)))


@dataclass(frozen=True)
class Reversed:
    """Value k of n -> value n − 1 − k; without a grid low + high − z, or low · high / z on a log scale."""

    variable: Ordinal | Integer | Real

    def forward(self, value: Any) -> Any:
        """Return the value in the original problem."""
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
        """Return the value in the original problem."""
        return value + self.shift

    def backward(self, value: Any) -> Any:
        """Return the value in the relocated problem."""
        return value - self.shift


@dataclass(frozen=True)
class Unchanged:
    """z -> z."""

    def forward(self, value: Any) -> Any:
        """Return the value in the original problem."""
        return value

    backward = forward


Move = Permuted | Reversed | Shifted | Unchanged


def relocated(problem: Problem, seed: int) -> Problem:
    """Return the problem with its optimum moved at random; its name ends with `@seed`.

    Args:
        problem: The original problem.
        seed: The seed of the relocation.

    Returns:
        The relocated problem, with the same optimum value.
    """
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
    """Return the move of one variable; `best` is its value at the optimum, None if that is not known."""
    if isinstance(variable, Categorical):
        return Permuted(variable, tuple(int(k) for k in rng.permutation(variable.count)))
    if extends and isinstance(variable, Real) and variable.grid is None and not variable.log:
        reach = REACH * (variable.high - variable.low)
        least, most = (-reach, reach) if best is None else (best - variable.high, best - variable.low)
        return Shifted(float(rng.uniform(max(-reach, least), min(reach, most))))
    return Reversed(variable) if rng.random() < 0.5 else Unchanged()


def _moved(configuration: Configuration, moves: dict[str, Move]) -> dict[str, Any]:
    """m(z)."""
    return {name: move.forward(configuration[name]) for name, move in moves.items()}


def _at_moved(configuration: Configuration, moves: dict[str, Move], function: Function) -> float:
    """f(m(z))."""
    return function(_moved(configuration, moves))


def _moved_space(space: Space, moves: dict[str, Move]) -> Space:
    """Return the same variables with the constraint that m(z) satisfies the original one."""
    rules: list[Predicate | Forbid] = []
    for rule in space.constraint:
        if isinstance(rule, Forbid) and all(isinstance(values, tuple) for values in rule.values.values()):
            rules.append(Forbid({name: [moves[name].backward(v) for v in vs] for name, vs in rule.to_dict().items()}))
        elif isinstance(rule, Forbid | Linear):
            alone = Space(space.variables, rule)
            rules.append(partial(_allowed, moves=moves, predicate=alone.allows))
        else:
            rules.append(partial(_allowed, moves=moves, predicate=rule))
    return Space(space.variables, rules)


def _allowed(configuration: Configuration, moves: dict[str, Move], predicate: Predicate) -> bool:
    """Return the predicate at m(z)."""
    return predicate(_moved(configuration, moves))
