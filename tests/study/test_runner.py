"""Workers, budgets and stale trials, in this process and on a real file."""

from __future__ import annotations

import warnings
from dataclasses import replace

import pytest
from optuna.storages._cached_storage import _CachedStorage
from optuna.trial import TrialState

from casmopolitan.execution import process
from casmopolitan.execution.program import Program
from casmopolitan.presets import DEFAULT
from casmopolitan.study import runner as runner_module
from casmopolitan.study.compat import storage_of, trial_id
from casmopolitan.study.file.load import load
from casmopolitan.study.runner import Runner
from casmopolitan.study.sampler.records import NOTE
from casmopolitan.study.trials.open import open_spec

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
        row.worker == process.signature() and row.seconds is not None for row in opened.rows() if row.state == "complete"
    )


def test_a_worker_that_is_gone_is_told_from_one_that_lives():
    own = process.signature()
    place, pid, began = own.rsplit(":", 2)
    assert not process.is_dead(own)
    assert process.is_dead(f"{place}:{pid}:{float(began) + 1000}")
    assert process.is_dead(f"{place}:{2**22 + 1}:5")
    assert not process.is_dead(f"elsewhere/00000000:{pid}:{began}")
    assert not process.is_dead("")
    assert not process.is_dead("nonsense")


def test_a_study_that_refuses_a_trial_ends_the_run(opened, monkeypatch):
    def refuse(trial, space):
        raise ValueError("no such distribution")

    monkeypatch.setattr(runner_module, "suggest", refuse)
    runner = Runner(opened, Program(opened.spec.objective, opened.spec.folder), parallel=1, budget=5)
    runner.start()
    runner.wait(60)
    assert (runner.stopped, runner.error) == ("fault", "ValueError: no such distribution")
    assert not runner.alive
    assert [row.state for row in opened.rows()] == ["cancelled"]


def test_a_value_stands_although_nobody_can_be_told_of_it(opened):
    def unheard(row):
        raise BrokenPipeError

    objective = opened.spec.objective.model_copy(update={"command": ["echo", "{b}"]})
    runner = Runner(opened, Program(objective, opened.spec.folder), parallel=1, budget=3, on_end=unheard)
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
    def refused(self, configuration, number, judge):
        raise error

    monkeypatch.setattr(Program, "evaluate", refused)
    runner = Runner(opened, Program(opened.spec.objective, opened.spec.folder), parallel=1, budget=5)
    runner.start()
    runner.wait(60)
    assert (runner.stopped, runner.error) == ("fault", said)
    assert [row.state for row in opened.rows()] == ["cancelled"]


@pytest.fixture
def reads(monkeypatch):
    """Counts reads of all trials; those of the waiting ones alone, which Optuna makes in `study.ask`, do not count."""
    made = []
    plain = _CachedStorage.get_all_trials

    def counted(self, study_id, deepcopy=True, states=None):
        if states is None or TrialState.COMPLETE in states:
            made.append(study_id)
        return plain(self, study_id, deepcopy, states)

    monkeypatch.setattr(_CachedStorage, "get_all_trials", counted)
    return made


@pytest.mark.parametrize("noisy", [False, True])
def test_a_trial_reads_all_trials_once(opened, reads, noisy, monkeypatch):
    if noisy:
        monkeypatch.setattr(
            opened.study.sampler, "_own", replace(opened.study.sampler._own, config=replace(DEFAULT, noisy=True))
        )
    objective = opened.spec.objective.model_copy(update={"command": ["echo", "{b}"]})
    runner = Runner(opened, Program(objective, opened.spec.folder), parallel=1, budget=8)
    runner.start()
    runner.wait(60)
    assert runner.evaluations == 8
    assert len(reads) <= 8 + 2  # at the start, and at the end to be sure that the budget is spent


def test_a_trial_that_another_process_gave_back_is_made_up_for(opened, monkeypatch):
    objective = opened.spec.objective.model_copy(update={"command": ["echo", "{b}"]})
    other = opened.study.ask()
    other.set_user_attr(NOTE, {"by": "run", "worker": process.signature()})
    runner = Runner(opened, Program(objective, opened.spec.folder), parallel=1, budget=3)
    storage, given_back = storage_of(opened.study), []

    def give_back(row):
        if not given_back:
            given_back.append(storage.set_trial_state_values(trial_id(other), TrialState.FAIL))

    runner.on_end = give_back
    runner.start()
    runner.wait(60)
    assert [row.state for row in opened.rows()] == ["cancelled", *["complete"] * 3]


def test_a_trial_beyond_the_budget_is_given_back(opened, monkeypatch):
    objective = opened.spec.objective.model_copy(update={"command": ["echo", "{b}"]})
    runner = Runner(opened, Program(objective, opened.spec.folder), parallel=1, budget=2)
    runner.trials = ()  # as read before another process started its trials
    for _ in range(2):
        opened.study.ask().set_user_attr(NOTE, {"by": "run", "worker": process.signature()})
    runner.start()
    runner.wait(60)
    assert [row.state for row in opened.rows()] == ["running", "running", "cancelled"]
    assert runner.evaluations == 0


def test_a_trial_that_somebody_else_has_ended_does_not_end_the_run(opened):
    objective = opened.spec.objective.model_copy(update={"command": ["echo", "{b}"]})
    program = Program(objective, opened.spec.folder)
    plain, taken = program.evaluate, []

    def evaluate(configuration, number, judge):
        if not taken:
            taken.append(number)
            running = opened.study.get_trials(deepcopy=False)[number]
            storage_of(opened.study).set_trial_state_values(trial_id(running), TrialState.FAIL)
        return plain(configuration, number, judge)

    program.evaluate = evaluate
    runner = Runner(opened, program, parallel=1, budget=2)
    runner.start()
    runner.wait(60)
    assert [row.state for row in opened.rows()] == ["cancelled", "complete", "complete"]
    assert (runner.stopped, runner.evaluations) == ("budget", 2)


def test_a_running_trial_gives_signs_of_life(opened):
    heartbeat = open_spec(opened.spec, heartbeat=60)
    program = Program(opened.spec.objective.model_copy(update={"command": ["echo", "{b}"]}), opened.spec.folder)
    plain, stale = program.evaluate, []
    beat = storage_of(heartbeat.study)

    def evaluate(configuration, number, judge):
        with beat._backend.engine.connect() as connection:
            stale.append(connection.exec_driver_sql("SELECT count(*) FROM trial_heartbeats").scalar())
        return plain(configuration, number, judge)

    program.evaluate = evaluate
    runner = Runner(heartbeat, program, parallel=1, budget=2)
    runner.start()
    runner.wait(60)
    assert (stale, runner.stopped) == ([1, 2], "budget")
