from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from casmopolitan.core.domain import Domain
from casmopolitan.core.partial import Fixed
from casmopolitan.core.points import Axis, Points, stack
from casmopolitan.core.region.neighbourhood import FEWEST, Neighbourhood
from casmopolitan.core.region.trust_region import TrustRegion
from strategies import domains, seeds


@given(domains(clauses=0), seeds(), st.floats(0.01, 1.6))
@settings(max_examples=40, deadline=None)
def test_every_drawn_point_lies_in_the_region_and_on_the_grid(domain, seed, length):
    rng = np.random.default_rng(seed)
    centre = domain.draw(1, rng)
    radius = int(rng.integers(1, domain.d_h + 1)) if domain.d_h else None
    lengths = TrustRegion(radius, length if domain.d_x else None)
    around = Neighbourhood.around(domain, centre, lengths, rng.uniform(0.01, 0.5, domain.d_x))
    points = around.draw(30, rng)
    assert around.contains(points).all()
    assert domain.snapped(points) == points
    assert around.contains(centre).all()


def test_a_length_of_none_confines_nothing():
    domain = Domain(np.array([3, 3]), (None, None), (Axis(0.0, 1.0),))
    centre = Points(np.array([[0, 0]]), np.array([[0.5]]))
    around = Neighbourhood.around(domain, centre, TrustRegion(None, None), np.ones(1))
    everywhere = Neighbourhood.everywhere(domain, centre)
    for one in (around, everywhere):
        assert (one.radius, one.low.tolist(), one.high.tolist()) == (2, [0.0], [1.0])


def test_sampling_respects_the_constraint_and_may_come_back_empty():
    def even(points):
        return points.h.sum(1) % 2 == 0

    domain = Domain(np.array([2, 2, 2]), (None,) * 3, (), even)
    centre = Points(np.zeros((1, 3), dtype=np.int64), np.empty((1, 0)))
    wide = Neighbourhood.around(domain, centre, TrustRegion(3, None), np.ones(0)).sample(20, np.random.default_rng(0))
    assert len(wide) == 20
    assert even(wide).all()
    assert len(Neighbourhood.around(domain, centre, TrustRegion(1, None), np.ones(0)).sample(5, np.random.default_rng(0))) == 0


def test_the_constraint_is_asked_about_no_more_points_than_it_takes():
    asked = []

    def even(points):
        asked.extend(points.identities())
        return points.h.sum(axis=1) % 2 == 0

    domain = Domain(np.array([5] * 4), (None,) * 4, (Axis(0.0, 1.0),), even)
    around = Neighbourhood.everywhere(domain, domain.draw(1, np.random.default_rng(1)))
    found = around.sample(200, np.random.default_rng(0))
    assert len(found) == 200
    rng, count = np.random.default_rng(0), len(asked)
    every = stack([around.draw(200, rng) for _ in range(3)])
    good = np.flatnonzero(even(every))
    assert found == every[good[:200]]
    assert good[199] < count <= good[199] + FEWEST < 600
    assert asked[:count] == every.identities()[:count]


def test_a_held_variable_keeps_its_level_wherever_points_come_from():
    domain = Domain(np.array([3, 4, 2]), (None,) * 3, (Axis(0.0, 1.0),))
    rng = np.random.default_rng(0)
    centre = Points(np.array([[0, 0, 0]]), np.array([[0.5]]))
    free = Neighbourhood.everywhere(domain, centre)
    around = free.fixing(Fixed({1: 3}))
    assert around.centre.h.tolist() == [[0, 3, 0]]
    assert centre.h.tolist() == [[0, 0, 0]]
    drawn = around.draw(200, rng)
    assert set(drawn.h[:, 1]) == {3}
    assert set(drawn.h[:, 0]) == {0, 1, 2}
    points = domain.draw(50, rng)
    assert around.contains(points).tolist() == (points.h[:, 1] == 3).tolist()
    brought = around.applied(points)
    assert around.contains(brought).all()
    assert (brought.h[:, [0, 2]] == points.h[:, [0, 2]]).all()
    assert free.applied(points) is points


def test_random_points_of_a_mixed_region_keep_the_centres_choices_now_and_then():
    domain = Domain(np.array([2]), (None,), (Axis(0.0, 1.0),))
    around = Neighbourhood.around(domain, Points(np.array([[1]]), np.array([[0.5]])), TrustRegion(1, 0.8), np.ones(1))
    drawn = around.draw(200, np.random.default_rng(0))
    assert 60 < (drawn.h == 1).sum() < 140
    assert (around.draw(200, np.random.default_rng(0), apart=True).h == 0).all()
    alone = Neighbourhood.around(
        Domain(np.array([2, 2]), (None, None), ()),
        Points(np.array([[1, 1]]), np.empty((1, 0))),
        TrustRegion(2, None),
        np.ones(0),
    )
    assert not (alone.draw(200, np.random.default_rng(0)).h == 1).all(axis=1).any(), "without x that is the centre itself"
