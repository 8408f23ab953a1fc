"""Workers killed by SIGKILL: no completed trial is lost, what they held is freed and tried again, the study goes on."""

import time

import pytest
from optuna.trial import TrialState

from casmopolitan.study import open_study
from faults.kinds import KINDS

KILLED = -9


def trials_of(url, name):
    return {trial.number: trial for trial in open_study(name, url, heartbeat=None).get_trials(deepcopy=False)}


def complete(trials):
    return {n: (t.params, t.value) for n, t in trials.items() if t.state == TrialState.COMPLETE}


def live_points(trials):
    return [tuple(sorted(t.params.items())) for t in trials.values() if t.state != TrialState.FAIL and t.params]


def killed_and_resumed(workers, url, name, deaths, until, kind="plain"):
    """Workers that die one after another, then one that completes the study."""
    for death in deaths:
        before = complete(trials_of(url, name))
        status, said = workers.run(url=url, name=name, until=until, kind=kind, heartbeat=1, die=death)
        assert status == KILLED, said
        after = trials_of(url, name)
        assert before.items() <= complete(after).items()
        assert all(
            trial.state in (TrialState.COMPLETE, TrialState.RUNNING, TrialState.FAIL, TrialState.WAITING)
            for trial in after.values()
        )
    held = complete(trials_of(url, name))
    time.sleep(3.1)  # twice the interval of the signs of life, which databases count in whole seconds
    assert workers.here(url=url, name=name, until=until, kind=kind, heartbeat=1) == 0
    end = trials_of(url, name)
    assert held.items() <= complete(end).items()
    assert len(complete(end)) == until
    points = live_points(end)
    assert len(points) == len(set(points))
    return end


def test_a_worker_killed_in_its_trial_loses_nothing_and_its_trial_is_tried_again(workers, url, name):
    end = killed_and_resumed(workers, url, name, [{"at": 4, "when": "in the trial"}], 7)
    assert [number for number, trial in end.items() if trial.state == TrialState.FAIL] == [3]
    (again,) = (trial for trial in end.values() if trial.system_attrs.get("failed_trial") == 3)
    assert again.params == end[3].params
    assert again.state == TrialState.COMPLETE


def test_a_worker_killed_in_its_write_loses_nothing(workers, url, name):
    deaths = [{"at": commit, "when": "in the write"} for commit in (19, 8)]
    end = killed_and_resumed(workers, url, name, deaths, 6)
    assert all(trial.state != TrialState.RUNNING or not trial.params for trial in end.values())


@pytest.mark.slow_faults
@pytest.mark.parametrize("commit", range(1, 40, 2))
def test_a_worker_killed_in_any_write_loses_nothing(workers, url, name, commit):
    killed_and_resumed(workers, url, name, [{"at": commit, "when": "in the write"}], 6)


def resumed_equals_whole(workers, folder, each, seed):
    whole, parts = f"sqlite:///{folder}/whole.db", f"sqlite:///{folder}/parts.db"
    assert workers.here(url=whole, name="s", trials=2 * each, seed=seed) == 0
    assert workers.run(url=parts, name="s", trials=99, seed=seed, die={"at": each, "when": "between trials"})[0] == KILLED
    assert len(complete(trials_of(parts, "s"))) == each
    assert workers.here(url=parts, name="s", trials=each, seed=seed) == 0
    assert complete(trials_of(whole, "s")) == complete(trials_of(parts, "s"))


def test_two_halves_are_the_whole_when_killed_between_trials(workers, tmp_path):
    resumed_equals_whole(workers, tmp_path, 7, seed=3)


@pytest.mark.slow_faults
@pytest.mark.parametrize("seed", range(3))
def test_twenty_five_and_twenty_five_are_fifty(workers, tmp_path, seed):
    resumed_equals_whole(workers, tmp_path, 25, seed)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "plain"])
def test_a_study_in_a_space_of_any_kind_resumes_as_if_it_had_not_been_killed(workers, url, name, tmp_path, kind):
    whole = f"sqlite:///{tmp_path}/whole.db"
    assert workers.here(url=whole, name=name, trials=12, kind=kind) == 0
    assert workers.run(url=url, name=name, trials=99, kind=kind, die={"at": 7, "when": "between trials"})[0] == KILLED
    assert len(complete(trials_of(url, name))) == 7
    assert workers.here(url=url, name=name, trials=5, kind=kind) == 0
    assert complete(trials_of(url, name)) == complete(trials_of(whole, name))


@pytest.mark.parametrize("kind", ["conditional", "listed"])
def test_a_trial_whose_worker_was_killed_is_tried_again_with_the_same_variables(workers, url, name, kind):
    end = killed_and_resumed(workers, url, name, [{"at": 6, "when": "in the trial"}], 9, kind)
    (again,) = (trial for trial in end.values() if trial.system_attrs.get("failed_trial") == 5)
    assert again.params == end[5].params
    space = KINDS[kind]["search_space"]
    assert all(space.allows(trial.params) for trial in end.values() if trial.state == TrialState.COMPLETE)
