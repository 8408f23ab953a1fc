"""The translation between configurations, which users see, and points, which the algorithm sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from casmopolitan.core.candidates import Candidates
from casmopolitan.core.conditions import Conditions
from casmopolitan.core.domain import Domain, Feasible, Repair
from casmopolitan.core.partial import Fixed
from casmopolitan.core.points import Array, Axis, Codes, Mask, Points, linear_unit, linear_value
from casmopolitan.errors import MisfitError, SpaceError
from casmopolitan.formatting import MANY, did_you_mean, short_repr
from casmopolitan.scalars import Key, Scalar, key
from casmopolitan.space.activity import Activity
from casmopolitan.space.constraint import Configuration, misfits
from casmopolitan.space.ranges import Integer, Real
from casmopolitan.space.variables import Categorical, Ordinal, Variable, axis_of, is_discrete, positions_of


@dataclass(frozen=True, eq=False)
class Codec:
    """A translator between configurations of some variables and points of their domain.

    Variables that vary go to h or to x, in their own order. Constants are not part of points; `decode` adds them again.
    Configurations have the variables that exist there (`activity.py`), points have all, with canonical values of the others.
    """

    variables: Mapping[str, Variable]

    @cached_property
    def activity(self) -> Activity:
        """When variables exist."""
        return Activity(self.variables)

    @cached_property
    def conditional(self) -> bool:
        """Whether some variables do not always exist."""
        return bool(self.activity.indices)

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

    @cached_property
    def conditions(self) -> Conditions | None:
        """When the variables of points exist, by column; None if all of them always do."""
        names, in_h = [*self.discrete, *self.continuous], list(self.discrete)
        required = {
            i: tuple((in_h.index(parent), indices) for parent, indices in needs)
            for i, name in enumerate(names)
            if (needs := self.activity.requirements(name))
        }
        levels = np.array([v.count for v in self.discrete.values()], dtype=np.int64)
        return Conditions(levels, len(self.continuous), required) if required else None

    def exist(self, points: Points, names: Iterable[str]) -> Mask:
        """Return which of the variables exist at each point: (n, names)."""
        in_h, found = list(self.discrete), []
        for name in names:
            exists = np.ones(len(points), dtype=bool)
            for parent, indices in self.activity.requirements(name):
                exists &= np.isin(points.h[:, in_h.index(parent)], indices)
            found.append(exists)
        return np.array(found).reshape(-1, len(points)).T

    def domain(
        self,
        feasible: Feasible | None,
        costly: bool = False,
        repair: Repair | None = None,
        candidates: Candidates | None = None,
    ) -> Domain:
        """Return the domain as the core sees it; a constraint is costly if it calls a predicate."""
        levels = np.array([v.count for v in self.discrete.values()], dtype=np.int64)
        positions = tuple(positions_of(v) for v in self.discrete.values())
        axes = tuple(axis for _, axis in self.continuous.values())
        distances = tuple(v.apart if isinstance(v, Categorical) else None for v in self.discrete.values())
        described = any(matrix is not None for matrix in distances)
        return Domain(
            levels, positions, axes, feasible, costly, distances if described else (), repair, candidates, self.conditions
        )

    def encode(self, configurations: Sequence[Configuration]) -> Points:
        """Return the points of configurations; one SpaceError lists all problems."""
        if isinstance(configurations, Mapping):
            raise SpaceError("got one configuration instead of a list; write [configuration]")
        rows = list(configurations)
        try:
            if all(map(self._has_all, rows)):
                points = self._encode([self._completed(row) for row in rows] if self.conditional else rows)
                return points if self.conditions is None else self.conditions.canonical(points)
        except (KeyError, MisfitError):
            pass
        several = len(rows) > 1
        problems = [(i, text) for i, row in enumerate(rows) for text in self.problems(row)]
        raise SpaceError([f"configuration {i}: {text}" if several else text for i, text in problems])

    def _has_all(self, configuration: object) -> bool:
        """Return whether a configuration has exactly the variables that exist in it."""
        if not isinstance(configuration, Mapping):
            return False
        if not self.conditional:
            return len(configuration) == len(self.variables)
        return self.activity.active(configuration) == set(configuration)

    def _completed(self, configuration: Configuration) -> Configuration:
        """Return a configuration with some value of every variable that does not exist in it."""
        return {**self.first_values, **configuration}

    @cached_property
    def first_values(self) -> dict[str, Scalar]:
        """The first value of every variable."""
        return {name: v.low if isinstance(v, Real) else v.at(0) for name, v in self.variables.items()}

    @cached_property
    def _codes(self) -> list[tuple[str, dict[Key, int]]]:
        """The code of every value of the discrete variables, by name."""
        return [(name, {key(v.at(k)): k for k in range(int(v.count))}) for name, v in self.discrete.items()]

    @cached_property
    def _values(self) -> list[list[Scalar]]:
        """The values of the discrete variables, by code; None for one that does not exist."""
        return [[*(value for _, value in codes), *([None] if self.conditional else [])] for _, codes in self._codes]

    @cached_property
    def _finders(self) -> list[tuple[str, Callable[[object], float]]]:
        """What reads a value of each continuous variable: as an index on a grid, else as a number."""
        return [(name, v.read if not axis.gridded else v.index) for name, (v, axis) in self.continuous.items()]

    @cached_property
    def _special(self) -> list[tuple[int, Axis]]:
        """The columns of x with a grid or a log scale."""
        return [(j, axis) for j, (_, axis) in enumerate(self.continuous.values()) if axis.gridded or axis.log]

    @cached_property
    def _plain(self) -> tuple[Codes, Array, Array]:
        """The columns of x with neither a grid nor a log scale, and their bounds."""
        axes = [(j, a.low, a.high) for j, (_, a) in enumerate(self.continuous.values()) if not a.gridded and not a.log]
        columns, low, high = np.array(axes).reshape(-1, 3).T
        return columns.astype(np.int64), low, high

    def _code_row(self, row: Configuration) -> list[int]:
        """Return the codes of the discrete variables in one configuration."""
        try:
            return [codes[type(value := row[name]), value] for name, codes in self._codes]
        except (KeyError, TypeError):  # NumPy scalars and the like, or an error
            return [variable.index(row[name]) for name, variable in self.discrete.items()]

    def _encode(self, rows: list[Configuration]) -> Points:
        h = np.array([self._code_row(row) for row in rows], dtype=np.int64).reshape(len(rows), len(self.discrete))
        read = [[find(row[name]) for name, find in self._finders] for row in rows]
        x = np.array(read, dtype=np.float64).reshape(len(rows), len(self._finders))
        for j, axis in self._special:
            x[:, j] = axis.unit(x[:, j].copy()) if not axis.gridded else axis.at(x[:, j].astype(np.int64))
        plain, low, high = self._plain
        x[:, plain] = linear_unit(x[:, plain], low, high)
        for name in self.constants:
            for row in rows:
                self.variables[name].read(row[name])
        return Points(h, x)

    def decode(self, points: Points) -> list[dict[str, Scalar]]:
        """Return the configurations of points: native Python values, in the order of the variables, with constants."""
        plain, low, high = self._plain
        values = points.x.copy()
        values[:, plain] = linear_value(points.x[:, plain], low, high)
        columns: list[list[Scalar]] = values.T.tolist()
        ranged = [variable for variable, _ in self.continuous.values()]
        for j, axis in self._special:
            x = points.x[:, j]
            columns[j] = axis.value(x).tolist() if not axis.gridded else [ranged[j].at(k) for k in axis.index(x).tolist()]
        numbers = zip(*columns, strict=True) if columns else [()] * len(points)
        found = [
            self._configuration(codes, dict(zip(self.continuous, row, strict=True)))
            for codes, row in zip(points.h.tolist(), numbers, strict=True)
        ]
        if not self.conditional:
            return found
        exist = self.exist(points, found[0] if found else ()).tolist()
        return [
            {n: v for (n, v), kept in zip(c.items(), row, strict=True) if kept} for c, row in zip(found, exist, strict=True)
        ]

    def fixed(self, values: Configuration) -> Fixed:
        """Return some values as fixed coordinates; one SpaceError lists all problems."""
        unknown = [name for name in values if name not in self.variables]
        problems = [f"{name!r} is not a variable of the space.{did_you_mean(name, self.variables)}" for name in unknown]
        for name in [name for name in values if name in self.variables]:
            problems += misfits(name, self.variables[name], [values[name]])
        if problems:
            raise SpaceError(problems)
        point = self._encode([{**self.first_values, **values}])
        h = {j: int(point.h[0, j]) for j, name in enumerate(self.discrete) if name in values}
        x = {k: float(point.x[0, k]) for k, name in enumerate(self.continuous) if name in values}
        if self.conditions is not None:
            given = {**h, **{len(self.discrete) + k: None for k in x}}
            names = [*self.discrete, *self.continuous]
            absent = [names[v] for v in self.conditions.implied(given)[1] if v in given]
            if absent:
                raise SpaceError(
                    [f"{n!r} exists only when {self.variables[n].when}; drop it, or fix its parents" for n in absent]
                )
        return Fixed(h, x)

    def rounded(self, points: Points) -> Points:
        """Return encode(decode(points)): h is the same, and x may differ in its last digits."""
        plain, low, high = self._plain
        x = points.x.copy()
        x[:, plain] = linear_unit(linear_value(x[:, plain], low, high), low, high)
        for j, axis in self._special:
            x[:, j] = axis.unit(axis.value(points.x[:, j])) if not axis.gridded else axis.at(axis.index(points.x[:, j]))
        rounded = Points(points.h, x)
        return rounded if self.conditions is None else self.conditions.canonical(rounded)

    def _configuration(self, codes: list[int], numbers: dict[str, Scalar]) -> dict[str, Scalar]:
        """Return the configuration with these codes and values of continuous variables, in the order of the variables."""
        choices = [values[code] for values, code in zip(self._values, codes, strict=True)]
        if not self.continuous and not self.constants:
            return dict(zip(self.discrete, choices, strict=True))
        found = dict(zip(self.discrete, choices, strict=True)) | numbers | self.constants
        return {name: found[name] for name in self.variables}

    def problems(self, configuration: object) -> list[str]:
        """Return everything wrong with a configuration, without its constraint."""
        if not isinstance(configuration, Mapping):
            return [f"got {short_repr(configuration)} as a configuration; it is a dict of names and values"]
        found: list[str] = []
        active, undecided = self.activity.active(configuration), self.activity.undecided(configuration)
        missing = [name for name in self.variables if name in active and name not in configuration]
        for name in configuration:
            if name not in self.variables:
                few = len(found) < MANY  # a suggestion for each of thousands of wrong names would take hours
                hint = (did_you_mean(name, missing) or did_you_mean(name, self.variables)) if few else ""
                found.append(f"{name!r} is not a variable of the space; drop or rename it.{hint}")
        for name, variable in self.variables.items():
            who = f"{type(variable).__name__} {name!r}"
            if name in configuration:
                found += misfits(name, variable, [configuration[name]])
                if name not in active and name not in undecided:
                    found.append(f"{who} has a value, but it exists only when {variable.when}; drop it")
            elif name in active and name not in undecided:
                found.append(f"{who} has no value; give one")
        return found

    def read(self, configuration: object) -> dict[str, Scalar] | None:
        """Return a configuration with native values; None if something is wrong with it, which `problems` then lists."""
        if not isinstance(configuration, Mapping) or not self._has_all(configuration):
            return None
        if self.conditional:
            read = self._read_all(self._completed(configuration))
            return None if read is None else {name: value for name, value in read.items() if name in configuration}
        return self._read_all(configuration)

    def _read_all(self, configuration: Configuration) -> dict[str, Scalar] | None:
        """Return native values of all variables; None if one does not fit."""
        try:
            numbers: dict[str, Scalar] = {
                name: ranged.read(configuration[name]) for name, (ranged, _) in self.continuous.items()
            }
            for name in self.constants:
                self.variables[name].read(configuration[name])
            return self._configuration(self._code_row(configuration), numbers)
        except (KeyError, MisfitError):
            return None


def only_value(variable: Variable) -> Scalar:
    """Return the value of a variable that has a single one."""
    return variable.low if isinstance(variable, Real) else variable.at(0)


def constant(variable: Variable, value: object) -> Variable:
    """Return the variable with that value only; MisfitError if it does not take the value."""
    if isinstance(variable, Real):
        number = variable.read(value)
        return replace(variable, low=number, high=number)
    if isinstance(variable, Integer):
        whole = variable.read(value)
        return replace(variable, low=whole, high=whole)
    if isinstance(variable, Ordinal):
        return replace(variable, values=[variable.read(value)])
    return Categorical([variable.read(value)], when=variable.when)
