"""Stale trials, on a real file."""

import warnings
from datetime import datetime, timedelta

import pytest
from optuna.trial import TrialState

from casmopolitan.execution import process
from casmopolitan.study import liveness
from casmopolitan.study.sampler.records import NOTE
from casmopolitan.study.trials.open import open_spec


def test_a_zombie_is_freed_and_a_living_trial_is_left_alone(opened):
    dead, alive = opened.study.ask(), opened.study.ask()
    place = process.signature().rsplit(":", 2)[0]
    dead.set_user_attr(NOTE, {"by": "run", "worker": f"{place}:{2**22 + 1}:5"})
    alive.set_user_attr(NOTE, {"by": "run", "worker": process.signature()})
    assert liveness.release_stale_trials(opened.study) == [dead.number]
    assert [trial.state for trial in opened.study.trials] == [TrialState.FAIL, TrialState.RUNNING]
    assert [row.state for row in opened.rows()] == ["cancelled", "running"]


def test_a_trial_that_was_never_begun_is_freed_after_a_while(opened, monkeypatch):
    opened.study.ask()
    assert liveness.release_stale_trials(opened.study) == []
    monkeypatch.setattr(liveness, "ABANDONED", timedelta(0))
    assert liveness.release_stale_trials(opened.study) == [0]


def test_a_trial_tried_again_is_nobodys_until_it_is_taken(opened, monkeypatch):
    heartbeat = open_spec(opened.spec, heartbeat=60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trial = heartbeat.study.ask()
    trial.set_user_attr(NOTE, {"by": "run", "worker": "here"})
    monkeypatch.setattr(liveness, "is_dead", lambda worker: worker == "here")
    assert liveness.release_stale_trials(heartbeat.study) == [0]
    assert liveness.release_stale_trials(heartbeat.study) == []
    assert [note.user_attrs for note in heartbeat.study.trials[1:]] == [{}]


@pytest.mark.parametrize(("minutes", "released"), [(9, []), (11, [0])])
def test_a_trial_without_a_process_is_released_after_ten_minutes(opened, monkeypatch, minutes, released):
    opened.study.ask()

    class Later(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(minutes=minutes)

    monkeypatch.setattr(liveness, "datetime", Later)
    assert liveness.release_stale_trials(opened.study) == released
