from __future__ import annotations

import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.partial import Fixed
from casmopolitan.core.points import Axis, Points
from casmopolitan.core.region.neighbourhood import Neighbourhood

DOMAIN = Domain(
    np.array([3, 4, 2]), (None, np.linspace(0.0, 1.0, 4), None), (Axis(0.0, 1.0), Axis(1.0, 30.0, 1.0), Axis(0.0, 2.0))
)
HELD = [Fixed({1: 2}), Fixed({}, {0: 0.25}), Fixed({2: 1, 0: 0}, {2: 0.5, 1: 3 / 29}), Fixed({0: 1, 1: 3, 2: 0}, {0: 0.0})]


@pytest.mark.parametrize("held", HELD)
def test_points_that_are_brought_agree_and_keep_the_rest(held):
    points = DOMAIN.draw(40, np.random.default_rng(0))
    brought = held.applied(points)
    assert held.agrees(brought).all()
    assert held.free(brought) == held.free(points)
    assert not held.agrees(points).all()
    assert held.agrees(points).tolist() == [held.applied(points[i]) == points[i] for i in range(40)]


@pytest.mark.parametrize("held", HELD)
def test_a_part_is_the_domain_without_what_is_held_and_leads_back(held):
    part = held.part(DOMAIN)
    assert (part.d_h, part.d_x) == (3 - len(held.h), 3 - len(held.x))
    points = part.draw(40, np.random.default_rng(0))
    whole = held.whole(points)
    assert held.agrees(whole).all()
    assert held.free(whole) == points
    assert DOMAIN.snapped(whole) == whole


def test_a_parts_constraint_sees_whole_points():
    domain = Domain(np.array([3, 4]), (None, None), (), lambda points: points.h.sum(axis=1) == 3)
    part = Fixed({0: 2}).part(domain)
    assert part.allows(Points(np.arange(4)[:, None], np.empty((4, 0)))).tolist() == [False, True, False, False]


@pytest.mark.parametrize("held", HELD)
def test_a_neighbourhood_that_holds_draws_nothing_else(held):
    rng = np.random.default_rng(0)
    around = Neighbourhood.everywhere(DOMAIN, DOMAIN.draw(1, rng)).fixing(held)
    drawn = around.draw(60, rng)
    assert held.agrees(drawn).all()
    assert around.contains(drawn).all()
    assert around.contains(around.applied(DOMAIN.draw(20, rng))).all()
