"""What the doctor finds in a study's database, and what it says to do."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from optuna.trial import TrialState

from casmopolitan.study.doctor import examine
from casmopolitan.study.file.load import load
from casmopolitan.study.sampler.records import NOTE
from casmopolitan.study.trials.manual import reserve_trials
from casmopolitan.study.trials.open import accept_changes, open_spec

FILE = """
name = "sick"
budget = 6
[variables]
a = { type = "categorical", choices = ["x", "y"] }
b = { type = "integer", low = 1, high = 9 }
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(FILE)
    return path


@pytest.fixture
def opened(file):
    one = open_spec(load(file), create=True)
    yield one
    one.study._storage._backend.engine.dispose()


def found(file, check, **options):
    return [finding for finding in examine(file, **options) if finding.check == check]


def test_a_trial_of_another_machine_that_fell_silent_is_named_and_freed(file, opened):
    for _ in range(3):
        trial = opened.study.ask()
        trial.set_user_attr(NOTE, {"by": "run", "worker": "elsewhere/0123abcd:1:1"})
        opened.study._storage.record_heartbeat(trial._trial_id)
    with closing(sqlite3.connect(file.with_name("casmopolitan.db"))) as base, base:
        base.execute("UPDATE trial_heartbeats SET heartbeat = '2001-01-01 00:00:00' WHERE trial_id < 3")
    (sick,) = found(file, "stale trials")
    assert (sick.state, sick.found) == ("wrong", "trials 0, 1 count as running, but their processes are gone")
    (fixed,) = found(file, "stale trials", fix=True)
    assert (fixed.state, fixed.found) == ("ok", "released trials 0, 1; the next run tries them again")
    assert found(file, "stale trials") == []
    assert [trial.state for trial in opened.study.trials[:3]] == [TrialState.FAIL, TrialState.FAIL, TrialState.RUNNING]


def test_a_trial_that_is_out_and_lacks_a_variable_is_named(file, opened):
    whole, by_hand, foreign = (opened.study.ask() for _ in range(3))
    for trial in (whole, by_hand, foreign):
        trial.suggest_categorical("a", ["x", "y"])
    whole.suggest_int("b", 1, 9)
    by_hand.set_user_attr(NOTE, {"by": "hand"})
    first, second = found(file, "unfinished")
    assert (first.found, first.fix) == ("trial 1 has no value for 'b'", "`casmopolitan cancel 1` cancels it")
    assert second.found == "trial 2 has no value for 'b'"
    assert "study.tell(2, state=optuna.trial.TrialState.FAIL)" in second.fix


def test_a_program_that_was_another_when_the_study_was_begun_is_named(file):
    def with_program(program):
        line = f'objective = {{ command = ["python", "{program}", "{{a}}", "{{b}}", "--key=hunter2"] }}'
        file.write_text(FILE.replace("budget = 6", f"budget = 6\n{line}"))

    with_program("one.py")
    open_spec(load(file), create=True)
    assert found(file, "program") == []
    with_program("two.py")
    (note,) = found(file, "program")
    assert note.state == "note"
    assert "`python one.py {a} {b} --key=***`, and now runs `python two.py {a} {b} --key=***`" in note.found


def test_a_reserved_trial_from_before_a_variable_was_added_is_not_unfinished(file, opened):
    reserve_trials(opened, 1)
    file.write_text(file.read_text() + 'c = { type = "integer", low = 1, high = 3 }\n')
    accept_changes(load(file))
    assert found(file, "unfinished") == []
    assert [one.state for one in found(file, "reserved")] == ["note"]
