from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.extensions.partial_trials import complete
from casmopolitan.core.partial import Fixed
from casmopolitan.core.points import Axis, Points
from casmopolitan.core.state import Asked, Given, Provenance, Suggestion, Told, opening, tell
from casmopolitan.errors import ExhaustedError, InfeasibleError
from casmopolitan.presets import DEFAULT, PAPER

CONFIG = replace(DEFAULT, n_initial=4)
SMALL = Domain(np.array([2, 3, 2]), (None,) * 3, ())
MIXED = Domain(np.array([2, 4]), (None,) * 2, (Axis(0.0, 1.0), Axis(0.0, 40.0, 1.0)))


def branches(point):
    """Each level of the first variable has its optimum elsewhere: the second variable and both numbers."""
    level = int(point.h[0, 0])
    at = np.array([0.2, 0.25]) if level == 0 else np.array([0.8, 0.75])
    return 10.0 * level + float(point.h[0, 1] != 3 * level) + float(((point.x[0] - at) ** 2).sum())


def observed(domain, config, n, value=branches):
    state = opening(domain, config)
    points = domain.sample(n, np.random.default_rng(0))
    for number in range(n):
        state = tell(state, Given(number, points[number], value(points[number])), domain, config)
    return state


@pytest.mark.parametrize("config", [CONFIG, replace(CONFIG, acquisition="thompson"), replace(PAPER, n_initial=4)])
@pytest.mark.parametrize("held", [Fixed({0: 1}), Fixed({}, {0: 0.5}), Fixed({1: 2}, {1: 0.25})])
def test_what_is_held_is_kept_whatever_searches(config, held):
    for state in (opening(MIXED, config), observed(MIXED, config, 12)):
        found = complete(MIXED, config, 0, state, 12, held)
        assert held.agrees(found.point)[0]
        assert (found.provenance.source, found.provenance.region) == ("given", 0)


def test_with_a_model_it_is_foretold_and_without_one_it_is_random():
    held = Fixed({0: 1})
    early = [complete(MIXED, CONFIG, seed, observed(MIXED, CONFIG, 3), 3, held) for seed in range(5)]
    assert all(s.prediction.mean is None for s in early)
    assert len({s.point.identities()[0] for s in early}) == 5
    late = complete(MIXED, CONFIG, 0, observed(MIXED, CONFIG, 12), 12, held)
    assert late.prediction.mean is not None
    assert late.prediction.acquisition is not None


@pytest.mark.parametrize("level", [0, 1])
def test_the_optimum_of_the_held_part_is_approached_although_it_is_far_worse_than_the_best(level):
    held, state = Fixed({0: level}), observed(MIXED, CONFIG, 12)
    for number in range(12, 32):
        suggestion = complete(MIXED, CONFIG, 0, state, number, held)
        state = tell(state, Asked(number, suggestion), MIXED, CONFIG)
        state = tell(state, Told(number, branches(suggestion.point)), MIXED, CONFIG)
    assert min(o.value for o in state.observations[12:]) - 10.0 * level < 0.01


def test_no_point_comes_twice_until_none_is_left():
    held, state = Fixed({1: 2}), opening(SMALL, CONFIG)
    waiting = Suggestion(Points(np.array([[0, 2, 0]]), np.empty((1, 0))), Provenance(0, "initial"))
    state = tell(state, Asked(0, waiting), SMALL, CONFIG)
    state = tell(state, Given(1, Points(np.array([[1, 2, 0]]), np.empty((1, 0))), None), SMALL, CONFIG)
    state = tell(state, Given(2, Points(np.array([[1, 1, 0]]), np.empty((1, 0))), 1.0), SMALL, CONFIG)
    seen = []
    for number in (3, 4):
        suggestion = complete(SMALL, CONFIG, 0, state, number, held)
        seen.append(suggestion.point.h[0].tolist())
        state = tell(state, Given(number, suggestion.point, 2.0), SMALL, CONFIG)
    assert sorted(seen) == [[0, 2, 1], [1, 2, 1]]
    again = complete(SMALL, CONFIG, 0, state, 5, held)
    assert again.point.h[0].tolist() == [1, 2, 0]
    state = tell(state, Given(5, again.point, None), SMALL, CONFIG)
    with pytest.raises(ExhaustedError):
        complete(SMALL, CONFIG, 0, state, 6, held)


@pytest.mark.parametrize("n", [0, 10])
def test_the_constraint_is_respected(n):
    domain = replace(MIXED, feasible=lambda points: points.h[:, 0] + points.h[:, 1] <= 1)
    state = observed(domain, CONFIG, n)
    for number in range(n, n + 5):
        suggestion = complete(domain, CONFIG, 0, state, number, Fixed({0: 1}))
        assert suggestion.point.h[0].tolist() == [1, 0]
        state = tell(state, Given(number, suggestion.point, branches(suggestion.point)), domain, CONFIG)
    with pytest.raises(InfeasibleError):
        complete(replace(SMALL, feasible=lambda p: p.h[:, 0] == 0), CONFIG, 0, opening(SMALL, CONFIG), 0, Fixed({0: 1}))
