"""Which points may be suggested at all: not taken already, and allowed by the constraint."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.arrays import Mask
from casmopolitan.core.points import Domain, Points, stack
from casmopolitan.core.state import State


@dataclass(frozen=True, eq=False)
class Admission:
    """The identities of points evaluated, pending or failed (of a noisy objective only failed); the domain's constraint.

    `spare` are failed points that may be offered once more, when nothing else is left; `known` are those evaluated or pending.
    """

    domain: Domain
    taken: frozenset[bytes]
    spare: tuple[Points, ...] = ()
    known: tuple[Points, ...] = ()

    @classmethod
    def of(cls, domain: Domain, config: Config, state: State) -> Admission:
        """Never a duplicate: what is evaluated, pending or failed is taken; of a noisy objective only what has but failed."""
        live = [o.point for o in state.observations] + [s.point for s in state.pending.values()]
        taken = frozenset(stack(live).identities()) if live else frozenset()
        failed = Counter(point.identities()[0] for point in state.failures)
        spare = [p for p in state.failures if failed[key := p.identities()[0]] == 1 and key not in taken]
        if config.noisy:
            return cls(domain, frozenset(failed.keys() - taken), tuple(spare), tuple(live))
        return cls(domain, taken | failed.keys(), tuple(spare), tuple(live))

    def fresh(self, points: Points) -> Mask:
        """Which points are not taken."""
        if not self.taken:
            return np.ones(len(points), dtype=bool)
        return np.array([key not in self.taken for key in points.identities()], dtype=bool)

    def admits(self, points: Points) -> Mask:
        """Which points are fresh and feasible; the constraint is asked only about fresh ones."""
        mask = self.fresh(points)
        if self.domain.feasible is not None and mask.any():
            mask[mask] = self.domain.allows(points[mask])
        return mask


@dataclass(frozen=True, eq=False)
class Candidate:
    """One point to evaluate and its acquisition value."""

    point: Points
    value: float
