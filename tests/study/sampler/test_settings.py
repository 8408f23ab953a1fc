from dataclasses import replace

import optuna
import pytest

import casmopolitan as cas
from casmopolitan.study.sampler.settings import KEY, Settings, load_or_record_settings, writer_of


def test_a_study_begun_before_the_level_of_rates_was_left_open_keeps_its_own():
    record = Settings(0, cas.DEFAULT).to_dict()
    assert record["config"]["rate_level"] is None
    del record["config"]["rate_level"]
    assert Settings.from_dict(record).config.rate_level == 3.0


def test_settings_survive_the_record():
    own = Settings(3, replace(cas.PAPER, n_initial=7, lengthscale_bounds=(0.1, 1.0)), ("a", "b"))
    assert Settings.from_dict(own.to_dict()) == own
    assert own.to_dict()["config"] == {"n_initial": 7, "lengthscale_bounds": [0.1, 1.0]}


@pytest.mark.parametrize(
    "damage",
    [
        {"version": 2},
        {"seed": None},
        {"seed": "0"},
        {"seed": -1},
        {"ordinal": "ab"},
        {"ordinal": [1]},
        {"config": {"no_such": 1}},
        {"config": {"n_initial": 0}},
        {"config": [1]},
    ],
)
def test_a_damaged_record_is_refused_with_a_way_out(damage):
    with pytest.raises(cas.DataError, match="start a new study"):
        Settings.from_dict(Settings(0, cas.PAPER).to_dict() | damage)
    with pytest.raises(cas.DataError, match="damaged"):
        Settings.from_dict({})


def test_the_first_worker_records_and_the_second_reads():
    study = optuna.create_study()
    first, seed = load_or_record_settings(study, Settings(None, cas.PAPER))
    second, other = load_or_record_settings(study, Settings(5, cas.DEFAULT, ("a",)))
    assert first == second
    assert seed == other == study._storage.get_study_system_attrs(study._study_id)[KEY]["seed"]


def test_what_differs_is_named():
    recorded = Settings(1, cas.PAPER)
    assert Settings(None, cas.PAPER).differences(recorded) == []
    phrases = Settings(2, replace(cas.PAPER, ard=False), ("a",)).differences(recorded)
    assert phrases == ["seed=2 (recorded: 1)", "ard=False (recorded: 'continuous')", "ordinal=['a'] (recorded: [])"]


def test_a_study_signs_with_its_settings():
    study = optuna.create_study()
    assert writer_of(study) == ""
    recorded, _ = load_or_record_settings(study, Settings(1, cas.PAPER))
    assert writer_of(study) == recorded.fingerprint == Settings(1, cas.PAPER).fingerprint
    others = [Settings(2, cas.PAPER), Settings(1, cas.DEFAULT), Settings(1, cas.PAPER, ("a",))]
    assert len({recorded.fingerprint, *(other.fingerprint for other in others)}) == 4
    study._storage.set_study_system_attr(study._study_id, KEY, {})
    assert writer_of(study) is None
