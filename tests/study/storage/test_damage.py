"""Rows that were damaged by hand are named, and removing them makes the study readable."""

import pytest

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, StorageError, open_study
from casmopolitan.study.compat import database_of
from casmopolitan.study.storage.damage import damaged_rows

SPACE = cas.Space({"a": cas.Categorical(["x", "y", "z"]), "n": cas.Integer(1, 9)})


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/s.db"


@pytest.fixture
def engine(url):
    study = open_study("s", url, sampler=CasmopolitanSampler(SPACE, seed=0), heartbeat=None)
    study.optimize(lambda trial: trial.suggest_int("n", 1, 9) + len(trial.suggest_categorical("a", ["x", "y", "z"])), 4)
    return database_of(study).engine


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("UPDATE trial_params SET distribution_json = 'nonsense' WHERE param_name = 'a' AND trial_id = 3", "'a' of trial 2"),
        ('UPDATE trial_params SET distribution_json = \'{"name": "X"}\' WHERE trial_id = 3', "of trial 2, parameter"),
        ("UPDATE trial_params SET param_value = 99 WHERE param_name = 'a' AND trial_id = 3", "parameter 'a' of trial 2"),
        ("UPDATE trial_system_attributes SET value_json = '{' WHERE trial_id = 3", "in the table trial_system_attributes"),
    ],
)
def test_a_damaged_row_is_named_and_can_be_removed(engine, url, change, named):
    assert list(damaged_rows(engine)) == []
    with engine.begin() as connection:
        connection.exec_driver_sql(change)

    def trials():
        study = open_study("s", url, sampler=CasmopolitanSampler(SPACE, seed=0), heartbeat=None)
        return study.trials

    with pytest.raises(StorageError, match=r"has damaged rows: .* cannot be read\. Restore a backup") as caught:
        trials()
    assert named in str(caught.value)
    with engine.begin() as connection:
        for _, statement in list(damaged_rows(engine)):
            connection.exec_driver_sql(statement)
    assert [trial.number for trial in trials()] == [0, 1, 2, 3]
