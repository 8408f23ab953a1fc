"""Beyond the paper: every so often a trial leaves the trust region and searches the whole space."""

from __future__ import annotations

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Points, stack
from casmopolitan.core.region.trust_region import initial
from casmopolitan.core.state import State


def due(domain: Domain, config: Config, state: State, number: int) -> bool:
    """Whether trial `number` searches the whole space: one in `global_every` does, and among choices alone one in half that
    many once L^h < L_0^h.

    A smaller box refines x, a smaller radius nothing that a search of the whole space would miss.
    """
    every, radius = config.global_every, state.lengths.radius
    if domain.d_x == 0 and radius is not None and radius < (initial(domain, config).radius or 0):
        every = (every + 1) // 2
    return every > 0 and number % every == 0


def neglected(domain: Domain, state: State, pending: Points) -> tuple[int, int] | None:
    """The categorical variable and the level seen of it that have had the smallest part of the trials; None without x.

    What a level is worth depends on x: tried a few times where x does not suit it, a good one looks bad and is left alone. A
    trial that failed was a try.
    Of equal parts the one with the better best value, so that nothing depends on the names of levels unless values are equal.
    """
    if domain.d_x == 0:
        return None
    points, y = state.seen(domain, state.current)
    tried = stack([points, pending, *state.failures]).h
    parts = []
    for j, n in enumerate(map(int, domain.levels)):
        if n > 1 and domain.positions[j] is None:
            part, best = n * (np.bincount(tried[:, j], minlength=n) / len(tried)), np.full(n, np.inf)
            np.minimum.at(best, points.h[:, j], y)
            parts += [(part[level], best[level], j, int(level)) for level in np.unique(points.h[:, j])]
    return min(parts)[2:] if parts else None
