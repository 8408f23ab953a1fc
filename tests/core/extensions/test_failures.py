from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import casmopolitan.core.extensions.failures as failures_module
from casmopolitan.core.ask import Ask
from casmopolitan.core.domain import Domain
from casmopolitan.core.extensions.failures import Failures
from casmopolitan.core.gp.feasibility import fit_success_model
from casmopolitan.core.state import Given, Prediction, opening, tell
from casmopolitan.presets import DEFAULT
from runs import MIXED, SMALL, ask, objective, run

TEMPTING = Domain(np.array([2] * 6 + [4] * 4), (None,) * 10, ())


ONE_IN_FOUR = Domain(np.full(6, 4), (None,) * 6, ())


def tempting(point):
    """The more switches are on and the more third levels chosen, the better; with a fourth level a trial fails."""
    levels = point.h[0, 6:]
    return None if (levels == 3).any() else float(-point.h[0, :6].sum() - (levels == 2).sum())


def failures(suggestions):
    return sum(tempting(s.point) is None for s in suggestions)


def test_where_trials_fail_by_a_rule_the_rule_is_learnt():
    config, failed = replace(DEFAULT, n_initial=15), {"avoided": 0, "learnt": 0}
    for seed in range(4):
        for way in failed:
            state, suggestions = run(TEMPTING, replace(config, failures=way), seed, 40, tempting)
            failed[way] += failures(suggestions[15:])
        assert min(o.value for o in state.observations) == -10.0  # of the run that learns
    assert failed["learnt"] < 0.7 * failed["avoided"]


def test_a_suggestion_says_how_probably_it_will_succeed_once_a_trial_has_failed():
    config = replace(DEFAULT, n_initial=6)
    state, before = run(TEMPTING, config, 0, 8)
    assert [s.prediction.success for s in before] == [None] * 8
    state, after = run(TEMPTING, config, 0, 3, lambda _: None, state, 8)
    assert after[0].prediction.success is None
    assert all(0 < s.prediction.success < 1 for s in after[1:])
    _, (last,) = run(TEMPTING, config, 0, 1, tempting, state, 11)
    assert last.prediction.success < 1


@pytest.mark.parametrize("changed", [{"failures": "avoided"}, {"acquisition": "ucb"}, {"acquisition": "thompson"}])
def test_failures_are_learnt_from_only_where_that_is_asked_for_and_log_ei_is_maximised(changed):
    config = replace(DEFAULT, n_initial=4, **changed)
    _, suggestions = run(TEMPTING, config, 0, 8, lambda p: None if p.h[0, 0] else objective(p))
    assert {s.prediction.success for s in suggestions} == {None}


def test_the_success_model_is_made_once_an_ask_also_where_a_level_is_held(monkeypatch):
    made = []
    monkeypatch.setattr(failures_module, "fit_success_model", lambda *a: made.append(a) or fit_success_model(*a))
    config = replace(DEFAULT, n_initial=4, global_every=1)
    state, _ = run(MIXED, config, 0, 6, lambda p: None if p.h[0, 0] == 1 else objective(p))
    made.clear()
    ask(MIXED, config, 0, state, 6)
    assert len(made) == 1
    assert len(made[0][2]) + len(made[0][3]) == 6


def test_where_nothing_is_left_to_gain_what_is_known_to_fail_is_still_left_alone():
    """With the objective known exactly, EI is nothing anywhere: only the probability of success is left to go by."""
    domain = Domain(np.full(8, 3), (None,) * 8, ())

    def known(point):
        h = point.h[0]
        return None if h[0] == 2 and h[1] != 0 else float(-(h == 2).sum())

    _, suggestions = run(domain, DEFAULT, 0, 50, known)
    late = suggestions[32:]
    assert min(s.prediction.success for s in late) > 0.2
    assert sum(known(s.point) is None for s in late) <= 3


@pytest.mark.parametrize(("capacity", "sizes"), [(6, (3, 3)), (1, (1, 1)), (100, (6, 4))])
def test_at_most_half_the_capacity_goes_to_the_latest_failures(monkeypatch, capacity, sizes):
    made = []
    monkeypatch.setattr(failures_module, "fit_success_model", lambda *a: made.append(a) or fit_success_model(*a))
    state, every = opening(SMALL, DEFAULT), SMALL.every_point()
    for number in range(10):
        state = tell(state, Given(number, every[number], None if number >= 4 else objective(every[number])), SMALL, DEFAULT)
    run(SMALL, replace(DEFAULT, n_initial=4, capacity=capacity), 0, 1, objective, state, 10)
    succeeded, failed = made[0][2:4]
    assert (len(failed), len(succeeded)) == sizes
    assert failed == every[10 - len(failed) : 10]


def test_later_regions_begin_where_trials_probably_succeed():
    config = replace(DEFAULT, failure_tolerance=3, n_initial=20)
    _, suggestions = run(ONE_IN_FOUR, config, 0, 110, lambda p: None if p.h[0, 0] else float(-p.h.sum()))
    later = [s for s in suggestions if s.provenance.region > 0 and s.provenance.source in ("initial", "restart")]
    assert len(later) > 10
    assert all(0 <= s.prediction.success <= 1 for s in later)
    assert sum(s.point.h[0, 0] > 0 for s in later) < len(later) / 4  # of random points three in four fail


@pytest.mark.parametrize(("P", "chosen"), [([0.1, 0.6, 0.9], 1), ([0.1, 0.3, 0.2], 1), ([0.5, 0.9, 0.1], 0)])
def test_the_first_hopeful_point_is_taken_or_else_the_likeliest(P, chosen):
    points = SMALL.every_point()[:3]

    class Told:
        def probability(self, _):
            return np.array(P)

    class WithModel(Failures):
        success = Told()

    this = Ask(SMALL, DEFAULT, 0, opening(SMALL, DEFAULT), 0, (WithModel,))
    point, prediction = this.choose(points, Prediction(mean=1.0))
    assert (point, prediction.success, prediction.mean) == (points[chosen], P[chosen], 1.0)
    assert this.last_resort(points).tolist() == [p < 0.5 for p in P]


def test_without_a_failure_nothing_changes():
    this = Ask(SMALL, DEFAULT, 0, opening(SMALL, DEFAULT), 0, (Failures,))
    points, score = SMALL.every_point()[:3], object()
    assert this.design_draws() == 1
    assert this.choose(points, Prediction())[0] == points[0]
    assert not this.last_resort(points).any()
    assert this.weigh(score) is score
