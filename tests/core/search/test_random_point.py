from __future__ import annotations

import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Axis, Points, stack
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.region.trust_region import TrustRegion
from casmopolitan.core.search import random_point
from casmopolitan.core.search.eligibility import Crowd, Eligibility
from casmopolitan.core.search.random_point import random_point_of_region, random_point_of_space
from casmopolitan.errors import ExhaustedError, InfeasibleError

GRID = Domain(np.array([3, 2]), (None, None), (Axis(1.0, 3.0, 1.0),))


def all_but(domain, n):
    every = domain.every_point()
    return Eligibility(domain, frozenset(every[:-n].identities() if n else every.identities()))


def test_the_last_free_point_of_a_space_is_found():
    assert random_point_of_space(all_but(GRID, 1), np.random.default_rng(0)) == GRID.every_point()[-1]


def test_the_last_free_point_of_a_space_of_a_hundred_thousand_is_found():
    domain = Domain(np.full(5, 10), (None,) * 5, ())
    assert random_point_of_space(all_but(domain, 1), np.random.default_rng(0)) == domain.every_point()[-1]


def test_a_small_space_is_exhausted_with_certainty_and_counts():
    with pytest.raises(ExhaustedError, match="all 18 feasible points") as caught:
        random_point_of_space(all_but(GRID, 0), np.random.default_rng(0))
    assert (caught.value.evaluated, caught.value.size, caught.value.certain) == (18, 18, True)


def test_a_large_space_is_given_up_without_certainty():
    def only_zero(points):
        return (points.h == 0).all(1)

    domain = Domain(np.full(30, 4), (None,) * 30, (), only_zero)
    zero = Points(np.zeros((1, 30), dtype=np.int64), np.empty((1, 0)))
    with pytest.raises(ExhaustedError) as caught:
        random_point_of_space(Eligibility(domain, frozenset(zero.identities())), np.random.default_rng(0))
    assert (caught.value.certain, caught.value.evaluated, caught.value.size) == (False, 1, 4**30)


def test_a_spare_point_is_offered_before_the_space_is_called_exhausted():
    every = GRID.every_point()
    eligibility = Eligibility(GRID, frozenset(every.identities()), (every[4],))
    assert random_point_of_space(eligibility, np.random.default_rng(0)) == every[4]


def test_a_constraint_without_any_point_is_named():
    domain = Domain(np.array([3, 2]), (None, None), (), lambda points: np.zeros(len(points), dtype=bool))
    with pytest.raises(InfeasibleError, match=r"the constraint allows no point of the space.* choices and bounds$"):
        random_point_of_space(Eligibility(domain, frozenset()), np.random.default_rng(0))


def test_where_an_allowed_point_may_exist_the_error_says_that_one_would_help():
    domain = Domain(np.full(12, 10), (None,) * 12, (), lambda points: (points.h == 0).all(axis=1))
    with pytest.raises(InfeasibleError, match=r"allows none of .* random points.* supply one allowed configuration"):
        random_point_of_space(Eligibility(domain, frozenset()), np.random.default_rng(0))


def test_within_a_region_only_its_points_count():
    centre = GRID.every_point()[0]
    around = Neighbourhood.around(GRID, centre, TrustRegion(1, 0.5), np.ones(1))
    every = GRID.every_point()
    inside = every[around.contains(every)]
    found, eligibility = [], Eligibility(GRID, frozenset())
    while (point := random_point_of_region(around, eligibility, np.random.default_rng(len(found)))) is not None:
        found.append(point)
        eligibility = Eligibility(GRID, frozenset(stack(found).identities()))
    drawable = inside[(inside.h != centre.h[0]).any(1) | (inside.x != centre.x[0]).any(1)]
    assert {p.identities()[0] for p in found} >= set(drawable.identities())
    assert all(around.contains(p)[0] for p in found)
    assert len(found) == len(inside)


def test_the_only_point_of_a_region_as_large_as_the_largest_space_that_is_listed_is_found(monkeypatch):
    monkeypatch.setattr(random_point, "ENUMERABLE", 10_000)
    monkeypatch.setattr(random_point, "DRAWS", ())
    domain = Domain(np.full(4, 10), (None,) * 4, (), lambda points: (points.h == 7).all(axis=1))
    centre = Points(np.zeros((1, 4), dtype=np.int64), np.empty((1, 0)))
    around = Neighbourhood.around(domain, centre, TrustRegion(4, None), np.ones(0))
    assert random_point_of_region(around, Eligibility(domain, frozenset()), np.random.default_rng(0)).h.tolist() == [[7] * 4]


def test_a_space_without_variables_has_one_point():
    domain = Domain(np.empty(0, dtype=np.int64), (), ())
    point = random_point_of_space(Eligibility(domain, frozenset()), np.random.default_rng(0))
    with pytest.raises(ExhaustedError, match="all 1 feasible"):
        random_point_of_space(Eligibility(domain, frozenset(point.identities())), np.random.default_rng(0))


def test_a_constraint_that_lets_one_point_in_ten_thousand_through_is_no_end_of_a_space():
    domain = Domain(np.array([], dtype=np.int64), (), (Axis(0.0, 1.0), Axis(0.0, 1.0)), lambda p: p.x.sum(axis=1) > 1.986)
    taken = frozenset()
    for seed in range(12):
        point = random_point_of_space(Eligibility(domain, taken), np.random.default_rng(seed))
        taken |= frozenset(point.identities())
    assert len(taken) == 12


def test_a_constraint_that_lets_nothing_new_through_is_not_called_a_proof():
    domain = Domain(np.array([], dtype=np.int64), (), (Axis(0.0, 1.0),), lambda p: np.zeros(len(p), dtype=bool))
    with pytest.raises(InfeasibleError, match="allows none of 1"):
        random_point_of_space(Eligibility(domain, frozenset()), np.random.default_rng(0))
    with pytest.raises(ExhaustedError, match="no new point was found") as caught:
        random_point_of_space(Eligibility(domain, frozenset([b"known"])), np.random.default_rng(0))
    assert not caught.value.certain


def test_where_random_points_miss_what_is_allowed_a_known_point_leads_to_it():
    def few(points):
        return (points.h[:, :9] == 0).all(axis=1)

    domain = Domain(np.full(11, 10), (None,) * 11, (), few)
    first = Points(np.zeros((1, 11), dtype=np.int64), np.empty((1, 0)))
    with pytest.raises(ExhaustedError, match="no new point was found"):
        random_point_of_space(Eligibility(domain, frozenset(first.identities())), np.random.default_rng(0))
    known = [first]
    for seed in range(30):
        taken = frozenset(key for point in known for key in point.identities())
        known.append(random_point_of_space(Eligibility(domain, taken, (), tuple(known)), np.random.default_rng(seed)))
    assert few(stack(known)).all()
    assert len({key for point in known for key in point.identities()}) == 31


def test_a_crowded_point_is_drawn_only_if_there_is_no_other():
    domain = Domain(np.array([2]), (None,), (Axis(0.0, 1.0),))
    crowd = {np.array([0]).tobytes(): Crowd(np.array([[0.5]]), np.array([[0.6]]))}
    around = Neighbourhood(domain, Points(np.array([[0]]), np.array([[0.5]])), 0, np.zeros(1), np.ones(1))
    for seed in range(20):
        rng = np.random.default_rng(seed)
        assert random_point_of_space(Eligibility(domain, frozenset(), crowds=crowd), rng).h[0, 0] == 1
        assert random_point_of_region(around, Eligibility(domain, frozenset(), crowds=crowd), rng).h[0, 0] == 0
    full = crowd | {np.array([1]).tobytes(): Crowd(np.array([[0.5]]), np.array([[0.6]]))}
    assert len(random_point_of_space(Eligibility(domain, frozenset(), crowds=full), rng)) == 1


def test_near_a_known_point_one_to_three_variables_change_on_average():
    domain = Domain(np.full(30, 50), (None,) * 30, (), lambda points: np.ones(len(points), dtype=bool))
    known = domain.draw(1, np.random.default_rng(0))
    batches = random_point._near_known(Eligibility(domain, frozenset(), (), (known,)), np.random.default_rng(1))
    changed = (stack(list(batches)).h != known.h).sum(axis=1)
    assert 1.8 < changed.mean() < 2.2
