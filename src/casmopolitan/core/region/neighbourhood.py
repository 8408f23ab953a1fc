"""TR_h × TR_x around one centre: the set of points that a search may visit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from casmopolitan.core.domain import BATCHES, Domain
from casmopolitan.core.partial import Fixed
from casmopolitan.core.points import Array, Codes, Mask, Points, stack
from casmopolitan.core.region import box, hamming
from casmopolitan.core.region.trust_region import TrustRegion

FEWEST = 16
"""The constraint is checked for at least this many points at a time."""

FEW, REPAIRED = 8, 128
"""If fewer than one in FEW points is allowed, up to REPAIRED points are changed until the constraint allows them."""


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """The points within Hamming radius `radius` of the centre's h and inside [low, high] in x.

    Coordinates that are `fixed` have the centre's value. Variables count only if they are active at both points.
    """

    domain: Domain
    centre: Points
    radius: int
    low: Array
    high: Array
    fixed: Fixed | None = None

    @classmethod
    def around(cls, domain: Domain, centre: Points, region: TrustRegion, lengthscales: Array) -> Neighbourhood:
        """Return the trust region around a centre; the sides of its box are weighted by the kernel's lengthscales."""
        d_x = domain.d_x
        if region.length is None:
            low, high = np.zeros(d_x), np.ones(d_x)
        else:
            low, high = box.bounds(centre.x[0], region.length, lengthscales)
            active = domain.active(centre)[0, domain.d_h :]
            low, high = np.where(active, low, 0.0), np.where(active, high, 1.0)
        return cls(domain, centre, domain.d_h if region.radius is None else region.radius, low, high)

    @classmethod
    def everywhere(cls, domain: Domain, centre: Points) -> Neighbourhood:
        """Return the whole space."""
        return cls(domain, centre, domain.d_h, np.zeros(domain.d_x), np.ones(domain.d_x))

    def fixing(self, fixed: Fixed) -> Neighbourhood:
        """Return the part with some coordinates fixed: the centre moves to them, and the box has no width there."""
        centre, low, high = fixed.applied(self.centre), self.low.copy(), self.high.copy()
        for k, coordinate in fixed.x.items():
            low[k] = high[k] = coordinate
        return replace(self, centre=centre, low=low, high=high, fixed=fixed)

    def applied(self, points: Points) -> Points:
        """Return the points with the fixed coordinates, if any, set to their values."""
        return points if self.fixed is None else self.fixed.applied(points)

    def contains(self, points: Points) -> Mask:
        """Return which points lie inside, ignoring the constraint."""
        conditions, centre = self.domain.conditions, self.centre.h[0]
        within = (points.x >= self.low) & (points.x <= self.high)
        if conditions is None:
            inside: Mask = hamming.distance(points.h, centre) <= self.radius
        else:
            inside = conditions.differences(points.h, centre) <= self.radius
            within |= ~conditions.active(points.h)[:, self.domain.d_h :]
        if self.fixed is not None:
            inside &= self.fixed.agrees(points)
        return inside & within.all(axis=1)

    @cached_property
    def listed(self) -> Codes:
        """The rows inside, if the domain is a list of candidates."""
        candidates = self.domain.candidates
        return np.empty(0, dtype=np.int64) if candidates is None else np.flatnonzero(self.contains(candidates.points))

    def snapped(self, points: Points) -> Points:
        """Return the points with x cut off at the box and moved to grid values inside it; candidates stay as they are.

        So do inactive variables.
        """
        if self.domain.candidates is not None:
            return points
        x = np.clip(points.x, self.low, self.high)
        for k in self.domain.grids:
            x[:, k] = box.snapped(self.domain.axes[k], x[:, k], self.low[k], self.high[k])
        return self.domain.canonical(Points(points.h, x))

    def draw(self, n: int, rng: np.random.Generator, *, apart: bool = False) -> Points:
        """Draw n points inside, ignoring the constraint. In mixed spaces some keep the centre's h, unless `apart`.

        From a list of candidates, none are drawn if none is inside.
        """
        if self.domain.candidates is not None:
            chosen = rng.integers(0, len(self.listed), size=n) if len(self.listed) else np.empty(0, dtype=np.int64)
            return self.domain.candidates.points[self.listed[chosen]]
        fewest = 0 if self.domain.d_x and not apart else 1
        centre, levels, conditions = self.centre.h[0], self.domain.levels, self.domain.conditions
        if conditions is None:
            h = hamming.sample(centre, levels, self.radius, n, rng, fewest)
        else:  # only active variables change; those that become active have random values
            active = conditions.active(self.centre.h)[0, : self.domain.d_h]
            h = hamming.sample(centre, np.where(active, levels, 1), self.radius, n, rng, fewest)
            h = np.where(active, h, rng.integers(0, levels, size=h.shape))
        x = self.low + (self.high - self.low) * rng.random((n, self.domain.d_x))
        return self.snapped(self.applied(Points(h, x)))

    def sample(self, n: int, rng: np.random.Generator, *, apart: bool = False) -> Points:
        """Draw up to n points inside that satisfy the constraint: fewer, even none, if it is tight there."""
        if self.domain.feasible is None:
            return self.draw(n, rng, apart=apart)
        batches = (self.draw(n, rng, apart=apart) for _ in range(BATCHES))
        found = self.domain.first_allowed(batches, n, lambda missing, _: max(missing, FEWEST))
        if self.domain.repair is None or len(found) > n // FEW:
            return found
        moved = self.domain.repaired(self.draw(min(n, REPAIRED), rng, apart=apart), rng)
        return stack([found, moved[self.contains(moved)]])
