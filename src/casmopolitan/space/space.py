"""The search space: named variables, and what a configuration of them must satisfy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, overload

import numpy as np

from casmopolitan.core.arrays import Mask
from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Points
from casmopolitan.errors import MisfitError, SpaceError
from casmopolitan.formatting import did_you_mean, short_repr
from casmopolitan.scalars import Scalar
from casmopolitan.space.codec import Codec, constant
from casmopolitan.space.constraint import Configuration, Constraint, Forbid, Predicate, called, gathered, holds
from casmopolitan.space.serialisation import rules_from, variable_to_dict, variables_from
from casmopolitan.space.variables import Variable

SHOWN = 30
"""How many variables a `repr` spells out."""


class Space:
    """Named variables in an order, and a constraint: `Space({"optimiser": Categorical(["sgd", "adam"]), ...})`.

    The constraint is a predicate that says True for the configurations that are allowed, a `Forbid`, or a list of
    those. A space never changes once made; two are equal when names, variables, order and constraint are. Everything
    wrong with the variables and the constraint is said in one `SpaceError`.
    """

    @overload
    def __init__(self, variables: Mapping[str, Variable], constraint: Constraint | None = None) -> None: ...
    @overload
    def __init__(self, variables: Iterable[tuple[str, Variable]], constraint: Constraint | None = None) -> None: ...
    def __init__(
        self,
        variables: Mapping[str, Variable] | Iterable[tuple[str, Variable]],
        constraint: Constraint | None = None,
    ) -> None:
        named, unsound, problems = _named(variables)
        clauses, predicates, not_rules = gathered(constraint)
        problems += not_rules
        problems += [text for clause in clauses for text in clause.problems(named, unsound)]
        if problems:
            raise SpaceError(problems)
        self._codec = Codec(named)
        self._clauses = tuple(clause.read(named) for clause in clauses)
        self._predicates: tuple[Predicate, ...] = tuple(predicates)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables' names in order."""
        return tuple(self._codec.variables)

    @property
    def variables(self) -> Mapping[str, Variable]:
        """The variables by name, in order."""
        return MappingProxyType(dict(self._codec.variables))

    @property
    def constraint(self) -> tuple[Predicate | Forbid, ...]:
        """Every rule that a configuration must satisfy."""
        return (*self._clauses, *self._predicates)

    @property
    def size(self) -> int | float:
        """Number of configurations, constraint not considered: an exact int, or inf."""
        return self.domain.size

    @cached_property
    def domain(self) -> Domain:
        """The space as the core sees it, without words and without constants."""
        return self._codec.domain(self._feasible if self.constraint else None, costly=bool(self._predicates))

    def __getitem__(self, name: str) -> Variable:
        if name not in self:
            raise SpaceError(f"{name!r} is not a variable of the space.{did_you_mean(name, self.names)}")
        return self._codec.variables[name]

    def __contains__(self, name: object) -> bool:
        return name in self._codec.variables

    def __iter__(self) -> Iterator[str]:
        return iter(self._codec.variables)

    def __len__(self) -> int:
        return len(self._codec.variables)

    def sample(self, n: int, rng: np.random.Generator | int) -> list[dict[str, Scalar]]:
        """n allowed configurations, uniform over the space (over logarithms where a variable has a log scale).

        rng is a generator or a seed. InfeasibleError when no allowed configuration is found in a bounded number of tries.
        """
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise SpaceError(f"sample({n!r}, ...): the number of configurations is a whole number of at least 0")
        return self.decode(self.domain.sample(int(n), np.random.default_rng(rng)))

    def encode(self, configurations: Sequence[Configuration]) -> Points:
        """The points of some configurations.

        One SpaceError lists everything that does not fit the variables; the constraint is not called.
        """
        return self._codec.encode(configurations)

    def decode(self, points: Points) -> list[dict[str, Scalar]]:
        """The configurations of some points: every variable in order, native Python values.

        Exact for everything but reals without a step, which come back to within float resolution and inside their range.
        """
        return self._codec.decode(points)

    def problems(self, configuration: Configuration) -> list[str]:
        """Everything wrong with a configuration: values first, then the constraint; empty for one of this space."""
        problems = self._codec.problems(configuration)
        if problems:
            return problems
        read = self._codec.read(configuration)
        for clause in self._clauses:
            if clause.applies(read):
                names = ", ".join(map(repr, clause.values))
                problems.append(f"the configuration is forbidden by {clause!r}; change {names}")
        if not problems:
            broken = [called(predicate) for predicate in self._predicates if not holds(predicate, read)]
            problems = [f"the configuration breaks the constraint {name}; change its values" for name in broken]
        return problems

    def validate(self, configuration: Configuration) -> None:
        """Raise one SpaceError that lists everything wrong with a configuration."""
        problems = self.problems(configuration)
        if problems:
            raise SpaceError(problems)

    def allows(self, configuration: Configuration) -> bool:
        """Whether the configuration is one of this space, its constraint included."""
        return not self.problems(configuration)

    def read(self, configuration: Configuration) -> dict[str, Scalar]:
        """A configuration of this space in a dict of its own, every value as the space itself writes it; else SpaceError."""
        self.validate(configuration)
        return self._codec.read(configuration)

    def fix(self, /, **values: Scalar) -> Space:
        """The space with those variables constant; they stay part of every configuration."""
        variables = dict(self._codec.variables)
        problems = []
        for name, value in values.items():
            if name not in variables:
                problems.append(f"{name!r} is not a variable of the space.{did_you_mean(name, variables)}")
                continue
            try:
                variables[name] = constant(variables[name], value)
            except MisfitError as misfit:
                problems.append(f"{type(variables[name]).__name__} {name!r} {misfit}")
        if problems:
            raise SpaceError(problems)
        constants = Codec({name: variables[name] for name in values}).constants
        left = [clause.fixed(constants) for clause in self._clauses]
        return Space(variables, [*(clause for clause in left if clause is not None), *self._predicates])

    def to_dict(self) -> dict[str, Any]:
        """The space as JSON. Predicates are only counted: `from_dict` asks for them again."""
        return {
            "variables": [variable_to_dict(name, variable) for name, variable in self._codec.variables.items()],
            "forbid": [{name: list(values) for name, values in clause.values.items()} for clause in self._clauses],
            "predicates": len(self._predicates),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any], constraint: Constraint | None = None) -> Space:
        """The space that `to_dict` wrote; constraint brings back its predicates, when it had any."""
        variables = variables_from(record)
        return cls(variables, rules_from(record, constraint))

    def _feasible(self, points: Points) -> Mask:
        """Which points are allowed: clauses on codes first, predicates only on the rows that are left."""
        mask = np.ones(len(points), dtype=bool)
        for clause in self._clauses:
            mask &= ~self._codec.forbidden(clause, points)
        if self._predicates:
            left = np.flatnonzero(mask)
            for row, configuration in zip(left, self.decode(points[left]), strict=True):
                mask[row] = all(holds(predicate, configuration) for predicate in self._predicates)
        return mask

    def _identity(self) -> tuple[object, ...]:
        return tuple(self._codec.variables.items()), frozenset(self._clauses), self._predicates

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        items = list(self._codec.variables.items())
        lines = [f"    {name!r}: {variable!r}," for name, variable in items[:SHOWN]]
        if len(items) > SHOWN:
            lines.append(f"    ... ({len(items)} variables in all)")
        rules = [*map(repr, self._clauses), *map(called, self._predicates)]
        constraint = f", constraint=[{', '.join(rules)}]" if rules else ""
        return "\n".join(["Space({", *lines, "}" + constraint + ")"])


def _named(variables: object) -> tuple[dict[str, Variable], set[str], list[str]]:
    """The sound variables by name, the names of the others, and everything wrong."""
    pairs: list[Any] = [variables]
    if isinstance(variables, Mapping):
        pairs = list(variables.items())
    elif isinstance(variables, Iterable):
        pairs = list(variables)
    if not pairs:
        return {}, set(), ["the space is empty; give at least one variable, e.g. Space({'x': Real(0.0, 1.0)})"]
    if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        return {}, set(), ["a space is made of a dict {name: variable}, or of a list of pairs (name, variable)"]
    named: dict[str, Variable] = {}
    unsound: set[str] = set()
    problems: list[str] = []
    for name, variable in pairs:
        if not isinstance(name, str) or not name:
            problems.append(f"a variable has the name {short_repr(name)}; a name is a string that is not empty")
        elif name in named or name in unsound:
            problems.append(f"the name {name!r} is used twice; give each variable a name of its own")
        elif found := _variable_problems(name, variable):
            problems += found
            unsound.add(name)
        else:
            named[name] = variable
    return named, unsound, problems


def _variable_problems(name: str, variable: object) -> list[str]:
    if isinstance(variable, Variable):
        return [f"{type(variable).__name__} {name!r} {text}" for text in variable.problems()]
    law = "a variable is a Categorical, Ordinal, Integer or Real"
    hint = ""
    if isinstance(variable, tuple) and len(variable) == 2 and all(type(bound) in (int, float) for bound in variable):
        hint = f" Did you mean Real{variable!r} or Integer{variable!r}?"
    elif isinstance(variable, list | tuple):
        hint = f" Did you mean Categorical({short_repr(list(variable))})?"
    return [f"{name!r} is {short_repr(variable)} (a {type(variable).__name__}); {law}.{hint}"]
