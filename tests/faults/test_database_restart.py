"""PostgreSQL stopped without warning in the middle of a run, and started again, several times."""

import time

import pytest
from optuna.trial import TrialState

from casmopolitan.study import open_study


def complete(url, name):
    trials = open_study(name, url, heartbeat=None).get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    return {trial.number: (trial.params, trial.value) for trial in trials}


@pytest.mark.parametrize(("restarts", "until"), [(2, 40), pytest.param(3, 60, marks=pytest.mark.slow_faults)])
def test_workers_outlast_restarts_and_nothing_completed_is_lost(postgres, workers, name, restarts, until):
    open_study(name, postgres.url, heartbeat=None)
    process = workers.start(url=postgres.url, name=name, until=until, sleep=0.02, heartbeat=60)
    limit = time.monotonic() + 60
    while len(complete(postgres.url, name)) < 5 and time.monotonic() < limit:
        time.sleep(0.1)
    held = complete(postgres.url, name)
    assert len(held) >= 5
    for _ in range(restarts):
        postgres.stop()
        try:
            time.sleep(0.3)
            assert process.poll() is None
        finally:
            postgres.start()
        time.sleep(0.4)
    _, said = process.communicate(timeout=200)
    assert process.returncode == 0, said
    end = complete(postgres.url, name)
    assert held.items() <= end.items()
    assert len(end) == until
