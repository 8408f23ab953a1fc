"""The search space as the core sees it: levels, axes and the constraint."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casmopolitan.core.arrays import Array, Codes, Mask
from casmopolitan.core.points import Axis, Points, no_points, stack
from casmopolitan.errors import InfeasibleError

MAX_TRIES = 10_000
"""Random points drawn before a constraint is declared too tight to sample from."""


def how_to_loosen(certain: bool) -> str:
    """Return advice for a constraint that allows no point, or none that a random search found."""
    if certain:
        return "Loosen it, or express it by the variables' choices and bounds"
    return (
        "Loosen it, express it by the variables' choices and bounds, or supply one allowed configuration: others are then "
        "searched for near it"
    )


Feasible = Callable[[Points], Mask]


@dataclass(frozen=True, eq=False)
class Domain:
    """The search space as the core sees it: [H, X] of Sec. 3.

    levels[j] = n_j, the number of values of discrete variable j; positions[j] = where the levels of an ordinal variable
    lie in [0, 1] (App. B.2: |h - h'| / |h - h'|_max is the difference of positions), or None for a categorical one.
    """

    levels: Codes
    positions: tuple[Array | None, ...]
    axes: tuple[Axis, ...]
    feasible: Feasible | None = None
    costly: bool = False
    """Whether the constraint calls somebody's code, once a row, so that few rows should be asked about."""

    @property
    def d_h(self) -> int:
        """Number of discrete variables."""
        return len(self.levels)

    @property
    def d_x(self) -> int:
        """Number of continuous variables."""
        return len(self.axes)

    @cached_property
    def size(self) -> int | float:
        """Number of points, constraint not considered: an exact integer, or inf."""
        counts = [axis.count for axis in self.axes]
        if any(count is None for count in counts):
            return math.inf
        return math.prod(int(n) for n in self.levels) * math.prod(count or 1 for count in counts)

    @cached_property
    def grids(self) -> tuple[int, ...]:
        """The axes that are grids."""
        return tuple(k for k, axis in enumerate(self.axes) if axis.step is not None)

    def allows(self, points: Points) -> Mask:
        """Which points satisfy the constraint."""
        return np.ones(len(points), dtype=bool) if self.feasible is None else self.feasible(points)

    def snapped(self, points: Points) -> Points:
        """The points with every gridded coordinate moved to the nearest value of its grid."""
        if not self.grids:
            return points
        x = points.x.copy()
        for k in self.grids:
            x[:, k] = self.axes[k].snapped(x[:, k])
        return Points(points.h, x)

    def draw(self, n: int, rng: np.random.Generator) -> Points:
        """n points uniform over the domain, the constraint not considered."""
        h = rng.integers(0, self.levels, size=(n, self.d_h), dtype=np.int64)
        x = rng.random((n, self.d_x))
        for k in self.grids:
            axis = self.axes[k]
            if not axis.log:
                x[:, k] = axis.at(rng.integers(0, axis.count or 1, size=n))
        return self.snapped(Points(h, x))

    def every_point(self) -> Points:
        """All points of a finite domain in lexicographic order, the constraint not considered; for small ones."""
        if not isinstance(self.size, int):
            raise TypeError("a domain with a continuous axis has no end")
        h, x = np.empty((self.size, self.d_h), dtype=np.int64), np.empty((self.size, self.d_x))
        number = np.arange(self.size)
        for k in reversed(range(self.d_x)):
            number, digit = np.divmod(number, self.axes[k].count or 1)
            x[:, k] = self.axes[k].at(digit)
        for j in reversed(range(self.d_h)):
            number, h[:, j] = np.divmod(number, self.levels[j])
        return Points(h, x)

    def sample(self, n: int, rng: np.random.Generator) -> Points:
        """n feasible points, uniform over the domain; raises InfeasibleError when the constraint is too tight.

        A domain of at most MAX_TRIES points is searched whole before it is given up.
        """
        if self.feasible is None:
            return self.draw(n, rng)
        kept = [no_points(self.d_h, self.d_x)]
        found = tries = 0
        while found < n and tries < min(MAX_TRIES, self.size):
            batch = self.draw(min(64, max(n - found, tries)), rng)
            good = batch[self.feasible(batch)][: n - found]
            kept.append(good)
            found += len(good)
            tries = 0 if len(good) else tries + len(batch)
        if found < n:
            kept.append(self._sample_whole(n - found, rng))
        return stack(kept)

    def _sample_whole(self, n: int, rng: np.random.Generator) -> Points:
        """n feasible points of a domain so tightly constrained that random points miss it."""
        whole = self.size <= MAX_TRIES
        every = self.every_point() if whole else no_points(self.d_h, self.d_x)
        good = every[self.allows(every)]
        if not len(good):
            where = f"none of the {self.size} points is feasible" if whole else f"no feasible point in {MAX_TRIES} tries"
            raise InfeasibleError(f"{where}: the constraint forbids (nearly) the whole space. {how_to_loosen(whole)}")
        return good[rng.integers(0, len(good), size=n)]
