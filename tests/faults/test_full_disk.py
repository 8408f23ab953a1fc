"""A disk that fills up in the middle of a run: one clear line, and a study that goes on once there is room."""

import sqlite3

from optuna.trial import TrialState

from casmopolitan.study import open_study


def complete(url):
    trials = open_study("s", url, heartbeat=None).get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    return {trial.number: (trial.params, trial.value) for trial in trials}


def test_a_full_disk_is_said_in_one_line_and_the_study_goes_on(workers, tmp_path):
    url = f"sqlite:///{tmp_path}/study.db"
    assert workers.here(url=url, name="s", trials=3) == 0
    held = complete(url)
    status, said = workers.run(url=url, name="s", trials=200, file_size=(tmp_path / "study.db").stat().st_size + 8192)
    assert status == 3
    assert said.count("\n") == 1, said
    assert "Make room on the disk" in said
    assert sqlite3.connect(tmp_path / "study.db").execute("PRAGMA integrity_check").fetchone() == ("ok",)
    kept = complete(url)
    assert held.items() <= kept.items()
    assert workers.here(url=url, name="s", trials=3) == 0
    end = complete(url)
    assert kept.items() <= end.items()
    assert len(end) == len(kept) + 3
