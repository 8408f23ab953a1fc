"""Random eligible points of a region or of the whole space, and the proof that there is none left."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import chain, islice

import numpy as np

from casmopolitan.core.domain import Domain, how_to_loosen
from casmopolitan.core.points import Points, stack
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search.eligibility import Eligibility
from casmopolitan.errors import ExhaustedError, InfeasibleError

ENUMERABLE = 1_000_000
"""Spaces of up to this size are listed in full before they are called exhausted."""

DRAWS = (16, 128, 1024)
"""Random points tried, batch by batch, before anything is listed."""

MORE = (1024,) * 100
"""Further random points of a space that has a constraint and is too large to list."""

REPAIRED = (16, 64, 256)
"""Random points changed until the constraint allows them, batch by batch, after those."""

STEPS, FEW = (64,) * 64, 3
"""After those, points tried near known ones: about this many variables differ."""


def random_point_of_region(around: Neighbourhood, eligibility: Eligibility, rng: np.random.Generator) -> Points | None:
    """Draw an eligible point of the region, a crowded one if there is no other; None if none was found.

    A space that can be listed then has none.
    """
    repaired = (around.domain.repaired(around.draw(n, rng), rng) for n in _repairs(around.domain))
    inside = (points[around.contains(points)] for points in repaired)
    batches: Iterator[Points] = chain((around.draw(n, rng) for n in DRAWS), inside)
    if around.domain.size <= ENUMERABLE or around.domain.candidates is not None:
        listed = (points[around.contains(points)] for points in _listed(around.domain, rng))
        batches = chain(batches, listed)
    found = first_eligible(batches, eligibility)
    if found is None and eligibility.crowds:
        return random_point_of_region(around, eligibility.uncrowded(), rng)
    return found


def random_point_of_space(eligibility: Eligibility, rng: np.random.Generator) -> Points:
    """Draw an eligible point of the whole space; if there is none, a crowded one, or one that failed once.

    Raises ExhaustedError if there is neither, and InfeasibleError if the constraint allows no point.
    """
    domain = eligibility.domain
    certain = domain.size <= ENUMERABLE or domain.candidates is not None
    draws = DRAWS if certain or domain.feasible is None else DRAWS + MORE
    last = _listed(domain, rng) if certain else _near_known(eligibility, rng)
    repaired = (domain.repaired(domain.draw(n, rng), rng) for n in _repairs(domain))
    drawn = (domain.draw(n, rng) for n in draws)
    found = first_eligible(chain(islice(drawn, len(DRAWS)), repaired, drawn, last), eligibility)
    if found is not None:
        return found
    if eligibility.crowds:
        return random_point_of_space(eligibility.uncrowded(), rng)
    if eligibility.failed_once:
        return eligibility.failed_once[int(rng.integers(len(eligibility.failed_once)))]
    taken = len(eligibility.taken)
    tries = f"{sum(draws):,} random points"
    if not taken:
        where = "no point of the space" if certain else f"none of {tries}"
        raise InfeasibleError(f"the constraint allows {where}. {how_to_loosen(certain)}")
    if domain.candidates is not None:
        raise ExhaustedError(
            f"the list is exhausted: all {domain.size} candidates have been suggested. Stop here, add candidates, or declare "
            "the objective noisy if its value at a point varies",
            evaluated=taken,
            size=domain.size,
            certain=True,
        )
    how = (
        f"the space is exhausted: all {taken} feasible points have been suggested (size {domain.size})"
        if certain
        else f"no new point was found: {tries}, and points near known ones, were all forbidden or taken; {taken} have been "
        f"suggested (size {domain.size})"
    )
    raise ExhaustedError(
        f"{how}. Stop here, widen the space, or declare the objective noisy if its value at a point varies",
        evaluated=taken,
        size=domain.size,
        certain=certain,
    )


def first_eligible(batches: Iterable[Points], eligibility: Eligibility) -> Points | None:
    """Return the first eligible point. The constraint is checked for 1, 2, 4, ... points at a time: at most twice too many."""
    fresh = (points[eligibility.fresh(points)] for points in batches)
    found = eligibility.domain.first_allowed(fresh, 1, lambda _, checked: checked + 1)
    return found if len(found) else None


def _repairs(domain: Domain) -> tuple[int, ...]:
    """Return how many points to repair, batch by batch."""
    return () if domain.repair is None else REPAIRED


def _listed(domain: Domain, rng: np.random.Generator) -> Iterator[Points]:
    """Yield all points of a small space, or of a list of candidates, in random order."""
    if domain.candidates is not None:
        order = rng.permutation(len(domain.candidates))
        yield from (domain.candidates.points[order[first : first + 4096]] for first in range(0, len(order), 4096))
        return
    if domain.conditions is not None:
        every = domain.every_point()
        every = every[rng.permutation(len(every))]
        yield from (every[first : first + 4096] for first in range(0, len(every), 4096))
        return
    shape = [*map(int, domain.levels), *(axis.count or 1 for axis in domain.axes)]
    order = rng.permutation(math.prod(shape))
    for first in range(0, len(order), 4096):
        index = np.unravel_index(order[first : first + 4096], shape) if shape else ()
        n = len(order[first : first + 4096])
        h = np.stack(index[: domain.d_h], axis=1).astype(np.int64) if domain.d_h else np.empty((n, 0), dtype=np.int64)
        x = [axis.at(np.asarray(i, dtype=np.int64)) for axis, i in zip(domain.axes, index[domain.d_h :], strict=True)]
        yield Points(h, np.stack(x, axis=1) if x else np.empty((n, 0)))


def _near_known(eligibility: Eligibility, rng: np.random.Generator) -> Iterator[Points]:
    """Yield points that differ from a known one in a few variables: random points may miss all that are allowed."""
    domain = eligibility.domain
    if domain.feasible is None or not eligibility.known:
        return
    known, d = stack(list(eligibility.known)), domain.d_h + domain.d_x
    for n in STEPS:
        from_, to = known[rng.integers(len(known), size=n)], domain.draw_values(n, rng)
        changed = rng.random((n, d)) < rng.integers(1, FEW + 1, size=(n, 1)) / d
        changed |= ~domain.active(from_)
        h = np.where(changed[:, : domain.d_h], to.h, from_.h)
        yield domain.canonical(Points(h, np.where(changed[:, domain.d_h :], to.x, from_.x)))
