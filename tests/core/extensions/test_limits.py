from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from casmopolitan.core.algorithm import acquisition_function, ask, local_model
from casmopolitan.core.ask import Ask
from casmopolitan.core.extensions import extensions_for
from casmopolitan.core.extensions.failures import Failures
from casmopolitan.core.extensions.limits import Limits
from casmopolitan.core.outcomes import Limit, Outcomes
from casmopolitan.core.points import Points
from casmopolitan.core.state import Asked, Given, Told, opening, tell
from casmopolitan.presets import DEFAULT, PAPER
from tests.runs import MIXED, SMALL, objective

LIMITED = Outcomes(1, 1, (Limit(1, 1.0, 0.0),))
QUICK = replace(DEFAULT, n_initial=4, candidates=50, climbers=2)


def excess(point):
    """The limit: the first variable is at most 1, and x is not too large."""
    return float(point.h[0, 0] - 1 + point.x[0].sum())


def run(domain, config, n, values, outcomes=LIMITED, seed=0):
    state, asked = opening(domain, config, outcomes), []
    for number in range(n):
        suggestion = ask(domain, config, seed, state, number, extensions_for(config, outcomes))
        state = tell(state, Asked(number, suggestion), domain, config)
        state = tell(state, Told(number, values(suggestion.point)), domain, config)
        asked.append(suggestion)
    return state, asked


def this_of(state, domain=MIXED, config=QUICK, number=20):
    return Ask(domain, config, 0, state, number, extensions_for(config, state.outcomes))


@pytest.fixture(scope="module")
def state():
    return run(MIXED, QUICK, 12, lambda p: (objective(p), excess(p)))[0]


def test_limits_are_an_extension_of_their_own():
    assert Limits in extensions_for(PAPER, LIMITED)
    assert extensions_for(PAPER) == ()
    kinds = extensions_for(DEFAULT, LIMITED)
    assert kinds.index(Limits) < kinds.index(Failures)


def test_the_score_is_log_ei_plus_the_log_probability_of_every_limit(state):
    this = this_of(state)
    points = MIXED.draw(30, np.random.default_rng(0))
    score = acquisition_function(this, local_model(this).posterior)
    limits = next(extension for extension in this.extensions if isinstance(extension, Limits))
    assert limits.reached
    np.testing.assert_allclose(score(points), score.alone()(points) + limits.probabilities(points), rtol=1e-9)


def test_until_a_trial_is_feasible_the_score_is_the_probability_alone():
    values = {"value": 0.0}

    def never(point):
        values["value"] -= 1.0
        return values["value"], 1.0 + excess(point) ** 2

    state, _ = run(MIXED, QUICK, 8, never)
    this = this_of(state)
    score = acquisition_function(this, local_model(this).posterior)
    limits = next(extension for extension in this.extensions if isinstance(extension, Limits))
    points = MIXED.draw(10, np.random.default_rng(0))
    assert not limits.reached
    np.testing.assert_allclose(score(points), limits.probabilities(points), rtol=1e-12)


def test_the_value_to_improve_on_is_that_of_a_feasible_trial(state):
    limits = next(extension for extension in this_of(state).extensions if isinstance(extension, Limits))
    points = Points(*(np.concatenate([getattr(o.point, part) for o in state.observations]) for part in ("h", "x")))
    assert limits.attainable(points).tolist() == [o.values[1] <= 0.0 for o in state.observations]


def test_the_best_trial_of_a_region_is_feasible(state):
    feasible = [o for o in state.observations if o.values[1] <= 0.0]
    assert state.regions[0].best.number == min(feasible, key=lambda o: o.value).number


def test_infeasible_trials_rank_behind_feasible_ones_and_by_their_violation(state):
    limits = next(extension for extension in this_of(state).extensions if isinstance(extension, Limits))
    points = Points(*(np.concatenate([getattr(o.point, part) for o in state.observations]) for part in ("h", "x")))
    merits = limits.merits(points, np.array([o.value for o in state.observations]))
    order = [(o.values[1] > 0.0, max(o.values[1], 0.0), o.value) for o in state.observations]
    assert np.argsort(merits).tolist() == sorted(range(len(order)), key=order.__getitem__)


def test_a_trial_with_an_unknown_limit_teaches_its_objective_and_the_reverse():
    every, state = SMALL.every_point(), opening(SMALL, QUICK, LIMITED)
    told = [(1.0, None), (None, -1.0), (2.0, 3.0), (0.5, -2.0)]
    for number, values in enumerate(told):
        state = tell(state, Given(number, every[number], values), SMALL, QUICK)
    this = this_of(state, SMALL)
    limits = next(extension for extension in this.extensions if isinstance(extension, Limits))
    assert len(local_model(this).posterior.points) == 3
    assert len(limits.models[0].posterior.points) == 3
    assert not state.failures


def test_the_prediction_has_the_probability_that_all_limits_are_met_and_their_hyperparameters():
    state, asked = run(MIXED, QUICK, 6, lambda p: (objective(p), excess(p)))
    prediction = asked[-1].prediction
    assert 0.0 < prediction.feasible <= 1.0
    assert set(prediction.thetas) == {1}
    assert state.regions[0].thetas == prediction.thetas


def test_pending_trials_are_assumed_to_meet_a_limit_as_predicted(state):
    this = this_of(state)
    suggestion = ask(MIXED, QUICK, 0, state, 12, extensions_for(QUICK, LIMITED))
    waiting = this_of(tell(state, Asked(12, suggestion), MIXED, QUICK))
    one, other = (next(e for e in t.extensions if isinstance(e, Limits)).probabilities for t in (this, waiting))
    assert len(other.posterior.points) == len(one.posterior.points) + 1
    predicted = one.posterior.moments(suggestion.point)[0][0]
    assert other.posterior.y[-1] == pytest.approx(predicted, rel=1e-3)  # the two fits start at different points


def test_the_paper_with_limits_searches_by_the_logarithm():
    config = replace(PAPER, n_initial=4, fit_steps=5, fit_starts=1, search_steps=5)
    _, asked = run(SMALL, config, 8, lambda p: (objective(p), excess(p)))
    assert len({s.point.identities()[0] for s in asked}) == 8


def test_a_crashed_trial_is_still_a_failure_of_its_own():
    state, _ = run(MIXED, QUICK, 8, lambda p: None if p.h[0, 1] == 0 else (objective(p), excess(p)))
    assert len(state.failures) + len(state.observations) == 8
    assert state.failures


def test_the_models_of_limits_are_bounded_by_the_capacity(state):
    small = replace(QUICK, capacity=5)
    limits = next(extension for extension in this_of(state, config=small).extensions if isinstance(extension, Limits))
    assert len(limits.models[0].posterior.points) == 5
