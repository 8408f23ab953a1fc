"""TR_h × TR_x around one centre: what a search may move in."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from casmopolitan.core.arrays import Array, Mask
from casmopolitan.core.partial import Held
from casmopolitan.core.points import Domain, Points, no_points, stack
from casmopolitan.core.region import box, hamming
from casmopolitan.core.region.trust_region import TrustRegion

FEWEST = 16
"""Points that the constraint is asked about at a time, at least."""


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """The points within Hamming radius `radius` of the centre's h and inside [low, high] in x.

    Where coordinates are `held`, they have the centre's.
    """

    domain: Domain
    centre: Points
    radius: int
    low: Array
    high: Array
    held: Held | None = None

    @classmethod
    def around(cls, domain: Domain, centre: Points, region: TrustRegion, lengthscales: Array) -> Neighbourhood:
        """The region of a TrustRegion's lengths, the box weighted by the kernel's lengthscales."""
        d_x = domain.d_x
        if region.length is None:
            low, high = np.zeros(d_x), np.ones(d_x)
        else:
            low, high = box.bounds(centre.x[0], region.length, lengthscales)
        return cls(domain, centre, domain.d_h if region.radius is None else region.radius, low, high)

    @classmethod
    def everywhere(cls, domain: Domain, centre: Points) -> Neighbourhood:
        """The whole space."""
        return cls(domain, centre, domain.d_h, np.zeros(domain.d_x), np.ones(domain.d_x))

    def holding(self, held: Held) -> Neighbourhood:
        """The same with some coordinates held: the centre moved to them, the box as thin there as they are."""
        centre, low, high = held.brought(self.centre), self.low.copy(), self.high.copy()
        for k, coordinate in held.x.items():
            low[k] = high[k] = coordinate
        return replace(self, centre=centre, low=low, high=high, held=held)

    def brought(self, points: Points) -> Points:
        """The points with what is held, if anything, as the centre has it."""
        return points if self.held is None else self.held.brought(points)

    def contains(self, points: Points) -> Mask:
        """Which points lie inside, the constraint not considered."""
        inside: Mask = hamming.distance(points.h, self.centre.h[0]) <= self.radius
        if self.held is not None:
            inside &= self.held.agrees(points)
        return inside & ((points.x >= self.low) & (points.x <= self.high)).all(axis=1)

    def snapped(self, points: Points) -> Points:
        """x cut at the box and moved to grid values inside it."""
        x = np.clip(points.x, self.low, self.high)
        for k in self.domain.grids:
            x[:, k] = box.snapped(self.domain.axes[k], x[:, k], self.low[k], self.high[k])
        return Points(points.h, x)

    def draw(self, n: int, rng: np.random.Generator, *, apart: bool = False) -> Points:
        """n random points inside, whatever the constraint says; with x some keep the centre's h, unless all shall be apart."""
        fewest = 0 if self.domain.d_x and not apart else 1
        h = hamming.sample(self.centre.h[0], self.domain.levels, self.radius, n, rng, fewest)
        x = self.low + (self.high - self.low) * rng.random((n, self.domain.d_x))
        return self.snapped(self.brought(Points(h, x)))

    def sample(self, n: int, rng: np.random.Generator, tries: int = 20, *, apart: bool = False) -> Points:
        """Up to n random points inside that satisfy the constraint: fewer, even none, when it is tight there.

        It is asked about as many at a time as are still missing, and no more.
        """
        if self.domain.feasible is None:
            return self.draw(n, rng, apart=apart)
        kept, found = [no_points(self.domain.d_h, self.domain.d_x)], 0
        for _ in range(tries):
            batch = self.draw(n, rng, apart=apart)
            while len(batch) and found < n:
                few = max(n - found, FEWEST)
                asked, batch = batch[:few], batch[few:]
                kept.append(asked[self.domain.allows(asked)])
                found += len(kept[-1])
            if found >= n:
                break
        return stack(kept)[:n]
