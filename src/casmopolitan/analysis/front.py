"""Trials with several objectives or limits: which are the best, how the front grew, which limits are met."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

import numpy as np

from casmopolitan.core.front import contributions, hypervolume, non_dominated, reference_point
from casmopolitan.core.outcomes import layers
from casmopolitan.core.points import Array
from casmopolitan.goals import Goals


class Measured(Protocol):
    """A trial or a row of one."""

    @property
    def number(self) -> int:
        """Its number."""

    @property
    def value(self) -> float | None:
        """The value of the only objective."""

    @property
    def outcomes(self) -> dict[str, float | None] | None:
        """All outcomes by name."""


T = TypeVar("T", bound=Measured)


def core_values(trials: Sequence[Measured], goals: Goals) -> Array:
    """Return all outcomes in the core's order and sign, nan where one is unknown: (n, outcomes)."""
    unknown = (None,) * goals.outcomes.count
    told = [trial.value if goals.outcomes.plain else trial.outcomes for trial in trials]
    values = [unknown if one is None else goals.to_core(one) for one in told]
    return goals.outcomes.array(value if isinstance(value, tuple) else (value,) for value in values)


def best_first(trials: Sequence[T], goals: Goals) -> list[T]:
    """Return the trials that meet all limits and whose objectives are known, the best first, of equal ones the earlier.

    With several objectives the front comes first, then the front of the remaining trials, and so on, each in the order of the
    first objective.
    """
    values = core_values(trials, goals)
    among = goals.outcomes.candidates(values)
    objectives = values[:, : goals.outcomes.objectives]
    rank = objectives[:, 0] if goals.single else layers(objectives, among)
    first = objectives[:, goals.names.index(next(iter(goals.objectives)))]
    kept = np.flatnonzero(among).tolist()
    return [trials[k] for k in sorted(kept, key=lambda k: (rank[k], first[k], trials[k].number))]


def front_of(trials: Sequence[T], goals: Goals) -> list[T]:
    """Return the trials that no other dominates, in the order of the first objective; with one objective, the best trial."""
    ordered = best_first(trials, goals)
    if goals.single:
        return ordered[:1]
    kept = np.flatnonzero(non_dominated(core_values(ordered, goals)[:, : goals.outcomes.objectives]))
    return [ordered[k] for k in kept.tolist()]


def closest(trials: Sequence[T], goals: Goals) -> T | None:
    """Return the trial that violates the limits least, None if none is known in full: the best until one meets them all."""
    values = core_values(trials, goals)
    violations = goals.outcomes.violations(values, values)
    known = np.flatnonzero(np.isfinite(violations)).tolist()
    return trials[min(known, key=lambda k: (violations[k], trials[k].number))] if known else None


def reference_of(trials: Sequence[Measured], goals: Goals) -> dict[str, float] | None:
    """Return the reference point of the hypervolume by name, in the user's sign; None if the front is empty."""
    front = core_values(front_of(trials, goals), goals)[:, : goals.outcomes.objectives]
    if not len(front):
        return None
    point = reference_point(front, goals.outcomes.reference)
    found = {name: sign * float(x) for name, sign, x in zip(goals.names, goals.signs, point, strict=False)}
    return {name: found[name] for name in goals.objectives}


def largest_contribution(front: Sequence[T], goals: Goals) -> T:
    """Return the trial of a front without which the hypervolume would shrink most."""
    values = core_values(front, goals)[:, : goals.outcomes.objectives]
    return front[int(np.argmax(contributions(values, reference_point(values, goals.outcomes.reference))))]


def hypervolumes(trials: Sequence[Measured], goals: Goals) -> list[float]:
    """Return the hypervolume of the front after each trial, all with the reference point of the last front."""
    values = core_values(trials, goals)
    among = goals.outcomes.candidates(values)
    if not among.any():
        return [0.0] * len(trials)
    objectives = values[:, : goals.outcomes.objectives]
    reference = reference_point(objectives[among][non_dominated(objectives[among])], goals.outcomes.reference)
    found: list[float] = []
    front = objectives[:0]
    for row, counts in zip(objectives, among, strict=True):
        if counts and not (front <= row).all(axis=1).any():
            front = np.vstack([front[~(row <= front).all(axis=1)], row])
            found.append(hypervolume(front, reference))
        else:
            found.append(found[-1] if found else 0.0)
    return found
