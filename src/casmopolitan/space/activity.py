"""Which variables of a configuration are active, and the problems of the conditions of a space."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from casmopolitan.errors import MisfitError
from casmopolitan.formatting import did_you_mean
from casmopolitan.scalars import Scalar, key
from casmopolitan.space.constraint import misfits
from casmopolitan.space.ranges import NARROW
from casmopolitan.space.variables import Variable, is_discrete
from casmopolitan.space.when import When


def condition_problems(variables: Mapping[str, Variable], unsound: Set[str] = frozenset()) -> list[str]:
    """Return everything wrong with the conditions of a space.

    Args:
        variables: The valid variables of the space, by name.
        unsound: Names of invalid variables, which are reported elsewhere.

    Returns:
        One text per problem; empty if there is none.
    """
    found = []
    for name, variable in variables.items():
        who = f"{type(variable).__name__} {name!r}"
        for parent, values in condition_of(variable).items():
            if parent in unsound:
                continue
            if parent not in variables:
                hint = did_you_mean(parent, variables)
                found.append(f"{who} has when={variable.when!r}, but {parent!r} is not a variable of the space.{hint}")
            elif not is_discrete(variables[parent]):
                rule = f"a parent must be a Categorical, an Ordinal, or an Integer with at most {NARROW} values"
                found.append(
                    f"{who} has when={variable.when!r}, but {parent!r} is a {type(variables[parent]).__name__}; {rule}"
                )
            else:
                found += [f"{who} has when={variable.when!r}: {text}" for text in misfits(parent, variables[parent], values)]
    if not found:
        found = [
            f"the conditions of {' -> '.join(map(repr, cycle))} form a cycle; drop one of them" for cycle in _cycles(variables)
        ]
    return found


def _cycles(variables: Mapping[str, Variable]) -> list[list[str]]:
    """Return a cycle of conditions, if there is one: each variable depends on the next."""
    left = {name: [parent for parent in condition_of(v) if parent in variables] for name, v in variables.items()}
    while ends := [name for name, parents in left.items() if not any(parent in left for parent in parents)]:
        for name in ends:
            del left[name]
    if not left:
        return []
    path = [next(iter(left))]
    while path[-1] not in path[:-1]:
        path.append(next(parent for parent in left[path[-1]] if parent in left))
    return [path[path.index(path[-1]) :]]


def condition_of(variable: Variable) -> Mapping[str, tuple[Scalar, ...]]:
    """Return the condition of a variable; empty if it always exists."""
    return variable.when if isinstance(variable.when, When) else {}


def without_impossible(variables: Mapping[str, Variable], constants: Mapping[str, Scalar]) -> dict[str, Variable]:
    """Return the variables that can exist if some are constant; their conditions name the constants' values only."""
    left = dict(variables)
    for name in Activity(variables).order:
        condition = condition_of(variables[name])
        kept = {
            p: tuple(v for v in values if p not in constants or key(v) == key(constants[p])) for p, values in condition.items()
        }
        if not all(parent in left and values for parent, values in kept.items()):
            del left[name]
        elif condition:
            left[name] = replace(variables[name], when=When(kept))
    return left


@dataclass(frozen=True, eq=False)
class Activity:
    """When the variables of a space exist."""

    variables: Mapping[str, Variable]

    @cached_property
    def order(self) -> list[str]:
        """The names, parents before their children."""
        left, placed = list(self.variables), list[str]()
        while left:
            ready = [n for n in left if not any(parent in left for parent in condition_of(self.variables[n]))]
            placed += ready
            left = [name for name in left if name not in ready] if len(ready) < len(left) else []
        return placed

    @cached_property
    def indices(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """For each variable with a condition, its parents, and the indices of the values that they must have."""
        return {
            name: {p: tuple(dict.fromkeys(self.variables[p].indices(values))) for p, values in condition.items()}
            for name, variable in self.variables.items()
            if (condition := condition_of(variable))
        }

    def requirements(self, name: str) -> list[tuple[str, tuple[int, ...]]]:
        """Return the parents of a variable that are not constant, with the indices that they must have.

        A constant parent is replaced by its own parents.
        """
        found: list[tuple[str, tuple[int, ...]]] = []
        for parent, indices in self.indices.get(name, {}).items():
            constant = self.variables[parent].count == 1
            found += self.requirements(parent) if constant else [(parent, indices)]
        return found

    def active(self, configuration: Mapping[str, Any]) -> set[str]:
        """Return the names of the variables that exist, given the values of their parents in a configuration.

        Args:
            configuration: The values of parents at least. A missing or invalid value rules its children out.

        Returns:
            The names.
        """
        if not self.indices:
            return set(self.variables)
        active: set[str] = set()
        for name in self.order:
            if all(parent in active for parent in self.indices.get(name, {})) and self.exists(name, configuration):
                active.add(name)
        return active

    def exists(self, name: str, configuration: Mapping[str, Any]) -> bool:
        """Return whether the parents of a variable have the values that it needs."""
        return all(self._meets(configuration, parent, indices) for parent, indices in self.indices.get(name, {}).items())

    def undecided(self, configuration: Mapping[str, Any]) -> set[str]:
        """Return the variables of which a configuration does not say whether they exist: a parent has no valid value."""
        found: set[str] = set()
        for name in self.order:
            for parent in self.indices.get(name, {}):
                if parent in found or (
                    parent in configuration and misfits(parent, self.variables[parent], [configuration[parent]])
                ):
                    found.add(name)
        return found

    def _meets(self, configuration: Mapping[str, Any], parent: str, indices: Iterable[int]) -> bool:
        try:
            return parent in configuration and self.variables[parent].index(configuration[parent]) in indices
        except MisfitError:
            return False
