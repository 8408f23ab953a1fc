from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.extensions.partial_trials import complete
from casmopolitan.core.partial import Fixed
from casmopolitan.core.points import Axis, Points
from casmopolitan.core.state import Asked, Cancelled, Given, Told, opening, tell
from casmopolitan.presets import DEFAULT, PAPER
from runs import ask

SOLVENTS = Domain(np.array([3, 4, 2]), (None,) * 3, (Axis(0.0, 1.0),))


def asked(state, numbers, config=DEFAULT, seed=0):
    """The state after these asks, and their points."""
    points = []
    for number in numbers:
        suggestion = ask(SOLVENTS, config, seed, state, number)
        state = tell(state, Asked(number, suggestion), SOLVENTS, config)
        points.append(suggestion.point)
    return state, points


def levels(points, j):
    return sorted(np.bincount([int(point.h[0, j]) for point in points], minlength=SOLVENTS.levels[j]))


@pytest.mark.parametrize("seed", range(8))
def test_a_first_batch_of_three_has_all_three_solvents(seed):
    _, points = asked(opening(SOLVENTS, DEFAULT), range(3), seed=seed)
    assert levels(points, 0) == [1, 1, 1]


@pytest.mark.parametrize("seed", range(4))
def test_the_whole_design_is_balanced_and_a_latin_hypercube(seed):
    _, points = asked(opening(SOLVENTS, DEFAULT), range(DEFAULT.n_initial), seed=seed)
    assert levels(points, 0) == [3, 3, 4]
    assert levels(points, 1) == [2, 2, 3, 3]
    assert levels(points, 2) == [5, 5]
    assert sorted(int(10 * point.x[0, 0]) for point in points) == list(range(10))


def test_the_paper_draws_at_random():
    _, points = asked(opening(SOLVENTS, PAPER), range(20), PAPER)
    assert levels(points, 2) != [10, 10]


def test_an_ask_is_a_pure_function_of_the_state():
    state, _ = asked(opening(SOLVENTS, DEFAULT), range(4))
    assert ask(SOLVENTS, DEFAULT, 0, state, 4).point == ask(SOLVENTS, DEFAULT, 0, state, 4).point


def test_what_users_give_and_what_fails_counts_and_what_is_cancelled_does_not():
    state = opening(SOLVENTS, DEFAULT)
    for number, (solvent, value) in enumerate([(0, 1.0), (1, None)]):
        point = Points(np.array([[solvent, 0, 0]]), np.array([[0.5]]))
        state = tell(state, Given(number, point, value), SOLVENTS, DEFAULT)
    state, (third,) = asked(state, [2])
    assert third.h[0, 0] == 2
    assert third.h[0, 1] != 0
    assert third.h[0, 2] == 1
    state = tell(state, Cancelled(2), SOLVENTS, DEFAULT)
    state, (again,) = asked(state, [3])
    assert again.h[0, 0] == 2
    state = tell(state, Told(3, None), SOLVENTS, DEFAULT)
    _, points = asked(state, range(4, 11))
    assert levels(points, 0) == [2, 2, 3]


def test_the_rest_of_a_partial_configuration_is_balanced_over_all_trials():
    state = opening(SOLVENTS, DEFAULT)
    for number in range(4):
        suggestion = complete(SOLVENTS, DEFAULT, 0, state, number, Fixed({0: number % 3}))
        state = tell(state, Asked(number, suggestion), SOLVENTS, DEFAULT)
    points = [s.point for s in state.pending.values()]
    assert levels(points, 1) == [1, 1, 1, 1]
    assert levels(points, 2)[0] >= 1


def test_two_workers_that_ask_at_once_get_different_points():
    state, _ = asked(opening(SOLVENTS, DEFAULT), range(3))
    assert ask(SOLVENTS, DEFAULT, 0, state, 3).point != ask(SOLVENTS, DEFAULT, 0, state, 4).point


def test_balance_goes_on_while_no_value_is_known():
    config = replace(DEFAULT, n_initial=4)
    _, points = asked(opening(SOLVENTS, config), range(12), config)
    assert levels(points, 0) == [4, 4, 4]
    assert levels(points, 1) == [3, 3, 3, 3]
