"""Which points may be suggested: those that are not taken yet and that the constraint allows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Array, Mask, Points, stack
from casmopolitan.core.state import State


@dataclass(frozen=True, eq=False)
class Eligibility:
    """The rule that no point is suggested twice, and the domain with its constraint.

    taken: identities of the points that are evaluated, pending or failed; if the objective is noisy, of those that only failed.
    failed_once: failed points that may be suggested once more if nothing else is left.
    known: points that are evaluated or pending.
    """

    domain: Domain
    taken: frozenset[bytes]
    failed_once: tuple[Points, ...] = ()
    known: tuple[Points, ...] = ()

    @classmethod
    def of(cls, domain: Domain, config: Config, state: State) -> Eligibility:
        """Return the rule in a state; a noisy objective may be evaluated at the same point again."""
        live = [o.point for o in state.observations] + [s.point for s in state.pending.values()]
        taken = frozenset(stack(live).identities()) if live else frozenset()
        failed = Counter(point.identities()[0] for point in state.failures)
        failed_once = [p for p in state.failures if failed[key := p.identities()[0]] == 1 and key not in taken]
        if config.noisy:
            return cls(domain, frozenset(failed.keys() - taken), tuple(failed_once), tuple(live))
        return cls(domain, taken | failed.keys(), tuple(failed_once), tuple(live))

    def fresh(self, points: Points) -> Mask:
        """Return which points are not taken."""
        if not self.taken:
            return np.ones(len(points), dtype=bool)
        return np.array([key not in self.taken for key in points.identities()], dtype=bool)

    def admits(self, points: Points) -> Mask:
        """Return which points are fresh and feasible; the constraint is checked for fresh ones only."""
        mask = self.fresh(points)
        if self.domain.feasible is not None and mask.any():
            mask[mask] = self.domain.allows(points[mask])
        return mask


@dataclass(frozen=True, eq=False)
class Candidate:
    """One point to evaluate and its acquisition value."""

    point: Points
    value: float


def best_eligible(points: Points, values: Array, eligibility: Eligibility, so_far: Candidate | None) -> Candidate | None:
    """Return the best eligible point, or the best so far if none is better; the constraint is checked best first."""
    for i in np.argsort(-values):
        if so_far is not None and not values[i] > so_far.value:
            break
        if np.isfinite(values[i]) and eligibility.admits(points[int(i)])[0]:
            return Candidate(points[int(i)], float(values[i]))
    return so_far
