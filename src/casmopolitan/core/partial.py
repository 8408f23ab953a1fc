"""Coordinates that are decided beforehand, and the part of a domain that they leave open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from casmopolitan.core.arrays import Mask
from casmopolitan.core.points import Domain, Points

Number = TypeVar("Number", np.int64, np.float64)


@dataclass(frozen=True, eq=False)
class Held:
    """Columns of h, each at its level, and columns of x, each at its coordinate."""

    h: Mapping[int, int]
    x: Mapping[int, float] = field(default_factory=dict)

    def brought(self, points: Points) -> Points:
        """The points with every held coordinate as it is held."""
        return Points(_set(points.h, self.h), _set(points.x, self.x))

    def agrees(self, points: Points) -> Mask:
        """Which points have every held coordinate as it is held."""
        agree: Mask = (points.h[:, list(self.h)] == list(self.h.values())).all(axis=1)
        agree &= (points.x[:, list(self.x)] == list(self.x.values())).all(axis=1)
        return agree

    def part(self, domain: Domain) -> Domain:
        """The domain of the other coordinates; the constraint sees whole points."""
        feasible = domain.feasible
        return Domain(
            np.delete(domain.levels, list(self.h)),
            tuple(position for j, position in enumerate(domain.positions) if j not in self.h),
            tuple(axis for k, axis in enumerate(domain.axes) if k not in self.x),
            None if feasible is None else lambda points: feasible(self.whole(points)),
            domain.costly,
        )

    def free(self, points: Points) -> Points:
        """Points of the domain as points of its part."""
        return Points(np.delete(points.h, list(self.h), axis=1), np.delete(points.x, list(self.x), axis=1))

    def whole(self, points: Points) -> Points:
        """Points of the part as points of the domain."""
        return Points(_widened(points.h, self.h), _widened(points.x, self.x))


def _set(rows: NDArray[Number], held: Mapping[int, float]) -> NDArray[Number]:
    changed = rows.copy()
    changed[:, list(held)] = list(held.values())
    return changed


def _widened(rows: NDArray[Number], held: Mapping[int, float]) -> NDArray[Number]:
    width = rows.shape[1] + len(held)
    wide = np.empty((len(rows), width), dtype=rows.dtype)
    wide[:, [j for j in range(width) if j not in held]] = rows
    return _set(wide, held)
