"""Coordinates that are fixed in advance, and the part of a domain that they leave free."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from casmopolitan.core.candidates import Candidates
from casmopolitan.core.conditions import MIDDLE, Conditions, part_of
from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Mask, Points

WAYS = 16
"""Maximum number of combinations of the parents' levels that are considered for fixed variables."""

Number = TypeVar("Number", np.int64, np.float64)


@dataclass(frozen=True, eq=False)
class Fixed:
    """Fixed coordinates: columns of h with their levels, and columns of x with their coordinates."""

    h: Mapping[int, int]
    x: Mapping[int, float] = field(default_factory=dict)
    conditions: Conditions | None = None
    spare: Points | None = None

    def applied(self, points: Points) -> Points:
        """Return the points with every fixed coordinate set to its value."""
        if self.conditions is None or self.spare is None:
            return Points(_set(points.h, self.h), _set(points.x, self.x))
        whole = self.conditions.completed(points, self.spare)
        return self.conditions.canonical(Points(_set(whole.h, self.h), _set(whole.x, self.x)))

    def implied(self, domain: Domain, spare: Points | None = None) -> Fixed:
        """Return these coordinates and those that follow: levels of parents, and variables that are inactive in any case.

        Variables that become active when coordinates are set get the values of `spare`.
        """
        if domain.conditions is None:
            return self
        d_h = domain.d_h
        levels, inactive = domain.conditions.implied({**self.h, **{d_h + k: None for k in self.x}})
        h = levels | {v: int(domain.levels[v]) for v in inactive if v < d_h}
        return Fixed(h, {**self.x, **{v - d_h: MIDDLE for v in inactive if v >= d_h}}, domain.conditions, spare)

    def ways(self, domain: Domain, spare: Points | None = None) -> list[Fixed]:
        """Return `implied` for each combination of the parents' levels, at most WAYS.

        With a list of candidates, only the combinations of its candidates are returned, which may be none.
        """
        listed = None if domain.candidates is None else domain.candidates.points
        agreeing = None if listed is None else listed[self.agrees(listed)]
        if domain.conditions is None:
            return [self] if agreeing is None or len(agreeing) else []
        fitting = domain.conditions.fitting([*self.h, *(domain.d_h + k for k in self.x)])
        combinations: Iterable[Sequence[int]] = product(*fitting.values())
        if agreeing is not None:
            found = sorted(set(map(tuple, agreeing.h[:, list(fitting)].tolist())))
            combinations = (c for c in found if all(level in fitting[j] for j, level in zip(fitting, c, strict=True)))
        chosen = (Fixed({**dict(zip(fitting, c, strict=True)), **self.h}, self.x) for c in combinations)
        ways = (way.implied(domain, spare) for way in chosen)
        return list(islice((way for way in ways if listed is None or way.agrees(listed).any()), WAYS))

    def agrees(self, points: Points) -> Mask:
        """Return which points have the fixed values."""
        agree: Mask = (points.h[:, list(self.h)] == list(self.h.values())).all(axis=1)
        agree &= (points.x[:, list(self.x)] == list(self.x.values())).all(axis=1)
        return agree

    def part(self, domain: Domain) -> Domain:
        """Return the domain of the free coordinates; the constraint still sees whole points."""
        feasible = domain.feasible
        return Domain(
            np.delete(domain.levels, list(self.h)),
            tuple(position for j, position in enumerate(domain.positions) if j not in self.h),
            tuple(axis for k, axis in enumerate(domain.axes) if k not in self.x),
            None if feasible is None else lambda points: feasible(self.whole(points)),
            domain.costly,
            tuple(distances for j, distances in enumerate(domain.distances) if j not in self.h),
            candidates=None if domain.candidates is None else self._among(domain.candidates),
            conditions=None if domain.conditions is None else part_of(domain.conditions, self.h, self.x),
        )

    def _among(self, candidates: Candidates) -> Candidates:
        """Return the candidates with the fixed values, as points of the free coordinates."""
        return Candidates(self.free(candidates.points[self.agrees(candidates.points)]))

    def free(self, points: Points) -> Points:
        """Return the free coordinates of points of the whole domain."""
        return Points(np.delete(points.h, list(self.h), axis=1), np.delete(points.x, list(self.x), axis=1))

    def whole(self, points: Points) -> Points:
        """Return points of the whole domain from their free coordinates."""
        return Points(_widened(points.h, self.h), _widened(points.x, self.x))


def _set(rows: NDArray[Number], fixed: Mapping[int, float]) -> NDArray[Number]:
    changed = rows.copy()
    changed[:, list(fixed)] = list(fixed.values())
    return changed


def _widened(rows: NDArray[Number], fixed: Mapping[int, float]) -> NDArray[Number]:
    width = rows.shape[1] + len(fixed)
    wide = np.empty((len(rows), width), dtype=rows.dtype)
    wide[:, [j for j in range(width) if j not in fixed]] = rows
    return _set(wide, fixed)
