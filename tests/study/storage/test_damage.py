"""Rows that were damaged by hand are named, and the statements of the message make the study readable."""

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
        ("UPDATE trials SET state = 'DONE' WHERE trial_id = 3", "state 'DONE' of trial 2"),
        ("UPDATE trials SET datetime_start = 'soon' WHERE trial_id = 3", "datetime_start of trial 2"),
        ("UPDATE trials SET datetime_complete = 7 WHERE trial_id = 3", "datetime_complete of trial 2"),
        ("UPDATE trials SET number = NULL WHERE trial_id = 3", "the number of the trial with trial_id 3"),
        ("UPDATE trial_values SET value = 'high' WHERE trial_id = 3", "the value of trial 2"),
        ("UPDATE trial_values SET value = NULL WHERE trial_id = 3", "the value of trial 2"),
        ("UPDATE trial_values SET value_type = 'LARGE' WHERE trial_id = 3", "the value of trial 2"),
    ],
)
def test_a_damaged_row_is_named_and_can_be_repaired(engine, url, change, named):
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
        for _, statements in list(damaged_rows(engine)):
            for statement in statements.split("; "):
                connection.exec_driver_sql(statement)
    assert [trial.number for trial in trials()] == [0, 1, 2, 3]
