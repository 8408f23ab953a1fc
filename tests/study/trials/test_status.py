"""The state of a trial as it is recorded."""

from __future__ import annotations

import pytest
from optuna.trial import TrialState

from casmopolitan.errors import DataError
from casmopolitan.study.compat import storage_of, trial_id
from casmopolitan.study.sampler import records
from casmopolitan.study.sampler.records import NOTE
from casmopolitan.study.trials.known import KnownResult, record_known
from casmopolitan.study.trials.status import cancel_trial, count, counts, is_redundant, repeats, state_of


def test_a_damaged_note_is_no_disaster(opened):
    trial = opened.study.ask()
    trial.set_user_attr(NOTE, ["not", "a", "note"])
    other = opened.study.ask()
    other.set_user_attr(NOTE, {"seconds": "soon", "error": 3, "attempts": None, "worker": 7})
    assert [row.state for row in opened.rows()] == ["running", "running"]


def test_the_state_of_a_trial_follows_from_its_record(opened):
    states = []
    for note, ending, failed in (
        ({"by": "run"}, None, False),
        ({"by": "hand"}, None, False),
        ({"by": "run"}, TrialState.FAIL, True),
        ({"by": "run"}, TrialState.FAIL, False),
    ):
        trial = opened.study.ask()
        trial.set_user_attr(NOTE, note)
        if ending is not None:
            storage = storage_of(opened.study)
            if failed:
                storage.set_trial_system_attr(trial_id(trial), records.FAILED, True)
            storage.set_trial_state_values(trial_id(trial), ending)
        states.append(state_of(opened.trials()[-1]))
    assert states == ["running", "asked", "failed", "cancelled"]
    assert [counts(trial) for trial in opened.trials()] == [row.counts for row in opened.rows()] == [True, True, True, False]
    assert count(opened.trials()) == 3


def test_a_value_that_is_infinite_is_a_failure_and_a_known_result_costs_nothing(opened):
    opened.study.tell(opened.study.ask(), float("inf"))
    record_known(opened, [KnownResult({"a": "x", "b": 3}, 1.0)])
    assert [(row.state, row.counts) for row in opened.rows()] == [("failed", True), ("complete", False)]


def test_a_queued_point_that_has_its_value_is_redundant_unless_values_are_noisy(opened):
    record_known(opened, [KnownResult({"a": "x", "b": 3}, 1.0)])
    opened.study.enqueue_trial({"a": "x", "b": 3})
    trials = opened.trials()
    assert is_redundant(trials[1], trials, noisy=False)
    assert not is_redundant(trials[1], trials, noisy=True)


def test_a_space_of_one_point_is_repeated_only_if_values_are_noisy(opened):
    record_known(opened, [KnownResult({"a": "x", "b": 3}, 1.0)])
    opened.study.ask()
    trials = opened.trials()
    assert repeats(trials[1], trials, single_point=True, noisy=False)
    assert not repeats(trials[1], trials, single_point=True, noisy=True)
    assert not repeats(trials[1], trials, single_point=False, noisy=False)


def test_a_trial_that_has_ended_is_not_cancelled(opened):
    opened.study.tell(opened.study.ask(), 1.0)
    with pytest.raises(DataError, match="trial 0 has already ended"):
        cancel_trial(opened.study, opened.trials()[0])
