from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from casmopolitan.core.algorithm import acquisition_function, ask, local_model, search_centre
from casmopolitan.core.ask import Ask
from casmopolitan.core.extensions import extensions_for
from casmopolitan.core.extensions.limits import Limits
from casmopolitan.core.extensions.objectives import REFIT, USUAL, Objectives
from casmopolitan.core.extensions.scalarised import Scalarised, scalarised
from casmopolitan.core.front import non_dominated
from casmopolitan.core.gp.joint import Joint
from casmopolitan.core.gp.model import fit_model, nearest_outcomes
from casmopolitan.core.outcomes import Limit, Outcomes
from casmopolitan.core.state import Asked
from casmopolitan.core.state import tell as told
from casmopolitan.presets import DEFAULT
from tests.core.extensions.test_limits import run
from tests.runs import MIXED, SMALL, objective

QUICK = replace(DEFAULT, n_initial=5, candidates=50, climbers=2)


def other(point):
    return float(-point.h.sum() + ((point.x - 0.8) ** 2).sum())


def both(point):
    return objective(point), other(point)


@pytest.fixture(scope="module")
def state():
    return run(MIXED, QUICK, 12, both, Outcomes(2))[0]


def this_of(state, config=QUICK, number=20):
    return Ask(MIXED, config, 0, state, number, extensions_for(config, state.outcomes))


def extension(this, kind=Objectives):
    return next(e for e in this.extensions if isinstance(e, kind))


def test_two_and_three_objectives_share_ehvi_and_more_are_scalarised():
    assert Objectives in extensions_for(DEFAULT, Outcomes(3))
    assert Scalarised in extensions_for(DEFAULT, Outcomes(4))
    assert not {Objectives, Scalarised} & set(extensions_for(DEFAULT))


def test_the_score_is_a_rule_of_one_posterior_per_objective(state):
    this = this_of(state)
    score = acquisition_function(this, local_model(this).posterior)
    assert isinstance(score.posterior, Joint)
    assert len(score.parts) == 2
    assert np.isfinite(score(MIXED.draw(20, np.random.default_rng(0)))).all()


def test_with_several_objectives_a_bowl_is_a_clear_bowl(state):
    models = extension(this_of(state, replace(QUICK, mean="bowl"))).models
    assert {model.posterior.steepness for model in models} == {0.0}
    points, values, sample = nearest_outcomes(MIXED, QUICK, state, None)
    for y, drawn in zip(values.T, sample.T, strict=True):  # one objective at a time has a bowl of hardly any steepness
        model = fit_model(MIXED, QUICK, points, y, drawn, None, np.random.default_rng(0))
        assert 0.0 < model.posterior.steepness < 0.1


def test_the_centre_is_a_point_of_the_front(state):
    this = this_of(state)
    centre = search_centre(this, local_model(this))
    values = np.array([o.values for o in state.observations])
    front = [state.observations[int(k)].point for k in np.flatnonzero(non_dominated(values))]
    assert centre in front


def test_a_centre_is_used_up_after_several_trials_without_growth(state):
    this = this_of(state)
    centre = search_centre(this, local_model(this))
    used = extension(this)
    vars(used)["tries"] = lambda points: np.array([99 * (key == centre.identities()[0]) for key in points.identities()])
    assert search_centre(this, local_model(this)) != centre


def test_the_reference_point_is_at_least_as_bad_as_the_front_and_what_is_usual(state):
    used = extension(this_of(state))
    points, values = used.complete
    y = used.targets(points, values, Joint(tuple(model.posterior for model in used.models)))
    front = y[non_dominated(y)]
    sample = values[: QUICK.n_initial]
    usual = [np.quantile(model.targets.apply(sample[:, j]), USUAL) for j, model in enumerate(used.models)]
    assert (used.reference(front) >= np.maximum(front.max(axis=0), usual)).all()


def test_good_trials_of_the_search_do_not_move_the_reference_point(state):
    used = extension(this_of(state))
    later = replace(state.observations[-1], number=12, values=(-1e3, -1e3), source="acquisition")
    more = extension(this_of(replace(state, observations=state.observations.plus(later))))
    vars(more)["models"] = used.models
    assert more.reference(np.zeros((1, 2))).tolist() == used.reference(np.zeros((1, 2))).tolist()


def test_a_given_reference_point_is_used(state):
    used = extension(this_of(replace(state, outcomes=Outcomes(2, reference=(50.0, 60.0)))))
    expected = [float(model.targets.apply(np.array([v]))[0]) for model, v in zip(used.models, (50.0, 60.0), strict=True)]
    np.testing.assert_allclose(used.reference(np.zeros((1, 2))), expected)


def test_the_prediction_has_a_mean_and_a_deviation_for_every_objective():
    _, asked = run(MIXED, QUICK, 7, both, Outcomes(2))
    prediction = asked[-1].prediction
    assert len(prediction.means) == len(prediction.deviations) == 2
    assert (prediction.mean, prediction.deviation) == (None, None)
    assert set(prediction.thetas) == {1}


def test_hyperparameters_are_fitted_after_every_multiple_of_refit_and_kept_in_between():
    _, asked = run(MIXED, QUICK, 24, both, Outcomes(2))
    thetas = [(s.prediction.theta, s.prediction.thetas[1]) for s in asked[QUICK.n_initial :]]
    new = [True, *(theta != before for before, theta in pairwise(thetas))]
    assert new == [k == QUICK.n_initial or k % REFIT == 0 for k in range(QUICK.n_initial, 24)]


def test_hyperparameters_are_fitted_even_if_no_multiple_of_refit_is_asked_for(state):
    last = state.regions[state.current].theta_number
    later = extension(this_of(state, number=last - last % REFIT + REFIT + 1)).models
    soon = extension(this_of(state, number=last - last % REFIT + REFIT - 1)).models
    kept = [state.regions[0].theta, state.regions[0].thetas[1]]
    assert [model.recorded() for model in soon] == kept
    assert all(model.recorded() != theta for model, theta in zip(later, kept, strict=True))


def test_pending_trials_count_as_if_they_had_come_out_as_predicted(state):
    suggestion = ask(MIXED, QUICK, 0, state, 12, extensions_for(QUICK, state.outcomes))
    this = this_of(told(state, Asked(12, suggestion), MIXED, QUICK), number=13)
    score = acquisition_function(this, local_model(this).posterior)
    assert all(len(part.points) == 13 for part in score.parts)
    assert score(suggestion.point)[0] < suggestion.prediction.acquisition


def test_objectives_that_are_never_known_together_are_searched_one_by_one():
    alternating = iter([(1.0, None), (None, 2.0)] * 6)
    state, asked = run(MIXED, QUICK, 8, lambda _: next(alternating), Outcomes(2))
    waiting = told(state, Asked(8, asked[-1]), MIXED, QUICK)
    assert ask(MIXED, QUICK, 0, waiting, 9, extensions_for(QUICK, state.outcomes)).prediction.acquisition is not None


def test_limits_and_several_objectives_go_together():
    outcomes = Outcomes(2, 1, (Limit(2, 1.0, 1.5),))
    state, asked = run(MIXED, QUICK, 10, lambda p: (*both(p), float(p.x.sum())), outcomes)
    score = acquisition_function(this_of(state), local_model(this_of(state)).posterior)
    assert isinstance(score.posterior, Joint)
    assert score.added is not None
    assert asked[-1].prediction.feasible is not None
    assert set(asked[-1].prediction.thetas) == {1, 2}
    assert extension(this_of(state), Limits).reached


@pytest.mark.parametrize("count", [2, 3, 4])
def test_no_point_is_suggested_twice(count):
    _, asked = run(SMALL, QUICK, 12, lambda p: (*both(p), float(p.h[0, 1]), float(p.h[0, 0]))[:count], Outcomes(count))
    assert len({s.point.identities()[0] for s in asked}) == 12


def test_noisy_objectives_have_a_front_of_means():
    noisy = replace(QUICK, noisy=True)
    _, asked = run(SMALL, noisy, 9, both, Outcomes(2))
    assert asked[-1].provenance.source in ("acquisition", "global")


def test_the_scalarisation_is_the_augmented_tchebycheff_norm():
    values, weights = np.array([[1.0, 2.0], [3.0, 0.5]]), np.array([0.25, 0.75])
    np.testing.assert_allclose(scalarised(values, weights, 0.1), [1.5 + 0.1 * 1.75, 0.75 + 0.1 * 1.125])


def test_every_ask_draws_new_weights():
    state, _ = run(SMALL, QUICK, 5, lambda p: (*both(p), 0.0, 1.0), Outcomes(4))
    drawn = [extension(this_of(state, number=n), Scalarised).weights for n in (5, 6)]
    assert np.abs(drawn[0] - drawn[1]).max() > 0.01
    np.testing.assert_allclose([w.sum() for w in drawn], 1.0)
