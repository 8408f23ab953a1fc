import pickle
import sqlite3
import traceback

import optuna
import pytest

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, StorageError, open_storage, open_study
from casmopolitan.study.storage import open as opening


def test_a_study_is_made_and_found_again(tmp_path):
    url = f"sqlite:///{tmp_path}/a.db"
    first = open_study("a", url, direction="maximize")
    first.add_trial(optuna.create_trial(value=1.0))
    second = open_study("a", url, direction="maximize")
    assert [trial.value for trial in second.trials] == [1.0]
    assert isinstance(second.sampler, CasmopolitanSampler)
    assert second.direction.name == "MAXIMIZE"


def test_the_default_is_a_file_in_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    open_study("a")
    assert (tmp_path / "casmopolitan.db").exists()


def test_a_storage_of_optunas_is_used_as_it_is():
    memory = optuna.storages.InMemoryStorage()
    assert open_study("a", memory)._storage is memory


def test_another_direction_is_refused(tmp_path):
    url = f"sqlite:///{tmp_path}/a.db"
    open_study("a", url)
    with pytest.raises(cas.DataError, match="exists with direction minimize, not maximize"):
        open_study("a", url, direction="maximize")
    with pytest.raises(cas.DataError, match="must be 'minimize' or 'maximize'"):
        open_study("b", url, direction="up")


def test_a_study_may_be_required_to_be_new(tmp_path):
    url = f"sqlite:///{tmp_path}/a.db"
    open_study("a", url)
    with pytest.raises(optuna.exceptions.DuplicatedStudyError):
        open_study("a", url, load_if_exists=False)


NAMES = ["it's", 'say "x"', "100%s %(a)s %", "été ☕ 研究", "'; DROP TABLE studies; --", "a/b\\c", "x" * 512, " ", "{0}\n"]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_any_name_will_do(tmp_path, name):
    url = f"sqlite:///{tmp_path}/a.db"
    open_study(name, url).add_trial(optuna.create_trial(value=1.0))
    assert open_study(name, url).study_name == name
    assert len(open_study(name, url).trials) == 1


@pytest.mark.parametrize("name", ["", "x" * 513, "x" * 600, "a\0b", 5, None])
def test_a_name_that_no_table_holds_is_refused(tmp_path, name):
    with pytest.raises(cas.DataError, match="a study's name"):
        open_study(name, f"sqlite:///{tmp_path}/a.db")


def test_sqlite_waits_a_minute_and_writes_ahead(tmp_path):
    opened = open_storage(f"sqlite:///{tmp_path}/a.db")
    with opened.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() >= 60_000
        mode = connection.exec_driver_sql("PRAGMA journal_mode").scalar()
    assert mode == ("wal" if opening.write_ahead(str(tmp_path / "b.db")) else "delete")


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
    monkeypatch.setattr(opening, "OPENING", 0.0)
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
            raise opening.patiently.__globals__["OperationalError"](
                "CREATE", {}, sqlite3.OperationalError("table a already exists")
            )
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
