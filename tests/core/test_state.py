from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from casmopolitan.config import Config
from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Axis, Points
from casmopolitan.core.region.trust_region import TrustRegion
from casmopolitan.core.state import Asked, Cancelled, Given, Prediction, Provenance, Suggestion, Told, opening, tell
from casmopolitan.trial import EXPLANATION_FIELDS, OUTCOME_FIELDS
from runs import QUICK, SMALL, ask, run

DOMAIN = Domain(np.full(5, 3), (None,) * 5, (Axis(0.0, 1.0),))
CONFIG = Config(failure_tolerance=2)


def point(i):
    return Points(np.array([[i % 3, i // 3 % 3, i // 9 % 3, 0, 0]]), np.array([[0.5]]))


def folded(*events, config=CONFIG, state=None):
    state = opening(DOMAIN, config) if state is None else state
    for event in events:
        state = tell(state, event, DOMAIN, config)
    return state


def trial(number, value, source="acquisition", region=0):
    return Asked(number, Suggestion(point(number), Provenance(region, source))), Told(number, value)


def counters(state):
    return state.lengths.successes, state.lengths.failures


def test_the_opening_has_one_region_with_its_first_lengths():
    state = opening(DOMAIN, CONFIG)
    assert state.lengths == TrustRegion(4, 0.8)
    assert (state.current, state.observations, state.pending) == (0, (), {})


def test_an_asked_trial_is_pending_until_it_is_told():
    asked, told = trial(0, 1.0, "initial")
    state = folded(asked)
    assert list(state.pending) == [0]
    state = folded(told, state=state)
    assert state.pending == {}
    assert [(o.number, o.value, o.region, o.source) for o in state.observations] == [(0, 1.0, 0, "initial")]


def test_success_means_strictly_better_than_the_regions_best():
    state = folded(*trial(0, 1.0, "initial"), *trial(1, 1.0))
    assert counters(state) == (0, 1)
    assert counters(folded(*trial(2, 0.999), state=state)) == (1, 0)


def test_a_margin_asks_for_more_than_that():
    config = replace(CONFIG, success_margin=0.1)
    assert counters(folded(*trial(0, -1.0, "initial"), *trial(1, -1.05), config=config)) == (0, 1)
    assert counters(folded(*trial(0, -1.0, "initial"), *trial(1, -1.2), config=config)) == (1, 0)


@pytest.mark.parametrize("source", ["initial", "restart", "fallback"])
def test_only_acquisition_trials_count(source):
    state = folded(*trial(0, 1.0, "initial"), *trial(1, 0.5, source), *trial(2, 2.0, source), *trial(3, None, source))
    assert counters(state) == (0, 0)
    assert state.regions[0].best.number == 1


def test_a_failed_acquisition_counts_as_a_failure_of_the_region_and_is_remembered():
    state = folded(*trial(0, 1.0, "initial"), *trial(1, None))
    assert counters(state) == (0, 1)
    assert state.failures == (point(1),)
    assert len(state.observations) == 1


def test_a_point_told_from_outside_moves_the_centre_when_better_and_never_counts():
    state = folded(*trial(0, 1.0, "initial"), *trial(1, 2.0))
    better = folded(Given(2, point(7), 0.1), state=state)
    assert better.regions[0].best.point == point(7)
    worse = folded(Given(3, point(8), 5.0), state=better)
    assert worse.regions[0].best.point == point(7)
    assert counters(worse) == counters(state) == (0, 1)


def test_points_told_from_outside_stand_for_initial_ones():
    state = folded(Given(0, point(0), 1.0), Given(1, point(1), None))
    assert state.regions[0].designed == 1
    assert state.failures == (point(1),)


def test_a_cancelled_trial_leaves_no_trace():
    before = folded(*trial(0, 1.0, "initial"))
    for source in ("initial", "acquisition"):
        asked, _ = trial(1, 0.0, source)
        after = folded(asked, Cancelled(1), state=before)
        assert after.pending == {}
        assert after.regions[0].designed == before.regions[0].designed == 1
        assert after.lengths == before.lengths
        assert (after.observations, after.failures) == (before.observations, before.failures)


def exhausted_by_failures(extra=()):
    """A run whose first region has shrunk to nothing: 4 -> 2 -> 1 -> 0."""
    events = [*trial(0, 1.0, "initial"), *extra]
    for number in range(1, 7):
        events += trial(100 + number, 2.0)
    return folded(*events)


def test_a_region_that_shrank_to_its_minimum_is_followed_by_a_new_one_with_the_first_lengths():
    state = exhausted_by_failures()
    assert state.current == 1
    assert state.lengths == TrustRegion(4, 0.8)
    assert state.regions[1].centre is None
    assert state.regions[1].best is None


def test_a_late_trial_enters_its_own_region_only():
    asked, told = trial(1, 0.0)
    state = exhausted_by_failures(extra=[asked])
    after = folded(told, state=state)
    assert after.regions[0].best.number == 1
    assert after.regions[1].best is None
    assert after.lengths == state.lengths
    assert after.current == 1
    assert len(after.seen(DOMAIN, 1)[1]) == 0
    late_failure = folded(Told(1, None), state=state)
    assert late_failure.lengths == state.lengths


@pytest.mark.parametrize(("asked", "shrunk"), [((4, 0.8), True), ((None, None), True), ((6, 0.8), False), ((4, 1.2), False)])
def test_a_trial_of_an_earlier_size_of_the_region_does_not_count(asked, shrunk):
    events = [*trial(0, 1.0, "initial"), *trial(1, 2.0)]
    late = Suggestion(point(2), Provenance(0, "acquisition", None, *asked))
    state = folded(*events, Asked(2, late), Told(2, 2.0))
    assert (state.lengths.radius < 4) is shrunk
    assert len(state.observations) == 3


def test_one_large_batch_shrinks_a_region_once():
    first = [*trial(0, 1.0, "initial")]
    lengths = folded(*first).lengths
    asked = [
        Asked(n, Suggestion(point(n), Provenance(0, "acquisition", None, lengths.radius, lengths.length))) for n in range(1, 9)
    ]
    state = folded(*first, *asked, *(Told(n, 2.0) for n in range(1, 9)))
    assert (state.current, state.lengths.radius) == (0, 2)


def test_a_region_that_starts_at_its_minimum_ends_by_shrinking_not_at_once():
    config = replace(CONFIG, minimum_radius=1)
    narrow = Domain(np.array([3]), (None,), ())
    state = opening(narrow, config)
    assert state.lengths.radius == 1
    for number, value in enumerate([1.0, 0.5, 2.0]):
        suggestion = Suggestion(Points(np.array([[number]]), np.empty((1, 0))), Provenance(0, "acquisition"))
        state = tell(tell(state, Asked(number, suggestion), narrow, config), Told(number, value), narrow, config)
    assert state.current == 0


def test_a_restart_opens_its_region_and_gives_it_a_centre():
    state = folded(*trial(0, 1.0, "initial"), Asked(1, Suggestion(point(5), Provenance(1, "restart"))))
    assert state.current == 1
    assert state.regions[1].centre == point(5)
    assert state.regions[1].designed == 1
    assert state.lengths == TrustRegion(4, 0.8)


def test_a_restart_given_back_leaves_no_centre_unless_something_was_tried_around_it():
    begun = folded(*trial(0, 1.0, "initial"), Asked(1, Suggestion(point(5), Provenance(1, "restart"))))
    assert folded(Cancelled(1), state=begun).regions[1].centre is None
    around = folded(Asked(2, Suggestion(point(6), Provenance(1, "initial"))), Cancelled(1), state=begun)
    assert around.regions[1].centre == point(5)
    assert around.regions[1].designed == 1


def test_the_next_fit_starts_from_the_highest_numbered_ask_of_the_region():
    def asked(number, theta, region=0):
        return Asked(number, Suggestion(point(number), Provenance(region, "acquisition"), Prediction(theta=theta)))

    state = folded(asked(0, (0.1,)), asked(2, (0.3,)), asked(1, (0.2,)), asked(3, None))
    assert state.regions[0].theta == (0.3,)
    assert folded(asked(4, (0.4,), region=1), state=state).regions[0].theta == (0.3,)


def test_the_fold_never_changes_a_state_it_was_given():
    state = folded(*trial(0, 1.0, "initial"))
    kept = (state.lengths, state.regions, state.observations, dict(state.pending))
    folded(*trial(1, 0.5), Given(2, point(3), 0.1), state=state)
    assert (state.lengths, state.regions, state.observations, state.pending) == kept


def test_growth_follows_two_successes_and_shrinking_resets():
    state = folded(*trial(0, 3.0, "initial"), *trial(1, 2.0), *trial(2, 1.0))
    assert state.lengths == TrustRegion(5, 0.8 * 1.5)
    state = folded(*trial(3, 1.5), *trial(4, 1.5), state=state)
    assert state.lengths == TrustRegion(3, pytest.approx(0.8))


def test_an_explanation_has_every_field_of_provenance_and_prediction_but_the_hyper_parameters():
    explained = Suggestion(point(0), Provenance(0, "initial")).explanation()
    assert explained.keys() - {"theta", "thetas"} == {*EXPLANATION_FIELDS, *OUTCOME_FIELDS}
    assert len(EXPLANATION_FIELDS) + len(OUTCOME_FIELDS) == len(fields(Provenance)) + len(fields(Prediction)) - 2


def test_the_initial_sample_is_of_the_design_whatever_came_first():
    config = replace(QUICK, n_initial=3)
    state = opening(SMALL, config)
    for number, value in enumerate([100.0, None, 101.0]):
        state = tell(state, Asked(number, ask(SMALL, config, 0, state, number)), SMALL, config)
        state = tell(state, Told(number, value), SMALL, config)
    state, _ = run(SMALL, config, 0, 3, lambda point: 1.0, state, first=3)
    assert state.sample(3).tolist() == [100.0, 101.0]
    assert state.sample(1, 0).tolist() == [100.0]
    alone = replace(state, observations=state.observations[2:])
    assert alone.sample(2).tolist() == [1.0, 1.0], "without a design, what there is"
