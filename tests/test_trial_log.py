"""Which trial is meant, what is past data, what is a duplicate."""

from __future__ import annotations

import copy
import math
from dataclasses import replace

import numpy as np
import pytest

import casmopolitan as cas
from casmopolitan import FAILED, DataError, Optimizer
from casmopolitan.core.state import Asked, Cancelled, Given, Prediction, Provenance, Suggestion, Told
from casmopolitan.goals import Goals
from casmopolitan.trial_log import TrialLog

QUICK = replace(cas.PAPER, n_initial=4, fit_steps=5, fit_starts=1, search_steps=5, failure_tolerance=3)
SPACE = cas.Space(
    {
        "kind": cas.Categorical(["a", "b", "c"]),
        "size": cas.Ordinal([1, 2, 4, 8]),
        "count": cas.Integer(1, 100),
        "rate": cas.Real(1e-4, 1.0, log=True),
    }
)


def objective(c):
    return (c["kind"] != "b") + abs(c["size"] - 4) / 4 + abs(c["count"] - 30) / 50 + abs(math.log10(c["rate"]) + 2)


def optimizer(space=SPACE, seed=0, config=QUICK, **options):
    return Optimizer(space, seed=seed, config=config, **options)


def advanced(opt, n, f=objective):
    for _ in range(n):
        trial = opt.ask()
        opt.tell(trial, f(trial.configuration))
    return opt


@pytest.mark.parametrize("rate", [1e-4, 2e-4, 3e-3, 5e-2, 0.3, 0.1 + 0.2])
def test_past_data_told_twice_count_once(rate):
    opt = optimizer()
    mine = {"kind": "b", "size": 4, "count": 30, "rate": rate}
    first = opt.tell(mine, 1.0)
    assert opt.tell(mine, 1.0) == first
    assert opt.tell(first.configuration, 1.0) == first
    asked = opt.tell(opt.ask(), 2.0)
    assert opt.tell(asked.configuration, 2.0) == asked
    assert len(opt.trials) == 2
    for copied in (copy.deepcopy(opt), Optimizer.from_json(opt.to_json())):
        assert copied.tell(mine, 1.0) == first
        assert len(copied.trials) == 2


def test_another_value_for_a_configuration_of_an_exact_objective_is_an_error_that_names_the_trial():
    opt = optimizer()
    opt.tell(opt.ask(), 5.0)
    mine = {"kind": "b", "size": 4, "count": 30, "rate": 0.01}
    opt.tell(mine, 1.0)
    for other in (2.0, FAILED):
        with pytest.raises(DataError, match=r"trial 1 with this configuration was told 1\.0 already; .*noisy=True"):
            opt.tell(mine, other)
    assert len(opt.trials) == 2


def test_a_configuration_that_only_failed_may_be_told_a_value():
    opt = optimizer()
    mine = {"kind": "b", "size": 4, "count": 30, "rate": 0.01}
    failed, told = opt.tell(mine, FAILED), opt.tell(mine, 1.0)
    assert (failed.number, failed.status, told.number, told.value) == (0, "failed", 1, 1.0)
    assert opt.tell(mine, FAILED) == failed
    assert opt.tell(mine, 1.0) == told


def test_past_data_of_a_noisy_objective_all_count():
    opt = optimizer(noisy=True)
    mine = {"kind": "b", "size": 4, "count": 30, "rate": 0.01}
    assert [opt.tell(mine, value).number for value in (1.0, 1.0, 2.0)] == [0, 1, 2]


@pytest.mark.parametrize("rate", [1e-4, 2e-4, 3e-3, 5e-2, 0.3, 0.1 + 0.2])
def test_an_initial_point_is_told_in_the_users_own_digits(rate):
    mine = {"kind": "b", "size": 4, "count": 30, "rate": rate}
    opt = optimizer(initial=[mine])
    opt.ask()
    opt.tell(mine, 1.0)
    assert [t.status for t in opt.trials] == ["complete"]


def test_a_trial_of_another_optimiser_is_refused():
    ours, theirs = optimizer(seed=1), optimizer(seed=2)
    ours.ask()
    with pytest.raises(DataError, match="trial 0 has another configuration in this optimiser"):
        ours.tell(theirs.ask(), 1.0)
    assert ours.trials[0].status == "pending"


def test_a_cancelled_trial_told_twice_counts_once():
    opt = optimizer()
    trial = opt.ask()
    opt.cancel(trial)
    assert opt.tell(trial, 1.0) == opt.tell(trial, 1.0)
    assert [t.status for t in opt.trials] == ["cancelled", "complete"]


def test_what_an_explanation_holds_is_handed_out_as_a_copy():
    opt = advanced(optimizer(), 6)
    centre = opt.trials[5].explanation["centre"]
    assert centre is not None
    centre.clear()
    assert opt.trials[5].explanation["centre"]


def test_a_cancelled_trial_has_one_value_unless_the_objective_is_noisy():
    opt = optimizer()
    trial = opt.ask()
    opt.cancel(trial)
    opt.tell(trial, 1.0)
    with pytest.raises(DataError, match=r"cannot become 2\.0"):
        opt.tell(trial, 2.0)
    opt = optimizer(noisy=True)
    trial = opt.ask()
    opt.cancel(trial)
    opt.tell(trial, 1.0)
    opt.tell(trial, 1.0)
    opt.tell(trial, 2.0)
    assert [t.value for t in opt.trials] == [None, 1.0, 2.0]


@pytest.mark.parametrize("made", [[64, 64], np.zeros(3), "none of its choices"])
def test_what_an_objective_makes_of_its_configuration_is_no_other_trial(made):
    opt = optimizer()
    trial = opt.ask()
    trial.configuration["count"] = made
    assert opt.tell(trial, 1.0).status == "complete"


def test_an_interrupted_tell_leaves_the_record_as_it_was(monkeypatch):
    space = cas.Space({"a": cas.Categorical([0, 1, 2])})
    opt = cas.Optimizer(space, seed=0)
    trial = opt.ask()
    with monkeypatch.context() as patch:
        patch.setattr(TrialLog, "_ended", lambda self, trial, value: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            opt.tell(trial, 1.0)
    opt.tell(trial, 1.0)
    assert cas.Optimizer.from_json(opt.to_json()).best_value == 1.0


def log_of(direction="minimize", config=QUICK):
    return TrialLog(SPACE, config, Goals.of(direction))


def point(seed):
    return SPACE.encode(SPACE.sample(1, seed))


def test_an_event_becomes_a_trial_in_the_users_sign():
    log = log_of("maximize")
    suggestion = Suggestion(point(0), Provenance(0, "acquisition", point(1)), Prediction(mean=-2.0, deviation=0.5))
    asked = log.append(Asked(0, suggestion))
    assert (asked.status, asked.explanation["mean"], asked.explanation["deviation"]) == ("pending", 2.0, 0.5)
    assert asked.explanation["centre"] == SPACE.decode(point(1))[0]
    assert log.append(Told(0, -3.0)).value == 3.0
    assert log.append(Given(1, point(2), None)).status == "failed"
    log.append(Asked(2, Suggestion(point(3), Provenance(0, "initial"))))
    assert log.append(Cancelled(2)).status == "cancelled"
    assert [trial.status for trial in log.trials] == ["complete", "failed", "cancelled"]
    assert (len(log), len(log.events), log.pending) == (3, 5, [])


def test_a_copied_log_is_independent():
    log = log_of()
    log.append(Given(0, point(0), 1.0))
    twin = log.copied()
    twin.append(Given(1, point(1), 0.0))
    assert (len(log), len(log.events), len(log.state.observations)) == (1, 1, 1)
    assert log.best(None).number == 0
    assert twin.best(None).number == 1


def test_the_first_untried_configuration_is_neither_evaluated_nor_pending_nor_failed():
    wanted = SPACE.sample(4, 5)
    log = log_of()
    log.append(Given(0, SPACE.encode(wanted[:1]), 1.0))
    log.append(Given(1, SPACE.encode(wanted[1:2]), None))
    log.append(Asked(2, Suggestion(SPACE.encode(wanted[2:3]), Provenance(0, "initial"))))
    assert log.first_untried(wanted) == SPACE.encode(wanted[3:])
    assert log.first_untried(wanted[:3]) is None
    assert log.first_untried([wanted[0]] * 2) is None


def test_a_noisy_objective_is_tried_as_often_as_a_configuration_is_listed():
    wanted = SPACE.sample(1, 5)
    log = log_of(config=replace(QUICK, noisy=True))
    log.append(Given(0, SPACE.encode(wanted), 1.0))
    assert log.first_untried(wanted * 2) == SPACE.encode(wanted)
    assert log.first_untried(wanted) is None


def test_without_a_completed_trial_there_is_no_best():
    with pytest.raises(DataError, match="no trial has been completed"):
        log_of().best(None)


def test_a_tell_codes_at_most_one_configuration_and_checks_the_constraint_once(monkeypatch):
    checked, coded = [], []
    space = cas.Space(SPACE.variables, constraint=lambda c: checked.append(c) or True)
    opt = optimizer(space)
    trials = [opt.ask() for _ in range(3)]
    real = cas.Space.encode
    monkeypatch.setattr(cas.Space, "encode", lambda self, rows: coded.extend(rows) or real(self, rows))
    checked.clear()
    opt.tell(trials[0], 1.0)
    opt.tell(trials[1].number, 1.0)
    assert (len(coded), len(checked)) == (0, 0)
    opt.tell({"kind": "a", "size": 1, "count": 7, "rate": 0.5}, 1.0)
    opt.tell(dict(trials[2].configuration), 1.0)
    assert (len(coded), len(checked)) == (2, 2)


def test_a_trial_whose_values_were_swapped_in_place_is_not_taken_for_the_recorded_one():
    space = cas.Space({"a": cas.Categorical([0, 1]), "b": cas.Categorical([0, 1])})
    opt = optimizer(space, initial=[{"a": 0, "b": 1}])
    trial = opt.ask()
    with pytest.raises(DataError, match="another configuration"):
        opt.tell(replace(trial, configuration={"b": 0, "a": 1}), 1.0)
    assert opt.tell(replace(trial, configuration={"b": 1, "a": 0}), 1.0).status == "complete"


def test_the_centre_in_an_explanation_is_the_callers_own():
    opt = advanced(optimizer(), 6)
    trial = opt.ask()
    trial.explanation["centre"]["kind"] = "changed"
    assert opt.trials[-1].explanation["centre"]["kind"] in ("a", "b", "c")


def test_what_was_run_is_recorded_and_the_suggested_trial_is_cancelled():
    space = cas.Space({"a": cas.Categorical(["x", "y"]), "dose": cas.Real(0.05, 1.0, log=True, digits=2)})
    optimizer = cas.Optimizer(space, seed=0)
    asked = optimizer.ask()
    near = asked.configuration["dose"] * 1.0001
    assert optimizer.tell(asked, 1.0, as_run={"dose": near}).number == asked.number
    other = optimizer.ask()
    run = optimizer.tell(other, 2.0, as_run={"dose": 0.7312})
    assert run.configuration == {"a": other.configuration["a"], "dose": 0.73}
    assert [trial.status for trial in optimizer.trials] == ["complete", "cancelled", "complete"]
    with pytest.raises(cas.DataError, match="is not pending; tell the configuration that was run"):
        optimizer.tell(other, 2.0, as_run={"dose": 0.5})
    with pytest.raises(cas.SpaceError, match="'dose' got 7"):
        optimizer.tell(optimizer.ask(), 2.0, as_run={"dose": 7})
    assert cas.Optimizer.from_json(optimizer.to_json()).trials == optimizer.trials
