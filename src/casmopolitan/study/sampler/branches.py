"""Scripts with branches: which parameters exist, given the values of others, as the trials so far show.

A parameter that some trials do not have exists under a condition. The condition found for it is the simplest one that fits all
trials: certain values of as few other parameters as possible. The parents of a parameter exist in more trials than it does, so
conditions contain no cycle.

A parameter may have been added to the script later. Then its condition need only fit the trials since the first one that has
it, of which there must be a few. This explanation is preferred if it needs fewer parents, but not to a single parent: a new
branch is more common. If no condition fits, the parameter is not modelled, unless each of the latest trials has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.trial import FrozenTrial

from casmopolitan.space import NARROW
from casmopolitan.study.compat import contains

Conditions = dict[str, dict[str, tuple[Any, ...]]]
"""For each parameter that does not always exist, its parents and the values of which they must have one."""


LATEST = 10
"""How many of the latest trials show that a script has changed for good."""

FEW = 3
"""How many trials since the first one that has a parameter show that it was added, unless it has a default."""


class Modelled(NamedTuple):
    """The parameters that can be modelled, and when they exist."""

    distributions: dict[str, BaseDistribution]
    conditions: Conditions
    added: dict[str, int]
    """The number of the first trial that has a parameter, for those that were added later."""


@dataclass(frozen=True, eq=False)
class Branches:
    """The parameters of some trials (n >= 1), with the distributions in which they are modelled.

    `defaults` are the values that trials had before a parameter was added.
    """

    trials: Sequence[FrozenTrial]
    distributions: Mapping[str, BaseDistribution]
    defaults: Mapping[str, Any] = field(default_factory=dict)

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
    def known(self) -> dict[str, frozenset[int]]:
        """The positions of the trials with a known value of each parameter: its own, or the default of before it was added."""
        before = {n: everywhere(self.trials) - self._since(n) for n in self.distributions if n in self.defaults}
        return {name: present | before.get(name, frozenset()) for name, present in self.present.items()}

    @cached_property
    def modelled(self) -> Modelled:
        """The parameters that always exist or have a condition, the conditions, and since when they exist."""
        found = Modelled({}, {}, {})
        for name in sorted(self.distributions, key=lambda name: (-len(self.known[name]), name)):
            condition, trials = self._explanation(name, list(found.distributions))
            if condition is None:
                continue
            found.distributions[name] = self.distributions[name]
            if condition:
                found.conditions[name] = condition
            if trials < everywhere(self.trials):
                found.added[name] = min(self.trials[i].number for i in self.present[name])
        return found._replace(distributions={n: d for n, d in self.distributions.items() if n in found.distributions})

    @property
    def unexplained(self) -> list[str]:
        """The parameters of which the trials so far do not explain when they exist, but for those that are new."""
        left = [name for name in self.distributions if name not in self.modelled.distributions]
        return [name for name in left if len(self._since(name)) >= FEW]

    def _explanation(self, name: str, kept: Sequence[str]) -> tuple[dict[str, tuple[Any, ...]] | None, frozenset[int]]:
        """Return the condition of a parameter, and the positions of the trials that it explains; None if there is none."""
        every, since = everywhere(self.trials), self._since(name)
        whole = None if name in self.defaults else self._condition(name, kept, every)
        if whole is not None and len(whole) < 2:
            return whole, every
        enough = len(since) >= FEW or name in self.defaults
        later = self._condition(name, kept, since) if enough else None
        if later is not None and (whole is None or len(later) < len(whole)):
            return later, since
        latest = frozenset(sorted(every, key=lambda i: self.trials[i].number)[-LATEST:])
        if whole is None and len(latest) == LATEST and latest <= self.present[name]:
            return {}, latest
        return whole, every

    def _since(self, name: str) -> frozenset[int]:
        """Return the positions of the trials from the first one that has a parameter."""
        first = min(self.trials[i].number for i in self.present[name])
        return frozenset(i for i, trial in enumerate(self.trials) if trial.number >= first)

    def _condition(self, name: str, kept: Sequence[str], among: frozenset[int]) -> dict[str, tuple[Any, ...]] | None:
        """Return the simplest condition that holds exactly in those of some trials that have a parameter."""
        own = self.present[name] & among
        usable = [q for q in kept if self.known[q] & among > own and has_few_values(self.distributions[q])]
        values = {q: levels for q in usable if (levels := self._values(q, own))}
        without = among - own
        excluded = {q: frozenset(i for i in without if self._value(q, i) not in values[q]) for q in values}
        found: dict[str, tuple[Any, ...]] = {}
        while without:
            usable = [q for q in excluded if excluded[q] & without]
            if not usable:
                return None
            best = min(usable, key=lambda q: (-len(excluded[q] & without), -len(self.known[q]), self._distance(q, name), q))
            found[best] = values[best]
            without -= excluded[best]
        return found

    def _value(self, name: str, i: int) -> Any:
        """Return the value of a parameter in a trial, or the default that it had before; a marker if it has none."""
        value = self.trials[i].params.get(name, _ABSENT)
        return self.defaults[name] if value is _ABSENT and i in self.known[name] else value

    def _values(self, parent: str, positions: frozenset[int]) -> tuple[Any, ...]:
        """Return the different values of a parameter in some trials that it still may have, in their order."""
        distribution, found = self.distributions[parent], dict[float, Any]()
        for i in sorted(positions):
            value = self._value(parent, i)
            if contains(distribution, value):
                found.setdefault(distribution.to_internal_repr(value), value)
        return tuple(found[key] for key in sorted(found))

    def _distance(self, parent: str, name: str) -> int:
        """Return how many parameters after its parent a parameter was suggested: scripts often use a choice at once."""
        names = list(self.trials[min(self.present[name])].params)
        return (names.index(name) - names.index(parent)) % len(names) if parent in names else len(names)


_ABSENT = object()


def everywhere(trials: Sequence[FrozenTrial]) -> frozenset[int]:
    """Return the positions of all trials."""
    return frozenset(range(len(trials)))


def has_few_values(distribution: BaseDistribution) -> bool:
    """Return whether a parameter can be a parent: it is categorical, or a narrow integer."""
    if isinstance(distribution, IntDistribution):
        return (distribution.high - distribution.low) // distribution.step < NARROW
    return isinstance(distribution, CategoricalDistribution)
