import pickle
import sqlite3
import traceback
import warnings

import optuna
import pytest
from sqlalchemy.exc import OperationalError

import casmopolitan as cas
from casmopolitan.study import StorageError, open_storage, open_study
from casmopolitan.study.sampler.records import OUTCOMES, PARTIAL
from casmopolitan.study.sampler.replay import known_params
from casmopolitan.study.storage import open as opening
from casmopolitan.study.storage.open import RequeueStaleTrial


def test_sqlite_waits_a_minute_and_writes_ahead(tmp_path):
    opened = open_storage(f"sqlite:///{tmp_path}/a.db")
    with opened.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() >= 60_000
        mode = connection.exec_driver_sql("PRAGMA journal_mode").scalar()
    assert mode == "wal"


def test_the_address_may_name_another_journal_mode(tmp_path):
    opened = open_storage(f"sqlite:///{tmp_path}/a.db?journal_mode=DELETE")
    with opened.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "delete"
    assert opened.url == f"sqlite:///{tmp_path}/a.db"
    with pytest.raises(cas.DataError, match=r"journal mode 'off'; it must be one of wal, delete"):
        open_storage(f"sqlite:///{tmp_path}/a.db?journal_mode=off")


@pytest.mark.filterwarnings("ignore:Selection of the SingletonThreadPool")
@pytest.mark.parametrize("database", ["", "/:memory:", "/file:a?mode=memory&uri=true"])
def test_a_database_in_memory_has_no_journal_mode(database, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    open_storage(f"sqlite://{database}")
    assert list(tmp_path.iterdir()) == []


def test_signs_of_life_are_on_and_can_be_switched_off(tmp_path):
    url = f"sqlite:///{tmp_path}/a.db"
    on = open_storage(url, heartbeat=30, max_retry=5)
    assert on.get_heartbeat_interval() == 30
    assert on.get_heartbeat_stale_trial_callback()._max_retry == 5
    off = open_storage(url, heartbeat=None)
    assert off.get_heartbeat_interval() is None
    assert off.get_heartbeat_stale_trial_callback() is None


def test_a_folder_that_is_not_there_is_said_in_one_line(tmp_path):
    with pytest.raises(StorageError, match=r"unable to open database file\. Check that the folder exists"):
        open_study("a", f"sqlite:///{tmp_path}/no/such/a.db")


def test_a_file_that_is_no_database_is_said(tmp_path):
    (tmp_path / "a.db").write_text("this is not a database, whatever its name says " * 100)
    with pytest.raises(StorageError, match="not a database"):
        open_study("a", f"sqlite:///{tmp_path}/a.db")


def test_a_database_that_cannot_be_reached_is_said_without_its_secret(monkeypatch):
    monkeypatch.setattr(opening, "OPENING_TIME_LIMIT", 0.0)
    secret = "hunter" + "2"
    url = f"postgresql://me:{secret}@127.0.0.1:1/db?connect_timeout=2"
    with pytest.raises(StorageError, match="Check that the database runs") as caught:
        open_study("a", url)
    assert secret not in "".join(traceback.format_exception(caught.value))
    assert str(caught.value).startswith("postgresql+psycopg://me:***@127.0.0.1:1/db")


def test_workers_that_make_the_tables_together_do_not_fail(tmp_path, monkeypatch):
    real, first = optuna.storages.RDBStorage.__init__, []

    def made_by_another(self, url, *args, **kwargs):
        if not first:
            first.append(True)
            raise OperationalError("CREATE", {}, sqlite3.OperationalError("table a already exists"))
        real(self, url, *args, **kwargs)

    monkeypatch.setattr(optuna.storages.RDBStorage, "__init__", made_by_another)
    assert open_study("a", f"sqlite:///{tmp_path}/a.db").trials == []


def test_a_storage_travels_to_another_process_with_its_patience(tmp_path):
    opened = open_storage(f"sqlite:///{tmp_path}/a.db", heartbeat=30)
    study = optuna.create_study(storage=opened, study_name="a")
    again = pickle.loads(pickle.dumps(opened))
    assert again.get_study_name_from_id(study._study_id) == "a"
    assert type(again) is type(opened)
    assert again.get_heartbeat_interval() == 30


def test_a_database_of_another_application_is_left_as_it_is(tmp_path):
    path = tmp_path / "theirs.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE accounts (id INTEGER)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(cas.DataError, match=r"another application \(it has the tables accounts\); name another file"):
        open_storage(f"sqlite:///{path}")
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["theirs.db"]


def test_a_trial_that_is_queued_again_has_no_result_of_its_dead_worker(tmp_path):
    study = optuna.create_study(storage=f"sqlite:///{tmp_path}/s.db", directions=["minimize", "minimize"])
    trial = study.ask()
    trial.suggest_int("a", 1, 9)
    trial.set_user_attr(OUTCOMES, {"error": 1.0})
    trial.set_user_attr("mine", 3)
    trial.set_constraint("memory", 1.0)
    trial.storage.set_trial_system_attr(trial._trial_id, PARTIAL, [1.0, None])
    with warnings.catch_warnings(action="ignore"):
        RequeueStaleTrial()(study, study.trials[0])
    again = study.trials[1]
    assert again.user_attrs == {"mine": 3}
    assert again.constraints == {}
    assert PARTIAL not in again.system_attrs
    assert (again.params, again.distributions, known_params(again)) == ({}, {}, trial.params)


def test_a_trial_that_is_queued_again_keeps_its_values_if_choices_are_added_meanwhile(tmp_path):
    study = open_study("s", f"sqlite:///{tmp_path}/s.db", heartbeat=None)
    trial = study.ask()
    with warnings.catch_warnings(action="ignore"):
        value = trial.suggest_categorical("a", ["x", "y"])
        RequeueStaleTrial()(study, study.trials[0])
        assert study.ask().suggest_categorical("a", ["z", "y", "x"]) == value
