"""A queued trial goes to one worker, on SQLite too, which locks no row that is read."""

from __future__ import annotations

import threading

import optuna

from casmopolitan.study import open_study


def test_queued_trials_are_taken_once_each(tmp_path):
    url = f"sqlite:///{tmp_path}/queue.db"
    first = open_study("queue", url, sampler=optuna.samplers.RandomSampler(0), heartbeat=None)
    for k in range(24):
        first.enqueue_trial({"x": k / 100})
    taken = []

    def work():
        study = open_study("queue", url, sampler=optuna.samplers.RandomSampler(0), heartbeat=None)
        taken.extend(study.ask().number for _ in range(8))

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(taken) == list(range(24))


def test_a_trial_that_runs_is_not_taken_again(tmp_path):
    study = open_study("queue", f"sqlite:///{tmp_path}/queue.db", sampler=optuna.samplers.RandomSampler(0), heartbeat=None)
    study.enqueue_trial({"x": 0.5})
    trial = study.ask()
    assert trial.number == 0
    assert study._storage.set_trial_state_values(trial._trial_id, optuna.trial.TrialState.RUNNING) is False
    assert study.trials[0].datetime_start is not None
