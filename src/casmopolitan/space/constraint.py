"""Constraints on configurations: predicates, and rules that can be saved: forbidden combinations and linear rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from casmopolitan.errors import MisfitError, SpaceError
from casmopolitan.formatting import did_you_mean, join_values, short_repr
from casmopolitan.scalars import Scalar, key
from casmopolitan.space.interval import Interval
from casmopolitan.space.linear import Linear
from casmopolitan.space.variables import Variable
from casmopolitan.space.when import alternatives

Configuration = Mapping[str, Scalar]
"""A dict with the name and value of every variable that exists in it."""

Predicate = Callable[[dict[str, Any]], bool]
"""A function that returns True for allowed configurations. One suggestion calls it up to hundreds of times.

A variable with a condition may be missing: `c.get("C", 0) < 5`."""

Alternatives = tuple[Scalar, ...] | Interval
"""The values of one variable that a clause names: a list of values, or a range of numbers."""


@dataclass(frozen=True, eq=False, repr=False)
class Forbid:
    """A combination of values that no configuration may have: `Forbid({"a": "x", "b": [1, 2], "c": {"from": 80}})`.

    Args:
        clause: For each variable a value, a list of values, or a range of numbers: {"from": 80, "to": 120}, with both ends
            included and one of them possibly missing. A configuration is forbidden if every named variable has one of
            these values. Of a variable with infinitely many values only a range can be named. A variable that does not
            exist in a configuration has none of them.
    """

    clause: Mapping[str, Scalar | Iterable[Scalar] | Mapping[str, float]]

    def __post_init__(self) -> None:
        if isinstance(self.clause, Mapping):
            object.__setattr__(self, "clause", {name: _alternatives(values) for name, values in self.clause.items()})

    @property
    def values(self) -> dict[str, Alternatives]:
        """The forbidden values of each variable: a tuple, or an interval."""
        clause: object = self.clause
        return clause if isinstance(clause, dict) else {}

    def problems(self, variables: Mapping[str, Variable], unsound: Set[str] = frozenset()) -> list[str]:
        """Return everything wrong with the clause in a space.

        Args:
            variables: The valid variables of the space, by name.
            unsound: Names of invalid variables, which are reported elsewhere.

        Returns:
            One text per problem; empty if there is none.
        """
        if not self.values:
            return [f"{self!r} names no variable; give a dict of names and values, e.g. Forbid({{'a': 'x', 'b': [1, 2]}})"]
        found = []
        for name, values in self.values.items():
            if name in unsound:
                continue
            if name not in variables:
                found.append(f"{self!r} names {name!r}, which is not a variable of the space.{did_you_mean(name, variables)}")
            elif isinstance(values, Interval):
                found += [f"{self!r}: {text}" for text in values.problems(name, variables[name])]
            elif variables[name].count == np.inf:
                found.append(
                    f"{self!r} names {name!r}, which has infinitely many values. Forbid a range such as "
                    "{'from': 80, 'to': 120}, or give the variable a step or digits"
                )
            elif not values:
                found.append(f"{self!r} lists no value for {name!r}; list at least one, or drop the name")
            else:
                found += [f"{self!r}: {text}" for text in misfits(name, variables[name], values)]
        if found or not unsound.isdisjoint(self.values):
            return found
        read = self.read(variables).values
        if all(variables[name].when is None and _covers(values, variables[name]) for name, values in read.items()):
            found.append(f"{self!r} forbids every configuration; leave at least one value free")
        return found

    def read(self, variables: Mapping[str, Variable]) -> Forbid:
        """Return the clause with native values.

        Args:
            variables: The variables of the space, by name.

        Returns:
            The clause.
        """
        read = {
            name: values.to_dict() if isinstance(values, Interval) else [variables[name].read(v) for v in values]
            for name, values in self.values.items()
        }
        return Forbid(read)

    def fixed(self, constants: Mapping[str, Scalar]) -> Forbid | None:
        """Return the part of the clause that remains if some variables are constant.

        Args:
            constants: Values of the constant variables, by name.

        Returns:
            The remaining clause; None if it can never apply.
        """
        if any(name in constants and not _has(values, constants[name]) for name, values in self.values.items()):
            return None
        return Forbid(self.to_dict() | {name: constants[name] for name in self.values if name in constants})

    def applies(self, configuration: Configuration) -> bool:
        """Return whether the clause forbids a configuration.

        Args:
            configuration: A configuration with native values.

        Returns:
            True if it is forbidden.
        """
        return all(name in configuration and _has(values, configuration[name]) for name, values in self.values.items())

    def to_dict(self) -> dict[str, Any]:
        """Return the clause as plain values, ready for JSON.

        Returns:
            For each variable a list of values, or a dict of the ends of a range.
        """
        pairs = self.values.items()
        return {name: values.to_dict() if isinstance(values, Interval) else list(values) for name, values in pairs}

    def _identity(self) -> frozenset[tuple[str, object]]:
        pairs = self.values.items()
        return frozenset((n, v if isinstance(v, Interval) else frozenset(map(key, v))) for n, v in pairs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Forbid) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        clause: object = self.clause
        if not isinstance(clause, Mapping):
            return f"Forbid({short_repr(clause)})"
        texts = {n: _spelt(values) for n, values in self.values.items()}
        return f"Forbid({{{', '.join(f'{name!r}: {text}' for name, text in texts.items())}}})"


Constraint = Predicate | Forbid | Linear | str | Iterable[Predicate | Forbid | Linear | str]
"""The constraint of a `Space`: one rule, or a list of rules that must all hold. A string is a linear rule."""


def rules_of(constraint: Constraint | None) -> list[Any]:
    """Return the rules of a constraint as a list, valid or not; strings become linear rules."""
    if constraint is None:
        return []
    single = isinstance(constraint, Forbid | Linear | str | Mapping) or callable(constraint)
    rules = [constraint] if single or not isinstance(constraint, Iterable) else list(constraint)
    return [Linear(rule) if isinstance(rule, str) else rule for rule in rules]


def gathered(constraint: Constraint | None) -> tuple[list[Forbid], list[Linear], list[Predicate], list[str]]:
    """Return the clauses, the linear rules, the predicates, and one problem per rule that is none of them."""
    rules, problems = rules_of(constraint), []
    for rule in rules:
        if not isinstance(rule, Forbid | Linear) and not callable(rule):
            hint = f" Did you mean Forbid({short_repr(rule)})?" if isinstance(rule, Mapping) else ""
            kinds = "a Forbid, a linear rule such as 'a + b <= 1', a function of a configuration, or a list of those"
            problems.append(f"the constraint {short_repr(rule)} is a {type(rule).__name__}; a constraint is {kinds}.{hint}")
    clauses, linear = [rule for rule in rules if isinstance(rule, Forbid)], [rule for rule in rules if isinstance(rule, Linear)]
    return clauses, linear, [rule for rule in rules if callable(rule)], problems


def holds(predicate: Predicate, configuration: Configuration) -> bool:
    """Return the predicate's result; None is an error, since it would forbid everything."""
    answer: object = predicate(dict(configuration))
    if answer is None:
        raise SpaceError(f"the constraint {predicate_name(predicate)} returned None; it must return True or False")
    return bool(answer)


def predicate_name(predicate: Predicate) -> str:
    """Return the name of a predicate, or of its type."""
    return str(getattr(predicate, "__qualname__", type(predicate).__name__))


def misfits(name: str, variable: Variable, values: Iterable[object]) -> list[str]:
    """Return one text per value that the variable does not take."""
    found = []
    for value in values:
        try:
            variable.read(value)
        except MisfitError as misfit:
            found.append(f"{type(variable).__name__} {name!r} {misfit}")
    return found


def _alternatives(values: object) -> object:
    """Return a single value or a list of values as a tuple, and the ends of a range as an interval."""
    return Interval.of(values) if isinstance(values, Mapping) else alternatives(values)


def _has(values: Alternatives, value: Scalar) -> bool:
    """Return whether a native value is among the values of a clause."""
    return value in values if isinstance(values, Interval) else key(value) in map(key, values)


def _covers(values: Alternatives, variable: Variable) -> bool:
    """Return whether the values of a clause are all that a variable has."""
    return values.covers(variable) if isinstance(values, Interval) else len(set(map(key, values))) == variable.count


def _spelt(values: Alternatives) -> str:
    if isinstance(values, Interval):
        return repr(values)
    return short_repr(values[0]) if len(values) == 1 else f"[{join_values(values)}]"
