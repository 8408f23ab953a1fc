"""Constraints on configurations: predicates, and forbidden combinations, which can be saved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from casmopolitan.errors import MisfitError, SpaceError
from casmopolitan.formatting import did_you_mean, join_values, short_repr
from casmopolitan.scalars import Scalar, key
from casmopolitan.space.choices import native_tuple
from casmopolitan.space.variables import Variable

Configuration = Mapping[str, Scalar]
"""A dict with the name and value of every variable."""

Predicate = Callable[[dict[str, Any]], bool]
"""A function that returns True for allowed configurations. One suggestion calls it up to hundreds of times."""


@dataclass(frozen=True, eq=False, repr=False)
class Forbid:
    """A combination of values that no configuration may have: `Forbid({"a": "x", "b": [1, 2]})`.

    Args:
        clause: For each variable, a value or a list of values. A configuration is forbidden if every named variable has
            one of its listed values. Only variables with finitely many values can be named.
    """

    clause: Mapping[str, Scalar | Iterable[Scalar]]

    def __post_init__(self) -> None:
        if isinstance(self.clause, Mapping):
            object.__setattr__(self, "clause", {name: _alternatives(values) for name, values in self.clause.items()})

    @property
    def values(self) -> dict[str, tuple[Scalar, ...]]:
        """The forbidden values of each variable."""
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
            elif variables[name].count == np.inf:
                found.append(
                    f"{self!r} names {name!r}, which has infinitely many values. Give it a step; in Python, a predicate can "
                    "forbid a range"
                )
            elif not values:
                found.append(f"{self!r} lists no value for {name!r}; list at least one, or drop the name")
            else:
                found += [f"{self!r}: {text}" for text in misfits(name, variables[name], values)]
        if found or not unsound.isdisjoint(self.values):
            return found
        read = self.read(variables).values
        if all(len(set(map(key, values))) == variables[name].count for name, values in read.items()):
            found.append(f"{self!r} forbids every configuration; leave at least one value free")
        return found

    def read(self, variables: Mapping[str, Variable]) -> Forbid:
        """Return the clause with native values.

        Args:
            variables: The variables of the space, by name.

        Returns:
            The clause.
        """
        return Forbid({name: [variables[name].read(v) for v in values] for name, values in self.values.items()})

    def fixed(self, constants: Mapping[str, Scalar]) -> Forbid | None:
        """Return the part of the clause that remains if some variables are constant.

        Args:
            constants: Values of the constant variables, by name.

        Returns:
            The remaining clause; None if it can never apply.
        """
        left: dict[str, tuple[Scalar, ...]] = {}
        for name, values in self.values.items():
            kept = values if name not in constants else tuple(v for v in values if key(v) == key(constants[name]))
            if not kept:
                return None
            left[name] = kept
        return Forbid(left)

    def applies(self, configuration: Configuration) -> bool:
        """Return whether the clause forbids a configuration.

        Args:
            configuration: A configuration with native values.

        Returns:
            True if it is forbidden.
        """
        return all(key(configuration[name]) in map(key, values) for name, values in self.values.items())

    def _identity(self) -> frozenset[tuple[str, frozenset[object]]]:
        return frozenset((name, frozenset(map(key, values))) for name, values in self.values.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Forbid) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        clause: object = self.clause
        if not isinstance(clause, Mapping):
            return f"Forbid({short_repr(clause)})"
        texts = {n: short_repr(v[0]) if len(v) == 1 else f"[{join_values(v)}]" for n, v in self.values.items()}
        return f"Forbid({{{', '.join(f'{name!r}: {text}' for name, text in texts.items())}}})"


Constraint = Predicate | Forbid | Iterable[Predicate | Forbid]
"""The constraint of a `Space`: one rule, or a list of rules that must all hold."""


def rules_of(constraint: Constraint | None) -> list[Any]:
    """Return the rules of a constraint as a list, valid or not."""
    if constraint is None:
        return []
    one = isinstance(constraint, Forbid | str | Mapping) or callable(constraint) or not isinstance(constraint, Iterable)
    return [constraint] if one else list(constraint)  # type: ignore[arg-type]


def gathered(constraint: Constraint | None) -> tuple[list[Forbid], list[Predicate], list[str]]:
    """Return the clauses, the predicates, and one problem per rule that is neither."""
    rules, problems = rules_of(constraint), []
    for rule in rules:
        if not isinstance(rule, Forbid) and not callable(rule):
            hint = f" Did you mean Forbid({short_repr(rule)})?" if isinstance(rule, Mapping) else ""
            rule_text = "a constraint is a function of a configuration, a Forbid, or a list of those"
            problems.append(f"the constraint {short_repr(rule)} is a {type(rule).__name__}; {rule_text}.{hint}")
    clauses = [rule for rule in rules if isinstance(rule, Forbid)]
    return clauses, [rule for rule in rules if callable(rule)], problems


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
    """Return a single value or a list of values as a tuple."""
    many = isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping)
    return native_tuple(list(values) if many else [values])  # type: ignore[call-overload]
