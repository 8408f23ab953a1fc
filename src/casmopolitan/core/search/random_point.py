"""A random point that has not been suggested: in a region, or anywhere, up to the proof that there is none."""

from __future__ import annotations

import math

import numpy as np

from casmopolitan.core.domain import Domain, how_to_loosen
from casmopolitan.core.points import Points, no_points, stack
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search.eligibility import Eligibility
from casmopolitan.errors import ExhaustedError, InfeasibleError

ENUMERABLE = 1_000_000
"""Spaces up to this size are searched to the last point before they are called exhausted."""

DRAWS = (16, 128, 1024)
"""Random points tried, batch by batch, before anything is enumerated."""

MORE = (1024,) * 100
"""Random points of the whole space tried after that where a constraint lets few through and no list would be short."""

STEPS, FEW = (64,) * 64, 3
"""After those, points tried that differ from a known one in about so many variables."""


def random_point_of_region(around: Neighbourhood, eligibility: Eligibility, rng: np.random.Generator) -> Points | None:
    """A random admitted point of the region; None when it holds none (certain when its points can be listed)."""
    for n in DRAWS:
        drawn = around.draw(n, rng)
        found = _first_allowed(eligibility.domain, drawn[eligibility.fresh(drawn)])
        if found is not None:
            return found
    if around.domain.size <= ENUMERABLE:
        return _listed(around.domain, eligibility, rng, around)
    return None


def random_point_of_space(eligibility: Eligibility, rng: np.random.Generator) -> Points:
    """A random admitted point of the whole space; failed points once more when nothing else is left; then ExhaustedError."""
    domain = eligibility.domain
    certain = domain.size <= ENUMERABLE
    draws = DRAWS if certain or domain.feasible is None else DRAWS + MORE
    for n in draws:
        drawn = domain.draw(n, rng)
        found = _first_allowed(domain, drawn[eligibility.fresh(drawn)])
        if found is not None:
            return found
    found = _listed(domain, eligibility, rng, None) if certain else _beside(eligibility, rng)
    if found is not None:
        return found
    if eligibility.failed_once:
        return eligibility.failed_once[int(rng.integers(len(eligibility.failed_once)))]
    taken = len(eligibility.taken)
    tries = f"{sum(draws):,} random points"
    if not taken:
        where = "no point of the space" if certain else f"not one of {tries}"
        raise InfeasibleError(f"the constraint allows {where}. {how_to_loosen(certain)}")
    how = (
        f"the space is exhausted: all {taken} feasible points have been suggested (size {domain.size})"
        if certain
        else f"no new point was found: of {tries}, and of points beside those known, none is allowed and new; {taken} have "
        f"been suggested (size {domain.size})"
    )
    raise ExhaustedError(
        f"{how}. Stop here, widen the space, or declare the objective noisy if repeating a point tells something new",
        evaluated=taken,
        size=domain.size,
        certain=certain,
    )


def _listed(domain: Domain, eligibility: Eligibility, rng: np.random.Generator, around: Neighbourhood | None) -> Points | None:
    """A random admitted point out of the full list of a small space, or of its part in a region."""
    shape = [*map(int, domain.levels), *(axis.count or 1 for axis in domain.axes)]
    order = rng.permutation(math.prod(shape))
    for first in range(0, len(order), 4096):
        index = np.unravel_index(order[first : first + 4096], shape) if shape else ()
        n = len(order[first : first + 4096])
        h = np.stack(index[: domain.d_h], axis=1).astype(np.int64) if domain.d_h else np.empty((n, 0), dtype=np.int64)
        x = [axis.at(np.asarray(i, dtype=np.int64)) for axis, i in zip(domain.axes, index[domain.d_h :], strict=True)]
        points = Points(h, np.stack(x, axis=1) if x else np.empty((n, 0)))
        if around is not None:
            points = points[around.contains(points)]
        points = points[eligibility.fresh(points)] if len(points) else no_points(domain.d_h, domain.d_x)
        found = _first_allowed(domain, points)
        if found is not None:
            return found
    return None


def _beside(eligibility: Eligibility, rng: np.random.Generator) -> Points | None:
    """A random admitted point that differs from a known one in a few variables: random points may miss all that are allowed."""
    domain = eligibility.domain
    if domain.feasible is None or not eligibility.known:
        return None
    known, d = stack(list(eligibility.known)), domain.d_h + domain.d_x
    for n in STEPS:
        from_, to = known[rng.integers(len(known), size=n)], domain.draw(n, rng)
        changed = rng.random((n, d)) < rng.integers(1, FEW + 1, size=(n, 1)) / d
        h = np.where(changed[:, : domain.d_h], to.h, from_.h)
        points = Points(h, np.where(changed[:, domain.d_h :], to.x, from_.x))
        found = _first_allowed(domain, points[eligibility.fresh(points)])
        if found is not None:
            return found
    return None


def _first_allowed(domain: Domain, points: Points) -> Points | None:
    """The first point that the constraint allows; it is asked about 1, 2, 4, ... at a time, so twice too often at most."""
    first, n = 0, 1
    while first < len(points):
        allowed = np.flatnonzero(domain.allows(points[first : first + n]))
        if len(allowed):
            return points[first + int(allowed[0])]
        first, n = first + n, 2 * n
    return None
