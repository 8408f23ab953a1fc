"""Which points may be suggested: those that are not taken yet, not crowded, and that the constraint allows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Array, Mask, Points, stack
from casmopolitan.core.state import State

REFINED = 0.01
"""The distance to evaluated points relative to `apart`, the distance to pending ones: x may be refined near the best."""


@dataclass(frozen=True, eq=False)
class Crowd:
    """The x of the points that have one h (n, d_x), and the distance to keep from each of them in each coordinate (n, d_x)."""

    x: Array
    reach: Array

    def holds(self, x: Array) -> Mask:
        """Return which rows of x (m, d_x) are within the reach of a point in every coordinate."""
        if not x.shape[1]:
            return np.ones(len(x), dtype=bool)
        row, point = np.nonzero(np.abs(x[:, :1] - self.x[:, 0]) <= self.reach[:, 0])  # few pairs are left after one coordinate
        close = (np.abs(x[row] - self.x[point]) <= self.reach[point]).all(axis=1)
        near = np.zeros(len(x), dtype=bool)
        near[row[close]] = True
        return near


@dataclass(frozen=True, eq=False)
class Eligibility:
    """The rule that no point is suggested twice, and the domain with its constraint.

    taken: identities of the points that are evaluated, pending or failed; if the objective is noisy, of those that only failed.
    failed_once: failed points that may be suggested once more if nothing else is left.
    known: points that are evaluated or pending.
    crowds: points to keep a distance from, as long as there are others, by their h.
    """

    domain: Domain
    taken: frozenset[bytes]
    failed_once: tuple[Points, ...] = ()
    known: tuple[Points, ...] = ()
    crowds: Mapping[bytes, Crowd] = field(default_factory=dict)

    @classmethod
    def of(cls, domain: Domain, config: Config, state: State) -> Eligibility:
        """Return the rule in a state; a noisy objective may be evaluated at the same point again."""
        live = [o.point for o in state.observations] + [s.point for s in state.pending.values()]
        taken = frozenset(stack(live).identities()) if live else frozenset()
        failed = Counter(point.identities()[0] for point in state.failures)
        failed_once = [p for p in state.failures if failed[key := p.identities()[0]] == 1 and key not in taken]
        taken = frozenset(failed.keys() - taken) if config.noisy else taken | failed.keys()
        return cls(domain, taken, tuple(failed_once), tuple(live), crowds_of(domain, config, state))

    def uncrowded(self) -> Eligibility:
        """Return the rule if the space is so full that only equal points are ruled out."""
        return replace(self, crowds={})

    def fresh(self, points: Points) -> Mask:
        """Return which points are neither taken nor crowded."""
        mask = ~self.crowded(points)
        if self.taken:
            mask &= ~np.fromiter(map(self.taken.__contains__, points.identities()), dtype=bool, count=len(points))
        return mask

    def crowded(self, points: Points) -> Mask:
        """Return which points have the h of a point to keep a distance from, and all of their x within its reach."""
        near = np.zeros(len(points), dtype=bool)
        alike = defaultdict(list)
        for i, h in enumerate(np.ascontiguousarray(points.h) if self.crowds else ()):
            alike[h.tobytes()].append(i)
        for h in alike.keys() & self.crowds.keys():
            near[alike[h]] = self.crowds[h].holds(points.x[alike[h]])
        return near

    def admits(self, points: Points) -> Mask:
        """Return which points are fresh and feasible; the constraint is checked for fresh ones only."""
        mask = self.fresh(points)
        if self.domain.feasible is not None and mask.any():
            mask[mask] = self.domain.allows(points[mask])
        return mask


def crowds_of(domain: Domain, config: Config, state: State) -> dict[bytes, Crowd]:
    """Return the points to keep a distance from: `apart` from pending points, much less from evaluated and failed ones.

    Neighbours on a grid are distinct evaluations, however small its steps are. A noisy objective may be evaluated again.
    """
    if not config.apart or (domain.d_x == 0 and not config.noisy):
        return {}
    done = [] if config.noisy else [o.point for o in state.observations] + list(state.failures)
    refined = np.array([0.0 if axis.gridded else REFINED * config.apart for axis in domain.axes])
    wide = np.full(domain.d_x, config.apart)
    rows = defaultdict(list)
    for point, reach in [*((p, refined) for p in done), *((s.point, wide) for s in state.pending.values())]:
        rows[point.h[0].tobytes()].append((point.x[0], reach))
    return {h: Crowd(*(np.stack(part) for part in zip(*pairs, strict=True))) for h, pairs in rows.items()}


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
