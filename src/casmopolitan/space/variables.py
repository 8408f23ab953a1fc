"""The four kinds of variable. Each is a frozen declaration, and the `Space` that contains it checks it.

A variable with finitely many values numbers them from 0: `index` and `at` translate, `count` is their number. `problems`
lists the problems of the declaration. A value that does not fit raises `MisfitError`; the space collects these and
raises one error.
"""

from __future__ import annotations

from collections.abc import Mapping

from casmopolitan.core.points import Array, Axis
from casmopolitan.space.choices import Categorical, Ordinal
from casmopolitan.space.decimal_grid import DecimalGrid, positions, ranks
from casmopolitan.space.ranges import NARROW, Integer, Real

__all__ = [
    "NARROW",
    "Categorical",
    "Integer",
    "Ordinal",
    "Real",
    "Variable",
    "axis_of",
    "columns",
    "is_described",
    "is_discrete",
    "positions_of",
]

Variable = Categorical | Ordinal | Integer | Real
"""Any of the four kinds."""


def is_discrete(variable: Variable) -> bool:
    """Return whether the variable belongs to h: categorical, ordinal, or a narrow integer. All others belong to x."""
    return isinstance(variable, Categorical | Ordinal) or (isinstance(variable, Integer) and variable.narrow)


def is_described(variable: Variable) -> bool:
    """Return whether the choices of a variable are described by numbers."""
    return isinstance(variable, Categorical) and variable.apart is not None


def columns(variables: Mapping[str, Variable]) -> tuple[list[str], list[str]]:
    """Return the names behind the columns of h and those behind the columns of x; constants are in neither."""
    varying = {name: variable for name, variable in variables.items() if variable.count > 1}
    in_h = [name for name, variable in varying.items() if is_discrete(variable)]
    return in_h, [name for name, variable in varying.items() if not is_discrete(variable)]


def positions_of(variable: Variable) -> Array | None:
    """Return the places of a discrete variable's values in [0, 1]; None if they have no order."""
    if isinstance(variable, Integer):
        return positions([variable.at(k) for k in range(variable.count)], variable.log)
    if isinstance(variable, Ordinal):
        return positions(variable.numbers, variable.log) if variable.numeric else ranks(variable.count)
    return None


def axis_of(variable: Integer | Real) -> Axis:
    """Return the coordinate of x for a variable; on a grid, its bounds are the first and the last value."""
    if isinstance(variable, Integer):
        return Axis(float(variable.low), float(variable.at(variable.count - 1)), float(variable.step), variable.log)
    if variable.grid is None:
        return Axis(variable.low, variable.high, None, variable.log)
    last = variable.at(variable.grid.count - 1)
    if isinstance(variable.grid, DecimalGrid):
        return Axis(variable.low, last, variable.grid.step, variable.log)
    return Axis(variable.at(0), last, None, variable.log, variable.digits)
