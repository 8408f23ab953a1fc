"""The search space: named variables, and a constraint on their values."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, overload

import numpy as np

from casmopolitan.core.candidates import Candidates
from casmopolitan.core.domain import Domain
from casmopolitan.core.partial import Fixed
from casmopolitan.core.points import Mask, Points
from casmopolitan.errors import InfeasibleError, MisfitError, SpaceError
from casmopolitan.formatting import did_you_mean, first_few, html_table, short_repr
from casmopolitan.scalars import Scalar
from casmopolitan.space.activity import Activity, condition_problems, without_impossible
from casmopolitan.space.candidates import Columns, as_declared, candidates_of, columns_of, digest, variables_of
from casmopolitan.space.codec import Codec, constant, only_value
from casmopolitan.space.constraint import Configuration, Constraint, Forbid, Predicate, gathered, holds, predicate_name
from casmopolitan.space.linear import Linear
from casmopolitan.space.rules import Rules
from casmopolitan.space.serialisation import rules_from, rules_to_dict, variable_to_dict, variables_from
from casmopolitan.space.variables import Variable

SHOWN = 30
"""How many variables a `repr` lists."""


class Space:
    """A search space: `Space({"optimiser": Categorical(["sgd", "adam"]), "lr": Real(1e-5, 0.1, log=True)})`.

    Spaces are immutable. Two spaces are equal if names, variables, order and constraint are.

    Args:
        variables: The variables by name, as a dict or as pairs.
        constraint: A `Forbid`, a linear rule such as "a + 2 * b <= 1", a function that returns True for allowed
            configurations, or a list of these.

    Raises:
        SpaceError: If variables or constraint are invalid; the message lists all problems.
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
        clauses, linear, predicates, not_rules = gathered(constraint)
        problems += not_rules
        problems += condition_problems(named, unsound)
        rules: list[Forbid | Linear] = [*clauses, *linear]
        broken = [text for rule in rules for text in rule.problems(named, unsound)]
        problems += first_few(broken, "the rules have {} more problems")
        if problems:
            raise SpaceError(problems)
        self._codec = Codec(named)
        self._clauses = tuple(clause.read(named) for clause in clauses)
        self._linear = tuple(linear)
        self._listed: tuple[Candidates, Columns] | None = None
        self._predicates: tuple[Predicate, ...] = tuple(predicates)

    @classmethod
    def of(
        cls,
        rows: object,
        *,
        variables: Mapping[str, Variable] | None = None,
        constraint: Constraint | None = None,
    ) -> Space:
        """Return a space in which only the listed candidates exist, up to a million.

        Numbers have an order: up to 20 different ones are the values of an `Ordinal`, more are the range of an `Integer` or
        `Real`. Anything else is a `Categorical`. Equal rows count once.

        Args:
            rows: A list of dicts, a data frame (anything with `columns` and `frame[name]`), or the path of a CSV file.
            variables: The variables of some columns, if others than these are meant. Those with `when` have no value, or an
                empty cell, in candidates in which they do not exist.
            constraint: Rules that a candidate must satisfy, as in `Space`.

        Returns:
            The space.

        Raises:
            SpaceError: If a row is incomplete, a value does not fit, or no candidate is left; the message lists all problems.
        """
        given = variables if isinstance(variables, Mapping) else {}
        columns = columns_of(rows, {name for name, one in given.items() if getattr(one, "when", None) is not None})
        from_file = isinstance(rows, str | os.PathLike)
        columns |= {n: as_declared(given[n], values, from_file=from_file) for n, values in columns.items() if n in given}
        space = cls(variables_of(columns, variables), constraint)
        candidates, columns = candidates_of(space._codec, columns)
        allowed = space._feasible(candidates.points)
        if not allowed.any():
            raise InfeasibleError(f"the constraint allows none of the {len(candidates)} candidates. Loosen it, or list others")
        kept = np.flatnonzero(allowed).tolist()
        listed = {name: [values[i] for i in kept] for name, values in columns.items()}
        space._listed = (Candidates(candidates.points[allowed]), listed)
        return space

    @property
    def candidates(self) -> list[dict[str, Scalar]] | None:
        """The listed candidates, each as a configuration; None if the space is not a list."""
        if self._listed is None:
            return None
        columns = self._listed[1]
        rows = (zip(columns, row, strict=True) for row in zip(*columns.values(), strict=True))
        return [{name: value for name, value in row if value is not None} for row in rows]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables, in order."""
        return tuple(self._codec.variables)

    @property
    def variables(self) -> Mapping[str, Variable]:
        """The variables by name, in order."""
        return MappingProxyType(dict(self._codec.variables))

    @property
    def constraint(self) -> tuple[Predicate | Forbid | Linear, ...]:
        """All rules that a configuration must satisfy."""
        return (*self._clauses, *self._linear, *self._predicates)

    @property
    def activity(self) -> Activity:
        """When variables exist; `space.activity.active(configuration)` returns the names of those that do."""
        return self._codec.activity

    @property
    def size(self) -> int | float:
        """The number of configurations, without the constraint: an exact int, or inf."""
        return self.domain.size

    @cached_property
    def domain(self) -> Domain:
        """The space as the algorithm sees it: numbers only, and no constants."""
        if self._listed is not None:
            return self._codec.domain(self._listed[0].contains, candidates=self._listed[0])
        repair = self._rules.repair if len(self._rules) else None
        return self._codec.domain(self._feasible if self.constraint else None, bool(self._predicates), repair)

    @cached_property
    def _rules(self) -> Rules:
        return Rules.of(self._codec, self._clauses, self._linear)

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
        """Draw random allowed configurations, uniform over the space (over logarithms for a log scale).

        Args:
            n: How many configurations to draw.
            rng: A generator, or a seed.

        Returns:
            The configurations.

        Raises:
            InfeasibleError: If no allowed configuration is found in a bounded number of tries.
            SpaceError: If `n` is not a whole number of at least 0.
        """
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise SpaceError(f"sample({n!r}, ...): the number of configurations is a whole number of at least 0")
        return self.decode(self.domain.sample(int(n), np.random.default_rng(rng)))

    def encode(self, configurations: Sequence[Configuration]) -> Points:
        """Return the points of configurations; the constraint is not checked.

        Args:
            configurations: A list of configurations.

        Returns:
            One point per configuration.

        Raises:
            SpaceError: If values do not fit the variables; the message lists all problems.
        """
        return self._codec.encode(configurations)

    def decode(self, points: Points) -> list[dict[str, Scalar]]:
        """Return the configurations of points.

        Args:
            points: Points of this space.

        Returns:
            One dict per point: every variable that exists there, in order, with native Python values. They are exact, except
            for reals without a step, which have the resolution of floats.
        """
        found = self._codec.decode(points)
        if self._listed is None:
            return found
        candidates, columns = self._listed
        for configuration, row in zip(found, candidates.rows(points).tolist(), strict=True):
            configuration |= {name: values[row] for name, values in columns.items() if row >= 0 and values[row] is not None}
        return found

    def rounded(self, points: Points) -> Points:
        """Return the points of the decoded configurations.

        Args:
            points: Points of this space.

        Returns:
            `encode(decode(points))`, which may differ in the last digits of reals without a step.
        """
        if self._listed is not None and self._listed[0].contains(points).all():
            return points
        return self._codec.rounded(points)

    def problems(self, configuration: Configuration) -> list[str]:
        """Return everything wrong with a configuration: values first, then the constraint.

        Args:
            configuration: The configuration to check.

        Returns:
            One text per problem; empty if the configuration is valid.
        """
        read = self._codec.read(configuration)
        return self._codec.problems(configuration) if read is None else self._broken_rules(read)

    def _broken_rules(self, read: dict[str, Scalar]) -> list[str]:
        """Return which rules of the constraint a configuration breaks."""
        problems: list[str] = []
        if self._listed is not None:
            point, candidates = self._codec.encode([read]), self._listed[0]
            if candidates.contains(point)[0]:
                return []
            nearest = candidates.points[int(np.argmin((candidates.points.h != point.h).sum(axis=1)))]
            hint = f"one of the nearest is {self.decode(nearest)[0]}"
            return [f"the configuration is not one of the {len(candidates)} listed candidates; {hint}"]
        for clause in self._clauses:
            if clause.applies(read):
                names = ", ".join(map(repr, clause.values))
                problems.append(f"the configuration is forbidden by {clause!r}; change {names}")
        for rule in self._linear:
            if not rule.holds(read):
                names = ", ".join(map(repr, rule.parsed[0]))
                problems.append(f"the configuration breaks {rule!r}; change {names}")
        problems = first_few(problems, "the configuration breaks {} more rules")
        if not problems:
            broken = [predicate_name(predicate) for predicate in self._predicates if not holds(predicate, read)]
            problems = [f"the configuration breaks the constraint {name}; change its values" for name in broken]
        return problems

    def validate(self, configuration: Configuration) -> None:
        """Raise an error if a configuration is not valid.

        Args:
            configuration: The configuration to check.

        Raises:
            SpaceError: If the configuration is not valid; the message lists all problems.
        """
        problems = self.problems(configuration)
        if problems:
            raise SpaceError(problems)

    def allows(self, configuration: Configuration) -> bool:
        """Return whether a configuration is valid and satisfies the constraint.

        Args:
            configuration: The configuration to check.

        Returns:
            True if it is allowed.
        """
        return not self.problems(configuration)

    def read(self, configuration: Configuration) -> dict[str, Scalar]:
        """Return a valid configuration as a new dict of native Python values, in the order of the variables.

        Args:
            configuration: The configuration to read, for example with NumPy values.

        Returns:
            The configuration.

        Raises:
            SpaceError: If the configuration is not valid; the message lists all problems.
        """
        read = self._codec.read(configuration)
        problems = self._codec.problems(configuration) if read is None else self._broken_rules(read)
        if read is None or problems:
            raise SpaceError(problems)
        return read

    def fixed(self, values: Mapping[str, Any]) -> Fixed:
        """Return some values as fixed coordinates of points.

        Args:
            values: The value of each fixed variable, by name.

        Returns:
            The coordinates.

        Raises:
            SpaceError: If a name is unknown, a value does not fit, a variable cannot exist with the other values, or no listed
                candidate has them; the message lists all problems.
        """
        if not isinstance(values, Mapping):
            raise SpaceError(f"got {short_repr(values)} as fixed values; give a dict of names and values")
        held = self._codec.fixed(values)
        if self._listed is not None and not held.ways(self.domain):
            raise SpaceError(f"no candidate has {dict(values)}; fix values that one of the candidates has")
        return held

    def fix(self, /, **values: Scalar) -> Space:
        """Return the space with some variables constant; they stay part of every configuration in which they exist.

        Variables that cannot exist with these values are left out.

        Args:
            **values: The value of each variable to fix.

        Returns:
            The smaller space.

        Raises:
            SpaceError: If a name is unknown or a value does not fit.
        """
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
        constants = {name: only_value(variables[name]) for name in values}
        if self._listed is not None:
            return self._fixed_rows(variables, constants)
        kept = without_impossible(variables, constants)
        gone = [name for name in values if name not in kept]
        if gone:
            raise SpaceError([f"{name!r} exists only when {self[name].when}; drop it, or fix its parents" for name in gone])
        left = [clause.fixed(constants) for clause in self._clauses if all(name in kept for name in clause.values)]
        linear = [rule for rule in (rule.part(kept) for rule in self._linear) if rule is not None]
        return Space(kept, [*(clause for clause in left if clause is not None), *linear, *self._predicates])

    def _fixed_rows(self, variables: Mapping[str, Variable], constants: Mapping[str, Scalar]) -> Space:
        """Return the space of those candidates that have some values."""
        rows = [row for row in self.candidates or [] if all(row.get(name) == value for name, value in constants.items())]
        if not rows:
            raise SpaceError(f"no candidate has {dict(constants)}; fix values that one of the candidates has")
        left = {name for row in rows for name in row}
        return Space.of(rows, variables={name: variable for name, variable in variables.items() if name in left})

    def to_dict(self) -> dict[str, Any]:
        """Return the space as plain values, ready for JSON.

        Returns:
            A dict with variables, clauses, linear rules and the number of predicates, which `from_dict` asks for again.
        """
        return {
            "variables": [variable_to_dict(name, variable) for name, variable in self._codec.variables.items()],
            **rules_to_dict(self._clauses, self._linear, 0 if self._listed else len(self._predicates)),
            **({} if self._listed is None else {"candidates": self._listed[1]}),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any], constraint: Constraint | None = None) -> Space:
        """Return the space that `to_dict` wrote.

        Args:
            record: The dict.
            constraint: The predicates of the space, if it had any.

        Returns:
            The space.

        Raises:
            SpaceError: If the record is invalid, or predicates are missing.
        """
        variables = variables_from(record)
        if "candidates" in record:
            return cls.of(record["candidates"], variables=dict(variables))
        return cls(variables, rules_from(record, constraint))

    def _feasible(self, points: Points) -> Mask:
        """Return which points are allowed: rules first, then predicates for the remaining rows."""
        mask = self._rules.allows(points)
        if self._predicates:
            left = np.flatnonzero(mask)
            for row, configuration in zip(left, self.decode(points[left]), strict=True):
                mask[row] = all(holds(predicate, configuration) for predicate in self._predicates)
        return mask

    def _identity(self) -> tuple[object, ...]:
        if self._listed is not None:
            return tuple(self._codec.variables.items()), tuple(digest(self._listed[1]).values())
        return tuple(self._codec.variables.items()), frozenset((*self._clauses, *self._linear)), self._predicates

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _repr_html_(self) -> str:
        """Return the variables and rules as a table, which notebooks show."""
        items = list(self._codec.variables.items())
        rows = [(name, repr(variable)) for name, variable in items[:SHOWN]]
        rows += [("...", f"{len(items)} variables in all")] if len(items) > SHOWN else []
        return html_table([*rows, *(("rule", text) for text in self._rule_texts())], ("variable", "values"))

    def _rule_texts(self) -> list[str]:
        """Return the rules of the constraint as texts; of many rules, the first few."""
        linear = (repr(rule.text) for rule in self._linear)
        return first_few([*map(repr, self._clauses), *linear, *map(predicate_name, self._predicates)], "... and {} more")

    def __repr__(self) -> str:
        items = list(self._codec.variables.items())
        lines = [f"    {name!r}: {variable!r}," for name, variable in items[:SHOWN]]
        if len(items) > SHOWN:
            lines.append(f"    ... ({len(items)} variables in all)")
        rules = self._rule_texts()
        constraint = f", constraint=[{', '.join(rules)}]" if rules else ""
        listed = "" if self._listed is None else f"of {len(self._listed[0])} candidates, "
        return "\n".join([f"Space({listed}{{", *lines, "}" + constraint + ")"])


def _named(variables: object) -> tuple[dict[str, Variable], set[str], list[str]]:
    """Return the valid variables by name, the names of the others, and all problems."""
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
    rule = "a variable is a Categorical, Ordinal, Integer or Real"
    hint = ""
    if isinstance(variable, tuple) and len(variable) == 2 and all(type(bound) in (int, float) for bound in variable):
        whole = all(type(bound) is int for bound in variable)
        hint = f" Did you mean Real{variable!r}{f' or Integer{variable!r}' if whole else ''}?"
    elif isinstance(variable, list | tuple):
        hint = f" Did you mean Categorical({short_repr(list(variable))})?"
    return [f"{name!r} is {short_repr(variable)} (a {type(variable).__name__}); {rule}.{hint}"]
