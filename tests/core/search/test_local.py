from __future__ import annotations

import numpy as np
import pytest

from casmopolitan.core.points import Points
from casmopolitan.core.region.hamming import distance
from casmopolitan.core.search.eligibility import Eligibility, best_eligible
from casmopolitan.core.search.local import local_search, moved
from oracles import neighbours


@pytest.mark.parametrize("seed", range(5))
def test_local_search_finds_the_best_point_of_the_region(seed, scenes):
    s = scenes(d_x=0, radius=3)
    found = local_search(s.score, s.start, s.around, s.eligibility, 400, np.random.default_rng(seed))
    assert distance(found.point.h, s.around.centre.h[0])[0] == 3
    assert found.value == pytest.approx(s.score(found.point)[0])
    assert (found.point.h == 2).sum() == 3


@pytest.mark.parametrize("seed", range(10))
def test_local_search_never_leaves_the_region_and_never_returns_worse_than_an_admitted_start(seed, scenes):
    s = scenes(d_x=0, radius=2)
    start = s.around.draw(3, np.random.default_rng(seed))
    found = local_search(s.score, start, s.around, s.eligibility, 20, np.random.default_rng(seed))
    assert s.around.contains(found.point)[0]
    assert found.value >= s.score(start).max()


def test_a_start_that_is_taken_counts_for_nothing(scenes):
    s = scenes(d_x=0)
    s.score.a[:] = 0  # the summit is the centre itself, which has been evaluated
    found = local_search(s.score, s.start, s.around, s.eligibility, 50, np.random.default_rng(0))
    assert distance(found.point.h, s.around.centre.h[0])[0] >= 1


def test_a_step_is_taken_only_to_a_better_admitted_neighbour_inside(scenes):
    s = scenes(d_x=0, radius=1)
    rim = Points(np.array([[2, 0, 0, 0, 0]] * 200), np.empty((200, 0)))
    values = s.score(rim)
    after, _ = moved(rim, values, s.score, s.around, s.eligibility, np.random.default_rng(0))
    assert (distance(after.h, s.around.centre.h[0]) == 1).all()
    forbidden = Eligibility(s.domain, frozenset(s.around.draw(5000, np.random.default_rng(1)).identities()))
    still, same = moved(rim, values, s.score, s.around, forbidden, np.random.default_rng(0))
    assert still == rim
    assert same.tolist() == values.tolist()


def test_the_best_so_far_is_kept_unless_beaten(scenes):
    s = scenes(d_x=0)
    points = s.around.draw(4, np.random.default_rng(0))
    best = best_eligible(points, np.array([1.0, np.nan, 3.0, -np.inf]), s.eligibility, None)
    assert best.point == points[2]
    assert best_eligible(points, np.full(4, 3.0), s.eligibility, best) is best


def test_nothing_admitted_nothing_found(scenes):
    s = scenes(d_x=0, feasible=lambda points: np.zeros(len(points), dtype=bool))
    assert local_search(s.score, s.start, s.around, s.eligibility, 20, np.random.default_rng(0)) is None


def test_without_a_variable_that_can_change_the_start_is_all_there_is(scenes):
    s = scenes(d_h=0, d_x=0)
    assert local_search(s.score, s.start, s.around, s.eligibility, 5, np.random.default_rng(0)) is None
    free = Eligibility(s.domain, frozenset())
    assert local_search(s.score, s.start, s.around, free, 5, np.random.default_rng(0)).point == s.start[0]


def test_a_walk_goes_through_evaluated_points_to_one_that_may_be_suggested(scenes):
    s = scenes(d_x=0, radius=3)
    taken = [
        s.around.centre,
        *(Points(row[None], np.empty((1, 0))) for row in neighbours(s.around.centre.h[0], s.domain.levels)),
    ]
    walled = Eligibility(s.domain, frozenset(point.identities()[0] for point in taken))
    found = local_search(s.score, s.start, s.around, walled, 100, np.random.default_rng(0))
    assert distance(found.point.h, s.around.centre.h[0])[0] >= 2
