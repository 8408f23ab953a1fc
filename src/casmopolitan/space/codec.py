"""The translation between configurations, which users see, and points, which the algorithm sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casmopolitan.core.domain import Domain, Feasible
from casmopolitan.core.points import Axis, Mask, Points
from casmopolitan.errors import MisfitError, SpaceError
from casmopolitan.formatting import MANY, did_you_mean, short_repr
from casmopolitan.scalars import Scalar
from casmopolitan.space.constraint import Configuration, Forbid, misfits
from casmopolitan.space.ranges import Integer, Real
from casmopolitan.space.variables import Categorical, Ordinal, Variable, axis_of, is_discrete, positions_of


@dataclass(frozen=True, eq=False)
class Codec:
    """A translator between configurations of some variables and points of their domain.

    Variables that vary go to h or to x, in their own order. Constants are not part of points; `decode` adds them again.
    """

    variables: Mapping[str, Variable]

    @cached_property
    def discrete(self) -> dict[str, Variable]:
        """The variables behind the columns of h."""
        return {name: v for name, v in self.variables.items() if v.count > 1 and is_discrete(v)}

    @cached_property
    def continuous(self) -> dict[str, tuple[Integer | Real, Axis]]:
        """The variables behind the columns of x, each with its axis."""
        varying = ((n, v) for n, v in self.variables.items() if v.count > 1 and not is_discrete(v))
        return {name: (v, axis_of(v)) for name, v in varying if isinstance(v, Integer | Real)}

    @cached_property
    def constants(self) -> dict[str, Scalar]:
        """The variables with a single value, and that value."""
        return {name: only_value(v) for name, v in self.variables.items() if v.count == 1}

    def domain(self, feasible: Feasible | None, costly: bool = False) -> Domain:
        """Return the domain as the core sees it; a constraint is costly if it calls a predicate."""
        levels = np.array([v.count for v in self.discrete.values()], dtype=np.int64)
        positions = tuple(positions_of(v) for v in self.discrete.values())
        return Domain(levels, positions, tuple(axis for _, axis in self.continuous.values()), feasible, costly)

    def encode(self, configurations: Sequence[Configuration]) -> Points:
        """Return the points of configurations; one SpaceError lists all problems."""
        if isinstance(configurations, Mapping):
            raise SpaceError("got one configuration instead of a list; write [configuration]")
        rows = list(configurations)
        try:
            if all(isinstance(row, Mapping) and len(row) == len(self.variables) for row in rows):
                return self._encode(rows)
        except (KeyError, MisfitError):
            pass
        several = len(rows) > 1
        problems = [(i, text) for i, row in enumerate(rows) for text in self.problems(row)]
        raise SpaceError([f"configuration {i}: {text}" if several else text for i, text in problems])

    def _encode(self, rows: list[Configuration]) -> Points:
        h = np.empty((len(rows), len(self.discrete)), dtype=np.int64)
        x = np.empty((len(rows), len(self.continuous)))
        for j, (name, variable) in enumerate(self.discrete.items()):
            h[:, j] = variable.indices([row[name] for row in rows])
        for j, (name, (ranged, axis)) in enumerate(self.continuous.items()):
            values = [row[name] for row in rows]
            if axis.step is None:
                x[:, j] = axis.unit(np.array([ranged.read(value) for value in values], dtype=np.float64))
            else:
                x[:, j] = axis.at(np.array(ranged.indices(values), dtype=np.int64))
        for name in self.constants:
            for row in rows:
                self.variables[name].read(row[name])
        return Points(h, x)

    def decode(self, points: Points) -> list[dict[str, Scalar]]:
        """Return the configurations of points: native Python values, in the order of the variables, with constants."""
        columns: dict[str, Sequence[Scalar]] = {name: [value] * len(points) for name, value in self.constants.items()}
        for j, (name, variable) in enumerate(self.discrete.items()):
            columns[name] = [variable.at(k) for k in points.h[:, j].tolist()]
        for j, (name, (ranged, axis)) in enumerate(self.continuous.items()):
            if axis.step is None:
                columns[name] = axis.value(points.x[:, j]).tolist()
            else:
                columns[name] = [ranged.at(k) for k in axis.index(points.x[:, j]).tolist()]
        names = tuple(self.variables)
        return [dict(zip(names, row, strict=True)) for row in zip(*(columns[n] for n in names), strict=True)]

    def problems(self, configuration: object) -> list[str]:
        """Return everything wrong with a configuration, without its constraint."""
        if not isinstance(configuration, Mapping):
            return [f"got {short_repr(configuration)} as a configuration; it is a dict of names and values"]
        found: list[str] = []
        missing = [name for name in self.variables if name not in configuration]
        for name in configuration:
            if name not in self.variables:
                few = len(found) < MANY  # a suggestion for each of thousands of wrong names would take hours
                hint = (did_you_mean(name, missing) or did_you_mean(name, self.variables)) if few else ""
                found.append(f"{name!r} is not a variable of the space; drop or rename it.{hint}")
        for name, variable in self.variables.items():
            if name in configuration:
                found += misfits(name, variable, [configuration[name]])
            else:
                found.append(f"{type(variable).__name__} {name!r} has no value; give one")
        return found

    def read(self, configuration: Configuration) -> dict[str, Scalar]:
        """Return a valid configuration with native values."""
        return {name: variable.read(configuration[name]) for name, variable in self.variables.items()}

    def forbidden(self, clause: Forbid, points: Points) -> Mask:
        """Return which points a clause forbids, without decoding them."""
        hit = np.ones(len(points), dtype=bool)
        discrete, continuous = list(self.discrete), list(self.continuous)
        for name, values in clause.values.items():
            if name in self.constants:
                continue  # `Forbid.fixed` keeps a clause only if it lists the constant's value
            codes = self.variables[name].indices(values)
            if name in self.discrete:
                hit &= np.isin(points.h[:, discrete.index(name)], codes)
            else:
                column = continuous.index(name)
                hit &= np.isin(self.continuous[name][1].index(points.x[:, column]), codes)
        return hit


def only_value(variable: Variable) -> Scalar:
    """Return the value of a variable that has a single one."""
    return variable.low if isinstance(variable, Real) else variable.at(0)


def constant(variable: Variable, value: object) -> Variable:
    """Return the variable with that value only; MisfitError if it does not take the value."""
    if isinstance(variable, Real):
        number = variable.read(value)
        return Real(number, number, variable.step, variable.log)
    if isinstance(variable, Integer):
        whole = variable.read(value)
        return Integer(whole, whole, variable.step, variable.log)
    if isinstance(variable, Ordinal):
        return Ordinal([variable.read(value)], variable.log)
    return Categorical([variable.read(value)])
