"""Scripts with branches: which parameters exist, given the values of others, as the trials so far show.

A parameter that some trials do not have exists under a condition. The condition found for it is the simplest one that fits all
trials: certain values of as few other parameters as possible. The parents of a parameter exist in more trials than it does, so
conditions contain no cycle. If no condition fits, the parameter is not modelled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.trial import FrozenTrial

from casmopolitan.space import NARROW

Conditions = dict[str, dict[str, tuple[Any, ...]]]
"""For each parameter that does not always exist, its parents and the values of which they must have one."""


@dataclass(frozen=True, eq=False)
class Branches:
    """The parameters of some trials (n >= 1), with the distributions that all trials agree on."""

    trials: Sequence[FrozenTrial]
    distributions: Mapping[str, BaseDistribution]

    @cached_property
    def present(self) -> dict[str, frozenset[int]]:
        """The positions of the trials that have each parameter."""
        found: dict[str, list[int]] = {name: [] for name in self.distributions}
        for i, trial in enumerate(self.trials):
            for name in trial.params:
                if name in found:
                    found[name].append(i)
        return {name: frozenset(positions) for name, positions in found.items()}

    @cached_property
    def modelled(self) -> tuple[dict[str, BaseDistribution], Conditions]:
        """The parameters that always exist or have a condition, and the conditions."""
        everywhere = frozenset(range(len(self.trials)))
        kept, conditions = set[str](), Conditions()
        for name in sorted(self.distributions, key=lambda name: (-len(self.present[name]), name)):
            if self.present[name] == everywhere:
                kept.add(name)
                continue
            parents = [q for q in kept if self.present[q] > self.present[name] and has_few_values(self.distributions[q])]
            condition = self._condition(name, parents)
            if condition is not None:
                kept.add(name)
                conditions[name] = condition
        return {name: d for name, d in self.distributions.items() if name in kept}, conditions

    def _condition(self, name: str, parents: Sequence[str]) -> dict[str, tuple[Any, ...]] | None:
        """Return the simplest condition on the parents that holds exactly in the trials that have a parameter."""
        values = {parent: self._values(parent, self.present[name]) for parent in parents}
        without = frozenset(range(len(self.trials))) - self.present[name]
        excluded = {
            parent: frozenset(i for i in without if self.trials[i].params.get(parent, _ABSENT) not in values[parent])
            for parent in parents
        }
        found: dict[str, tuple[Any, ...]] = {}
        while without:
            usable = [parent for parent in parents if excluded[parent] & without]
            if not usable:
                return None
            best = min(usable, key=lambda p: (-len(excluded[p] & without), -len(self.present[p]), self._distance(p, name), p))
            found[best] = values[best]
            without -= excluded[best]
        return found

    def _values(self, parent: str, positions: frozenset[int]) -> tuple[Any, ...]:
        """Return the different values of a parameter in some trials, in the order of its distribution."""
        internal = self.distributions[parent].to_internal_repr
        found = {internal(value): value for i in sorted(positions) for value in [self.trials[i].params[parent]]}
        return tuple(found[key] for key in sorted(found))

    def _distance(self, parent: str, name: str) -> int:
        """Return how many parameters after its parent a parameter was suggested: scripts often use a choice at once."""
        names = list(self.trials[min(self.present[name])].params)
        return (names.index(name) - names.index(parent)) % len(names)


_ABSENT = object()


def has_few_values(distribution: BaseDistribution) -> bool:
    """Return whether a parameter can be a parent: it is categorical, or a narrow integer."""
    if isinstance(distribution, IntDistribution):
        return (distribution.high - distribution.low) // distribution.step < NARROW
    return isinstance(distribution, CategoricalDistribution)
