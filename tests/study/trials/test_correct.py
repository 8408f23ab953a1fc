"""Corrections of trials that have ended, as Optuna itself and this package read them afterwards."""

from __future__ import annotations

import optuna
import pytest

from casmopolitan.errors import DataError
from casmopolitan.execution.process import signature
from casmopolitan.study.sampler import records
from casmopolitan.study.sampler.records import NOTE
from casmopolitan.study.trials.correct import WITHDRAWN, correct_values, withdraw_trials
from casmopolitan.study.trials.known import KnownResult, record_known
from casmopolitan.study.trials.open import open_spec

POINTS = ({"a": "x", "b": 3}, {"a": "y", "b": 4}, {"a": "z", "b": 5})


@pytest.fixture
def told(opened):
    record_known(opened, [KnownResult(POINTS[0], 1.0), KnownResult(POINTS[1], 2.0), KnownResult(POINTS[2], None)])
    return opened


def rows(opened):
    return open_spec(opened.spec).rows()


def test_optunas_own_best_value_is_the_corrected_one(told):
    correct_values(told, {0: 9.0}, told.trials())
    study = optuna.load_study(study_name="n", storage=told.url)
    assert (study.best_value, study.best_trial.number) == (2.0, 1)
    correct_values(open_spec(told.spec), {1: 11.0}, open_spec(told.spec).trials())
    assert optuna.load_study(study_name="n", storage=told.url).best_value == 9.0


def test_the_history_of_a_value_is_in_its_row(told):
    for value in (5.0, None, 7.0):
        again = open_spec(told.spec)
        correct_values(again, {0: value}, again.trials())
    row = rows(told)[0]
    history = [(one["trial"], one["before"], one["after"]) for one in row.corrections]
    assert history == [(0, 1.0, 5.0), (0, 5.0, "failed"), (0, "failed", 7.0)]
    assert row.to_dict()["corrections"] == list(row.corrections)
    assert (row.state, row.value, row.number) == ("complete", 7.0, 0)


def test_a_failure_that_is_corrected_loses_its_mark_and_its_error(told):
    trial = told.study.ask(dict(told.study.sampler._declared.distributions))
    trial.set_user_attr(NOTE, {"by": "run", "seconds": 2.0, "error": "exit code 1", "ending": "failed", "tail": "oops"})
    told.study.tell(trial, state=optuna.trial.TrialState.FAIL)
    correct_values(told, {2: 4.0, 3: 5.0}, told.trials())
    found = open_spec(told.spec)
    assert [records.FAILED in trial.system_attrs for trial in found.trials()[2:]] == [False, False]
    assert [(row.state, row.value, row.error, row.tail) for row in found.rows()[2:]] == [
        ("complete", 4.0, None, ""),
        ("complete", 5.0, None, ""),
    ]
    assert found.rows()[3].seconds == 2.0


def test_the_model_uses_the_corrected_value(told):
    correct_values(told, {0: 9.0, 1: WITHDRAWN, 2: 0.5}, told.trials())
    found = open_spec(told.spec)
    assert [(row.state, row.value) for row in found.rows()] == [("complete", 9.0), ("cancelled", None), ("complete", 0.5)]
    assert [row.number for row in found.best_first(found.rows())] == [2, 0]


def test_a_withdrawn_trial_costs_no_budget_and_keeps_its_number(told):
    assert withdraw_trials(told, None) == [2]
    assert withdraw_trials(open_spec(told.spec), [0]) == [0]
    found = rows(told)
    assert [row.state for row in found] == ["cancelled", "complete", "cancelled"]
    assert not any(row.counts for row in found)
    assert found[0].corrections[0]["after"] == "cancelled"
    with pytest.raises(DataError, match=r"trial 0 has not ended \(cancelled\), trial 7 has not ended \(does not exist\)"):
        withdraw_trials(open_spec(told.spec), [0, 7])


def test_nothing_is_corrected_beside_a_run(told):
    told.study.ask().set_user_attr(NOTE, {"by": "run", "worker": signature()})
    with pytest.raises(DataError, match=r"a run is under way \(trial 3\)"):
        correct_values(told, {0: 9.0}, told.trials())
    assert rows(told)[0].value == 1.0


def test_who_reads_before_another_corrects_is_told(told):
    mine = told.trials()
    correct_values(told, {0: 8.0}, mine)
    with pytest.raises(DataError, match="trial 0 was changed by another process"):
        correct_values(told, {0: 9.0, 1: 9.0}, mine)
    assert [row.value for row in rows(told)] == [8.0, 2.0, None]
