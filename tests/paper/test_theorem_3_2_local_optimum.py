"""Theorem 3.2: a region ends at a local optimum. Tried on spaces that can be listed, where nothing has to be assumed.

There are fewer neighbours (8) than failures allowed (9; 40 in the paper), so a region ends only after every neighbour of its
best point was evaluated. Points are never evaluated twice, so a later region may end beside a better point of an earlier one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from casmopolitan import PAPER
from casmopolitan.core.algorithm import ask
from casmopolitan.core.domain import Domain
from casmopolitan.core.region.hamming import distance
from casmopolitan.core.state import Asked, Told, opening, tell

LEVELS = (3, 3, 3, 3)
DOMAIN = Domain(np.array(LEVELS), (None,) * 4, ())
CONFIG = replace(PAPER, n_initial=4, initial_radius=2, failure_tolerance=9, fit_steps=4, fit_starts=1, search_steps=40)


def finished(seed, T=60):
    """Run on a random function with pairs that interact; return the state at the end, and the function's values."""
    rng = np.random.default_rng(seed)
    pairs = rng.normal(size=(4, 4, 3, 3))
    table = {tuple(h): sum(pairs[i, j, h[i], h[j]] for i in range(4) for j in range(i)) for h in np.ndindex(*LEVELS)}
    state = opening(DOMAIN, CONFIG)
    for t in range(T):
        suggestion = ask(DOMAIN, CONFIG, seed, state, t)
        state = tell(state, Asked(t, suggestion), DOMAIN, CONFIG)
        state = tell(state, Told(t, table[tuple(suggestion.point.h[0])]), DOMAIN, CONFIG)
    return state, table


@pytest.mark.parametrize("seed", range(4))
def test_every_finished_region_ends_where_no_neighbour_that_it_could_evaluate_is_better(seed):
    state, table = finished(seed)
    assert state.current >= 1
    owner = {tuple(o.point.h[0]): o.region for o in state.observations}
    every = np.array(list(table))
    for number, region in enumerate(state.regions[:-1]):
        best = region.best.point.h[0]
        neighbours = [tuple(h) for h in every[distance(every, best) == 1]]
        assert len(neighbours) == 8
        better = [h for h in neighbours if table[h] < region.best.value]
        assert all(owner[h] < number for h in better)
        if number == 0:
            assert not better  # the theorem, without a reservation
