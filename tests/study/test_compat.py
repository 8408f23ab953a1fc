import optuna
import pytest
from optuna.trial import TrialState

from casmopolitan.study import compat, open_study


@pytest.fixture
def study(tmp_path):
    return open_study("s", f"sqlite:///{tmp_path}/s.db", heartbeat=None)


def test_ids_name_a_study_and_its_trials_in_the_storage(study):
    storage = compat.storage_of(study)
    trial = study.ask()
    assert storage.get_study_name_from_id(compat.study_id(study)) == "s"
    assert storage.get_trial(compat.trial_id(trial)).number == trial.number == 0
    assert [compat.study_id(one) for one in storage.get_all_studies()] == [compat.study_id(study)]


def test_a_trial_is_read_as_it_is_now(study):
    trial = study.ask()
    assert compat.suggest_parameter(trial, "x", optuna.distributions.FloatDistribution(0.0, 1.0)) == trial.params["x"]
    assert compat.read_trial(study, trial).params == trial.params
    study.tell(trial, 1.0)
    assert compat.read_trial(study, trial).state == TrialState.COMPLETE
    assert [one.value for one in compat.read_trials(study)] == [1.0]


def test_the_database_is_read_without_the_cache_of_names(study):
    assert compat.storage_of(study).get_study_name_from_id(compat.study_id(study)) == "s"
    database = compat.database_of(study)
    with database.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE studies SET study_name = 'other'")
    assert database.get_study_name_from_id(compat.study_id(study)) == "other"


def test_every_operation_is_a_method_of_the_storage():
    assert all(callable(getattr(optuna.storages.RDBStorage, name)) for name in compat.RDB_OPERATIONS)


def test_trials_are_stale_only_when_a_heartbeat_has_stopped(tmp_path):
    study = open_study("s", f"sqlite:///{tmp_path}/s.db", heartbeat=60)
    with pytest.warns(UserWarning, match="Heartbeat"):
        trial = study.ask()
    assert compat.stale_trial_ids(study) == []
    database = compat.database_of(study)
    database.record_heartbeat(compat.trial_id(trial))
    with database.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE trial_heartbeats SET heartbeat = '2000-01-01 00:00:00'")
    assert compat.stale_trial_ids(study) == [compat.trial_id(trial)]
    assert compat.stale_trial_ids(optuna.create_study()) == []


def test_a_process_killed_while_it_asks_leaves_no_trial_without_the_attribute(study, monkeypatch):
    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(compat, "Trial", killed)
    with pytest.raises(KeyboardInterrupt):
        compat.ask_with_attribute(study, "who", "me")
    (trial,) = study.trials
    assert (trial.state, trial.user_attrs) == (TrialState.RUNNING, {"who": "me"})


def test_a_queued_trial_is_asked_for_first_and_gets_the_attribute(study):
    study.enqueue_trial({"a": 1})
    trial = compat.ask_with_attribute(study, "who", "me")
    assert (trial.number, trial.user_attrs, trial.suggest_int("a", 0, 3)) == (0, {"who": "me"}, 1)
    assert compat.ask_with_attribute(study, "who", "you").number == 1


@pytest.mark.parametrize(("error", "interrupted"), [(KeyboardInterrupt(), True), (RuntimeError(), False)])
def test_an_interrupted_trial_is_told_from_a_failed_one(error, interrupted):
    seen = []

    class Watching(optuna.samplers.RandomSampler):
        def after_trial(self, study, trial, state, values):
            seen.append((state, compat.was_interrupted()))

    def objective(trial):
        raise error

    with pytest.raises(type(error)):
        optuna.create_study(sampler=Watching()).optimize(objective, n_trials=1)
    assert seen == [(TrialState.FAIL, interrupted)]
    assert not compat.was_interrupted()


def test_the_trials_of_an_ask_are_those_that_optuna_has_just_read(study, monkeypatch):
    study.tell(study.ask(), 1.0)
    trial = study.ask()
    monkeypatch.setattr(compat, "read_trials", lambda study: pytest.fail("read again"))
    assert [one.state for one in compat.trials_of_ask(study, trial.number)] == [TrialState.COMPLETE, TrialState.RUNNING]


def test_the_trials_of_an_ask_in_another_process_are_read(study):
    trial = study.ask()
    elsewhere = open_study("s", str(compat.database_of(study).url), heartbeat=None)
    assert [one.number for one in compat.trials_of_ask(elsewhere, trial.number)] == [0]
    assert [one.number for one in compat.trials_of_ask(optuna.create_study(), 0)] == []


def test_a_trial_with_fixed_parameters_leaves_the_queue_alone():
    study = optuna.create_study()
    study.enqueue_trial({"x": 0.5})
    trial = compat.ask_with_attribute(study, "who", "me", {"x": 0.25})
    assert trial.number == 1
    assert trial.suggest_float("x", 0, 1) == 0.25
    assert compat.ask_with_attribute(study, "who", "you").suggest_float("x", 0, 1) == 0.5
