from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Axis, Points, stack
from casmopolitan.core.search.eligibility import Eligibility
from casmopolitan.core.state import Asked, Given, Provenance, Suggestion, Told, opening, tell
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


MIXED = Domain(np.array([3]), (None,), (Axis(0.0, 1.0), Axis(0.0, 1000.0, 1.0)))


def at(x, steps, h=0):
    return Points(np.array([[h]]), np.array([[x, steps / 1000]]))


def rule(event, **changes):
    config = replace(QUICK, apart=0.01, **changes)
    state = opening(MIXED, config)
    for one in event:
        state = tell(state, one, MIXED, config)
    return Eligibility.of(MIXED, config, state)


PENDING = [Asked(0, Suggestion(at(0.5, 500), Provenance(0, "initial")))]
NEAR = [at(0.509, 509), at(0.5, 500)]
APART = [at(0.511, 500), at(0.5, 511), at(0.5, 500, h=1)]


@pytest.mark.parametrize("noisy", [False, True])
def test_points_keep_apart_from_pending_ones_on_grids_too(noisy):
    found = rule(PENDING, noisy=noisy)
    assert not found.fresh(stack(NEAR)).any()
    assert found.fresh(stack(APART)).all()


@pytest.mark.parametrize("end", [1.0, None])
def test_evaluated_points_may_be_refined_unless_nothing_can_be_learnt(end):
    found = rule([*PENDING, Told(0, end)])
    assert found.fresh(stack([*NEAR[:1], *APART, at(0.5, 501), at(0.5002, 500)])).all()
    assert not found.fresh(stack([at(0.5, 500), at(0.50005, 500)])).any()


def test_a_noisy_objective_is_asked_again_next_to_evaluated_points_and_at_them():
    assert rule([*PENDING, Told(0, 1.0)], noisy=True).fresh(stack(NEAR)).all()


def test_without_a_distance_points_need_only_differ():
    found = rule(PENDING).uncrowded()
    assert found.fresh(stack(NEAR)).tolist() == [True, False]


def test_a_noisy_objective_may_be_asked_again_where_it_once_failed_and_once_gave_a_value():
    noisy, every = replace(QUICK, noisy=True), SMALL.every_point()
    state = opening(SMALL, noisy)
    for number, (place, value) in enumerate([(0, 1.0), (0, None), (1, None)]):
        state = tell(state, Given(number, every[place], value), SMALL, noisy)
    assert Eligibility.of(SMALL, noisy, state).fresh(every[:3]).tolist() == [True, False, True]
