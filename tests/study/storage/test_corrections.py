"""Corrections of recorded trials and attributes: whole or not at all, and never beside a run."""

from __future__ import annotations

import json
import threading

import optuna
import pytest
from optuna.trial import TrialState

from casmopolitan.errors import DataError
from casmopolitan.study.compat import database_of, study_id
from casmopolitan.study.sampler.records import LONGEST, NOTE
from casmopolitan.study.storage.corrections import CHANGE, CORRECTION, TrialCorrection, correct_trials, replace_record
from casmopolitan.study.storage.open import load_or_create_study, open_storage


def opened(url):
    sampler = optuna.samplers.RandomSampler(0)
    return load_or_create_study("s", open_storage(url, heartbeat=None), directions=["minimize"], sampler=sampler)


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/study.db"


@pytest.fixture
def study(url):
    made = load_or_create_study(
        "s", open_storage(url, heartbeat=None), directions=["minimize"], sampler=optuna.samplers.RandomSampler(0)
    )
    for value in (3.0, 1.0, 2.0):
        made.tell(made.ask(), value)
    return made


def corrections(study, values):
    trials = study.get_trials(deepcopy=False)
    return [
        TrialCorrection(trials[n], TrialState.COMPLETE, [value], {"trial": n, "before": trials[n].value, "after": value})
        for n, value in values.items()
    ]


def values(url):
    return [trial.value for trial in optuna.load_study(study_name="s", storage=url).trials]


def test_state_value_attributes_and_audit_change_together(study, url):
    trial = study.trials[1]
    one = TrialCorrection(
        trial, TrialState.FAIL, None, {"before": 1.0, "after": "failed"}, {"note": {"a": 1}}, {"failed": True, "none": None}
    )
    correct_trials(database_of(study), study_id(study), [one])
    found = optuna.load_study(study_name="s", storage=url)
    after = found.trials[1]
    assert (after.state, after.value, after.datetime_complete) == (TrialState.FAIL, None, trial.datetime_complete)
    assert after.system_attrs == {"failed": True}
    audit = after.user_attrs[f"{CORRECTION}0"]
    assert (after.user_attrs["note"], audit["before"], audit["after"]) == ({"a": 1}, 1.0, "failed")
    assert audit["when"].endswith("+00:00")
    assert len(json.dumps(audit)) < LONGEST
    assert found.best_value == 2.0


def test_each_correction_of_a_trial_is_recorded(study, url):
    for value in (5.0, float("inf"), 7.0):
        again = optuna.load_study(study_name="s", storage=url)
        correct_trials(database_of(study), study_id(study), corrections(again, {0: value}))
    attributes = optuna.load_study(study_name="s", storage=url).trials[0].user_attrs
    assert [attributes[f"{CORRECTION}{k}"]["after"] for k in range(3)] == [5.0, float("inf"), 7.0]


def test_one_trial_that_has_changed_since_it_was_read_stops_them_all(study, url):
    mine = corrections(study, {0: 9.0, 1: 9.0})
    correct_trials(database_of(study), study_id(study), corrections(study, {1: 8.0}))
    with pytest.raises(DataError, match=r"trial 1 was changed by another process since it was read. Nothing was recorded"):
        correct_trials(database_of(study), study_id(study), mine)
    assert values(url) == [3.0, 8.0, 2.0]


def test_of_two_corrections_at_the_same_time_one_wins_and_the_other_is_told(url, study):
    start, outcomes = threading.Barrier(2), []

    def correct(value):
        mine = load_or_create_study(
            "s", open_storage(url, heartbeat=None), directions=["minimize"], sampler=optuna.samplers.RandomSampler(0)
        )
        wanted = corrections(mine, {0: value})
        start.wait()
        try:
            correct_trials(database_of(mine), study_id(mine), wanted)
            outcomes.append(value)
        except DataError:
            outcomes.append("told")

    threads = [threading.Thread(target=correct, args=(value,)) for value in (10.0, 20.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("told") == 1
    assert values(url)[0] in outcomes


def test_a_run_that_is_under_way_refuses_corrections_and_a_reserved_trial_does_not(study, url):
    reserved, running = study.ask(), study.ask()
    reserved.set_user_attr(NOTE, {"by": "hand"})
    with pytest.raises(DataError, match=r"a run is under way \(trial 4\)"):
        correct_trials(database_of(study), study_id(study), corrections(study, {0: 9.0}))
    with pytest.raises(DataError, match="a run is under way"):
        replace_record(database_of(study), study_id(study), "record", None, 1, {})
    study.tell(running, 1.0)
    correct_trials(database_of(study), study_id(study), corrections(study, {0: 9.0}))
    assert values(url)[0] == 9.0


def test_a_record_is_replaced_once_and_the_former_one_is_kept(study, url):
    study.set_user_attr("record", {"a": 1})
    storage, number = database_of(study), study_id(study)
    assert replace_record(storage, number, "record", {"a": 1}, {"a": 2}, {"setting": [3]})
    assert not replace_record(storage, number, "record", {"a": 1}, {"a": 9}, {})
    assert replace_record(storage, number, "record", {"a": 2}, {"a": 3}, {})
    found = optuna.load_study(study_name="s", storage=url)
    assert found.user_attrs["record"] == {"a": 3}
    assert [found.user_attrs[f"{CHANGE}{k}"]["before"] for k in range(2)] == [{"a": 1}, {"a": 2}]
    assert found.user_attrs[f"{CHANGE}0"]["when"].endswith("+00:00")
    assert storage.get_study_system_attrs(number)["setting"] == [3]
