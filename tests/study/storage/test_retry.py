import sqlite3
import threading

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution
from optuna.exceptions import StorageInternalError, UpdateFinishedTrialError
from optuna.trial import TrialState
from sqlalchemy.exc import IntegrityError, OperationalError, PendingRollbackError, ProgrammingError

from casmopolitan.study import StorageError, open_storage, open_study, storage_error
from casmopolitan.study.storage.retry import explained, is_transient, retry, tables_exist

SQLITE, POSTGRES = "sqlite:///a.db", "postgresql+psycopg://me:hunter2@host/db"


class FarError(Exception):
    """What a driver of a distant database raises."""


def failing(text, kind=OperationalError, origin=sqlite3.OperationalError):
    return kind("SELECT 1", {}, origin(text))


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)


@pytest.mark.parametrize(
    ("error", "hopeful"),
    [
        (failing("database is locked"), True),
        (failing("database or disk is full"), False),
        (failing("disk I/O error"), False),
        (failing("no such table: trials"), False),
        (failing("server closed the connection unexpectedly", origin=FarError), True),
        (failing('connection failed: FATAL: password authentication failed for user "me"', origin=FarError), False),
        (PendingRollbackError("Can't reconnect until invalid transaction is rolled back."), True),
        (failing("syntax error", ProgrammingError, FarError), False),
        (failing("UNIQUE constraint failed", IntegrityError), False),
    ],
)
def test_what_may_pass_is_told_from_what_will_not(error, hopeful):
    assert is_transient(error) is hopeful


def test_tables_made_by_another_worker_are_told_from_other_errors():
    assert tables_exist(failing("table studies already exists"))
    assert tables_exist(failing("UNIQUE constraint failed: alembic_version.version_num", IntegrityError))
    assert not tables_exist(failing("disk I/O error"))


def test_an_operation_is_tried_again_until_the_lock_is_gone():
    tries = []

    def operation():
        tries.append(1)
        if len(tries) < 4:
            raise StorageInternalError("commit") from failing("database is locked")
        return "done"

    assert retry(operation, SQLITE) == "done"
    assert len(tries) == 4


def test_when_contention_wins_one_line_names_postgresql():
    def operation():
        raise StorageInternalError("commit") from failing("database is locked")

    with pytest.raises(StorageError, match=r"^sqlite:///a.db: database is locked\. .*use PostgreSQL") as caught:
        retry(operation, SQLITE, seconds=0.0)
    assert "\n" not in str(caught.value)


def test_what_cannot_help_is_not_tried_again():
    tries = []

    def operation():
        tries.append(1)
        raise failing("database or disk is full")

    with pytest.raises(StorageError, match="Make room on the disk"):
        retry(operation, SQLITE)
    assert len(tries) == 1


def test_other_errors_pass_through():
    with pytest.raises(IntegrityError):
        retry(lambda: (_ for _ in ()).throw(failing("UNIQUE constraint failed", IntegrityError)), SQLITE)
    with pytest.raises(StorageInternalError, match="bare"):
        retry(lambda: (_ for _ in ()).throw(StorageInternalError("bare")), SQLITE)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("could not connect\n to server", "Check that the database runs"),
        ("unable to open database file", "folder exists"),
        ("attempt to write a readonly database", "copy them to a folder of your own"),
    ],
)
def test_every_message_is_one_line_without_secrets(text, advice):
    message = str(explained(failing(text, origin=FarError), POSTGRES))
    assert advice in message
    assert "\n" not in message
    assert "hunter2" not in message


def test_a_state_stored_although_the_answer_got_lost_is_no_error(tmp_path, monkeypatch):
    storage = open_storage(f"sqlite:///{tmp_path}/a.db", heartbeat=None)
    study = optuna.create_study(storage=storage)
    trial_id = storage.create_new_trial(study._study_id)
    real, lost = optuna.storages.RDBStorage.set_trial_state_values, []

    def answer_lost(self, trial_id, state, values=None):
        stored = real(self, trial_id, state, values)
        if not lost:
            lost.append(True)
            raise StorageInternalError("commit") from failing("server closed the connection", origin=FarError)
        return stored

    monkeypatch.setattr(optuna.storages.RDBStorage, "set_trial_state_values", answer_lost)
    assert storage.set_trial_state_values(trial_id, optuna.trial.TrialState.COMPLETE, [1.0])
    assert storage.get_trial(trial_id).value == 1.0
    with pytest.raises(UpdateFinishedTrialError):
        storage.set_trial_state_values(trial_id, optuna.trial.TrialState.COMPLETE, [1.0])


def test_a_storage_error_is_found_behind_others():
    try:
        try:
            raise StorageError("full")
        finally:
            assert False, "Should not reach."  # noqa: B011, PT015
    except AssertionError as error:
        assert str(storage_error(error)) == "full"  # noqa: PT017
    assert storage_error(ValueError("other")) is None


def test_a_locked_database_is_waited_for(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path}/a.db"
    storage = open_storage(url, heartbeat=None)
    study = optuna.create_study(storage=storage)
    storage.engine.dispose()
    storage.engine = None
    impatient = optuna.storages.RDBStorage(url, {"connect_args": {"timeout": 0.01}})
    storage.engine, storage.scoped_session = impatient.engine, impatient.scoped_session
    other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    pauses = []

    def pause(seconds):
        pauses.append(seconds)
        if len(pauses) == 3:
            other.execute("COMMIT")

    monkeypatch.setattr("time.sleep", pause)
    storage.set_study_user_attr(study._study_id, "key", 1)
    other.close()
    assert storage.get_study_user_attrs(study._study_id) == {"key": 1}
    assert len(pauses) == 3
    assert pauses[0] <= 0.05 < 0.1 <= 4 * pauses[2]


def test_a_trial_is_ended_once_whoever_comes_first(tmp_path):
    url = f"sqlite:///{tmp_path / 'a.db'}"
    trial = optuna.create_study(storage=open_storage(url, heartbeat=None), study_name="s").ask()
    one, other = open_storage(url), open_storage(url)
    barrier, ended = threading.Barrier(2), []

    def tell(storage, value):
        barrier.wait()
        try:
            storage.set_trial_state_values(trial._trial_id, TrialState.COMPLETE, [value])
            ended.append(value)
        except UpdateFinishedTrialError:
            pass

    threads = [threading.Thread(target=tell, args=(storage, value)) for storage, value in ((one, 1.0), (other, 2.0))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ended) == 1
    assert [t.value for t in optuna.load_study(storage=open_storage(url), study_name="s").trials] == ended
    with pytest.raises(UpdateFinishedTrialError):
        one.set_trial_state_values(trial._trial_id, TrialState.FAIL)


def test_a_parameter_may_have_other_choices_than_in_earlier_trials(tmp_path):
    url = f"sqlite:///{tmp_path}/a.db"
    study = optuna.create_study(storage=open_storage(url, heartbeat=None), study_name="s")
    study.tell(study.ask({"x": CategoricalDistribution(["a", "b"])}), 1.0)
    wider = {"x": CategoricalDistribution(["b", "a", "c"])}
    study.enqueue_trial({"x": "c"})
    study.tell(study.ask(wider), 2.0)
    study.add_trial(optuna.create_trial(params={"x": 0.5}, distributions={"x": FloatDistribution(0.0, 1.0)}, value=3.0))
    found = optuna.load_study(storage=open_storage(url, heartbeat=None), study_name="s")
    assert [trial.params["x"] for trial in found.trials[1:]] == ["c", 0.5]
    assert found.trials[0].params["x"] in ("a", "b")
    assert found.trials[0].distributions["x"].choices == ("a", "b")
    assert found.trials[1].distributions == wider


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
