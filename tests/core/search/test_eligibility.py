from __future__ import annotations

import numpy as np

from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Points
from casmopolitan.core.search.eligibility import Eligibility
from casmopolitan.core.state import Given, opening, tell
from runs import QUICK, SMALL


def test_taken_points_are_not_fresh_and_forbidden_ones_not_admitted():
    asked = []

    def first_is_zero(points):
        asked.append(len(points))
        return points.h[:, 0] == 0

    domain = Domain(np.array([2, 2]), (None, None), (), first_is_zero)
    points = Points(np.array([[0, 0], [0, 1], [1, 0]]), np.empty((3, 0)))
    eligibility = Eligibility(domain, frozenset(points[0].identities()))
    assert eligibility.fresh(points).tolist() == [False, True, True]
    assert eligibility.admits(points).tolist() == [False, True, False]
    assert asked == [2]


def test_minus_zero_is_zero():
    domain = Domain(np.empty(0, dtype=np.int64), (), ())
    taken = Points(np.empty((1, 0), dtype=np.int64), np.array([[-0.0]]))
    fresh = Eligibility(domain, frozenset(taken.identities())).fresh(Points(taken.h, np.array([[0.0]])))
    assert fresh.tolist() == [False]


def test_what_is_taken_and_what_may_be_offered_again():
    state = opening(SMALL, QUICK)
    every = SMALL.every_point()
    for number, value in enumerate([1.0, None, None, None]):
        state = tell(state, Given(number, every[min(number, 2)], value), SMALL, QUICK)
    found = Eligibility.of(SMALL, QUICK, state)
    assert found.fresh(every[:4]).tolist() == [False, False, False, True]
    assert found.failed_once == (every[1],)  # the third point has failed twice
