"""Workers, budgets and zombies, in this process and on a real file."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from datetime import timedelta

import pytest
from optuna.trial import TrialState
from sqlalchemy.engine import make_url

from casmopolitan.errors import DataError
from casmopolitan.study.execution.program import Program
from casmopolitan.study.execution.runner import Runner, prepared
from casmopolitan.study.file.diff import space_differences, words_differences, words_of
from casmopolitan.study.file.load import load
from casmopolitan.study.trials import anew, liveness
from casmopolitan.study.trials.anew import corrected
from casmopolitan.study.trials.open import NOTE, MissingStudyError, Outside, add_known, address, open_spec

FILE = """
name = "n"
budget = 7
seed = 1
[settings]
n_initial = 20
[variables.a]
type = "categorical"
choices = ["x", "y", "z"]
[variables.b]
type = "integer"
low = 1
high = 30
[objective]
command = ["echo", "{a}", "{b}"]
"""


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(FILE)
    return load(path)


@pytest.fixture
def opened(spec):
    study = open_spec(spec, create=True)
    yield study
    study.study._storage._backend.engine.dispose()


def test_the_first_reason_to_end_stands(opened):
    runner = Runner(opened, Program(opened.spec.objective, opened.spec.folder), parallel=1, budget=5)
    runner.stop("hopeless", "it burns")
    runner.stop("storage", "it is gone")
    assert (runner.stopped, runner.error) == ("hopeless", "it burns")


def test_workers_leave_the_filters_of_warnings_alone(opened):
    before = list(warnings.filters)
    objective = opened.spec.objective.model_copy(update={"command": ["echo", "{b}"]})
    runner = Runner(opened, Program(objective, opened.spec.folder), parallel=3, budget=9)
    runner.start()
    while runner.alive:
        assert warnings.filters == before
        runner.wait(0.01)
    assert warnings.filters == before


def test_many_workers_spend_the_budget_exactly(opened):
    objective = opened.spec.objective.model_copy(update={"command": ["echo", "{b}"]})
    runner = Runner(opened, Program(objective, opened.spec.folder), parallel=4, budget=9)
    runner.start()
    runner.wait(120)
    states = [row.state for row in opened.rows()]
    assert states.count("complete") == 9
    assert set(states) <= {"complete", "cancelled"}
    assert (runner.stopped, runner.evaluations) == ("budget", 9)
    assert all(
        row.worker == liveness.signature() and row.seconds is not None for row in opened.rows() if row.state == "complete"
    )


def test_a_worker_that_is_gone_is_told_from_one_that_lives():
    own = liveness.signature()
    place, pid, began = own.rsplit(":", 2)
    assert not liveness.dead(own)
    assert liveness.dead(f"{place}:{pid}:{int(began) + 1}")
    assert liveness.dead(f"{place}:{2**22 + 1}:5")
    assert not liveness.dead(f"elsewhere/00000000:{pid}:{began}")
    assert not liveness.dead("")
    assert not liveness.dead("nonsense")


def test_a_zombie_is_freed_and_a_living_trial_is_left_alone(opened):
    dead, alive = opened.study.ask(), opened.study.ask()
    place = liveness.signature().rsplit(":", 2)[0]
    dead.set_user_attr(NOTE, {"by": "run", "worker": f"{place}:{2**22 + 1}:5"})
    alive.set_user_attr(NOTE, {"by": "run", "worker": liveness.signature()})
    prepared(opened)
    assert liveness.freed(opened.study) == [dead.number]
    assert [trial.state for trial in opened.study.trials] == [TrialState.FAIL, TrialState.RUNNING]
    assert [row.state for row in opened.rows()] == ["cancelled", "running"]


def test_known_results_are_recorded_once_and_cost_no_budget(opened):
    results = [Outside({"a": "x", "b": 3}, 1.0), Outside({"a": "x", "b": 3}, 1.0), Outside({"a": "y", "b": 3}, None)]
    assert add_known(opened, results) == 2
    assert add_known(opened, results) == 0
    assert [(row.state, row.known, row.counts) for row in opened.rows()] == [
        ("complete", True, False),
        ("failed", True, False),
    ]


def test_a_study_that_is_not_there_is_not_made_by_looking(spec):
    with pytest.raises(MissingStudyError, match="begins it"):
        open_spec(spec)
    assert not os.path.exists(spec.folder / "casmopolitan.db")


def test_a_damaged_note_is_no_disaster(opened):
    trial = opened.study.ask()
    trial.set_user_attr(NOTE, ["not", "a", "note"])
    other = opened.study.ask()
    other.set_user_attr(NOTE, {"seconds": "soon", "error": 3, "attempts": None, "worker": 7})
    assert [row.state for row in opened.rows()] == ["running", "running"]


def test_the_address_takes_secrets_from_the_environment_and_files_from_the_folder(spec, monkeypatch):
    assert address(spec) == f"sqlite:///{spec.folder}/casmopolitan.db"
    monkeypatch.setenv("SECRET", "s3")
    assert address(spec.model_copy(update={"storage": "postgresql://u:${SECRET}@h/d"})) == "postgresql://u:s3@h/d"
    assert address(spec.model_copy(update={"storage": "sqlite:////tmp/x.db"})) == "sqlite:////tmp/x.db"


def test_differences_are_said_variable_by_variable(spec):
    record = spec.space.to_dict()
    assert space_differences(record, spec.space) == []
    record["variables"][0]["choices"] = ["x"]
    record["variables"].append({"name": "gone", "type": "real", "low": 0.0, "high": 1.0})
    record["forbid"] = [{"a": ["x"]}]
    said = space_differences(record, spec.space)
    assert said[0] == "- gone: real (low 0.0, high 1.0)"
    assert said[1].startswith("~ a: categorical (choices ['x']) became categorical (choices ['x', 'y', 'z'])")
    assert said[2] == "- forbid: {'a': ['x']}"
    assert words_differences(words_of(spec), spec) == []
    assert words_differences({**words_of(spec), "preset": "paper"}, spec) == ["~ preset: paper became default"]


def test_a_preset_that_means_something_new_after_an_update_changes_no_study(opened, monkeypatch):
    opened.study.ask(dict(opened.study.sampler._declared.distributions))
    begun = opened.config
    newer = opened.spec.placed(opened.spec.folder, replace(opened.spec.config, failure_tolerance=7), opened.spec.space)
    again = open_spec(newer)
    assert again.config == begun
    again.study._storage._backend.engine.dispose()


def test_a_study_that_refuses_every_trial_ends_the_run(opened):
    runner = Runner(opened, Program(opened.spec.objective, opened.spec.folder), parallel=1, budget=5)

    def refuse(trial):
        raise ValueError("no such distribution")

    runner._one = refuse
    runner.start()
    runner.wait(60)
    assert (runner.stopped, runner.error) == ("fault", "ValueError: no such distribution")
    assert not runner.alive


def test_a_value_stands_although_nobody_can_be_told_of_it(opened):
    def unheard(row):
        raise BrokenPipeError

    objective = opened.spec.objective.model_copy(update={"command": ["echo", "{b}"]})
    runner = Runner(opened, Program(objective, opened.spec.folder), parallel=1, budget=3, ended=unheard)
    runner.start()
    runner.wait(60)
    assert [row.state for row in opened.rows()] == ["complete"] * 3


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(24, "Too many open files"), "OSError: [Errno 24] Too many open files"),
        (AssertionError("pass_fds not supported on Windows."), "AssertionError: pass_fds not supported on Windows."),
    ],
)
def test_what_the_system_refuses_is_no_failure_of_the_point(opened, monkeypatch, error, said):
    def refused(self, configuration, number):
        raise error

    monkeypatch.setattr(Program, "evaluate", refused)
    runner = Runner(opened, Program(opened.spec.objective, opened.spec.folder), parallel=1, budget=5)
    runner.start()
    runner.wait(60)
    assert (runner.stopped, runner.error) == ("fault", said)
    assert [row.state for row in opened.rows()] == ["cancelled"]


def test_a_trial_that_was_never_begun_is_freed_after_a_while(opened, monkeypatch):
    opened.study.ask()
    assert liveness.freed(opened.study) == []
    monkeypatch.setattr(liveness, "NEVER_BEGUN", timedelta(0))
    assert liveness.freed(opened.study) == [0]


def test_a_trial_tried_again_is_nobodys_until_it_is_taken(opened, monkeypatch):
    heartbeat = open_spec(opened.spec, heartbeat=60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trial = heartbeat.study.ask()
    trial.set_user_attr(NOTE, {"by": "run", "worker": "here"})
    monkeypatch.setattr(liveness, "dead", lambda worker: worker == "here")
    assert liveness.freed(heartbeat.study) == [0]
    assert liveness.freed(heartbeat.study) == []
    assert [note.user_attrs for note in heartbeat.study.trials[1:]] == [{}]


def test_replicates_of_a_noisy_objective_stand_in_the_queue_as_often(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(
        FILE.replace("seed = 1", "seed = 1\nnoisy = true\ninitial = [{a = 'x', b = 2}, {a = 'y', b = 3}, {a = 'x', b = 2}]")
    )
    one = open_spec(load(path), create=True)
    for _ in range(2):
        prepared(one)
    assert [row.configuration for row in one.rows()] == [{"a": "x", "b": 2}, {"a": "y", "b": 3}, {"a": "x", "b": 2}]
    one.study._storage._backend.engine.dispose()


def test_a_password_may_hold_any_letter(spec, monkeypatch):
    monkeypatch.setenv("SECRET", "s3cr@t/100%41")
    url = address(spec.model_copy(update={"storage": "postgresql://me:${SECRET}@host/base"}))
    assert make_url(url).password == "s3cr@t/100%41"
    monkeypatch.setenv("WHOLE", "postgresql://me:a%40b@host/base")
    assert address(spec.model_copy(update={"storage": "${WHOLE}"})) == "postgresql://me:a%40b@host/base"


def test_no_view_of_a_study_shows_its_password(opened):
    from casmopolitan.cli.options import summary
    from casmopolitan.study.report import settings

    secret = "postgresql://me:hunter2@host/base"
    one = replace(opened, url=secret, spec=opened.spec.model_copy(update={"storage": secret}))
    assert "hunter2" not in str(summary(one, [])) + str(settings(one))


def test_a_run_whose_study_was_corrected_meanwhile_ends_and_says_so(opened):
    add_known(opened, [Outside({"a": "x", "b": 3}, 1.0)])
    corrected(opened, {0: 2.0})
    objective = opened.spec.objective.model_copy(update={"command": ["echo", "{b}"]})
    runner = Runner(opened, Program(objective, opened.spec.folder), parallel=2, budget=4)
    runner.start()
    runner.wait(60)
    assert runner.evaluations == 0
    assert "was corrected or begun anew by somebody else meanwhile" in runner.error


def test_a_trial_begun_during_a_correction_ends_it(opened, monkeypatch):
    add_known(opened, [Outside({"a": "x", "b": 3}, 1.0)])
    plain = anew._successor

    def late(*args):
        opened.study.ask().set_user_attr(NOTE, {"by": "run", "worker": liveness.signature()})
        return plain(*args)

    monkeypatch.setattr(anew, "_successor", late)
    with pytest.raises(DataError, match="somebody else has changed the study meanwhile"):
        corrected(opened, {0: 2.0})
