"""Corrections and accepted changes of a study, on both databases: as Optuna and a second process read them afterwards."""

from __future__ import annotations

import optuna
import pytest

from casmopolitan.study.file.load import load
from casmopolitan.study.trials.correct import correct_values
from casmopolitan.study.trials.known import KnownResult, record_known
from casmopolitan.study.trials.manual import reserve_trials
from casmopolitan.study.trials.open import accept_changes, open_spec

FILE = """
name = "{name}"
budget = 9
seed = 3
storage = "${{DATABASE}}"
[settings]
n_initial = 20
[variables.a]
type = "categorical"
choices = ["x", "y"]
[variables.b]
type = "integer"
low = 1
high = 30
"""


@pytest.fixture
def file(url, name, tmp_path, monkeypatch):
    monkeypatch.setenv("DATABASE", url)
    path = tmp_path / "study.toml"
    path.write_text(FILE.format(name=name))
    return path


def test_a_corrected_value_is_optunas_best_and_leaves_a_record(file, name):
    opened = open_spec(load(file), create=True)
    record_known(opened, [KnownResult({"a": "x", "b": 3}, 1.0), KnownResult({"a": "y", "b": 4}, 2.0)])
    correct_values(opened, {0: 9.0}, opened.trials())
    again = open_spec(load(file))
    assert optuna.load_study(study_name=name, storage=again.study._storage).best_value == 2.0
    (correction,) = again.rows()[0].corrections
    assert (correction["before"], correction["after"]) == (1.0, 9.0)


def test_a_changed_space_keeps_every_trial_and_takes_new_choices(file):
    opened = open_spec(load(file), create=True)
    record_known(opened, [KnownResult({"a": "x", "b": 3}, 1.0), KnownResult({"a": "y", "b": 29}, 2.0)])
    reserved = reserve_trials(opened, 2)
    before = [(row.number, row.state, row.value, row.configuration) for row in opened.rows()]
    file.write_text(file.read_text().replace('"x", "y"', '"x", "y", "z"').replace("high = 30", "high = 40"))
    changed, differences = accept_changes(load(file))
    assert len(differences) == 2
    assert [(row.number, row.state, row.value, row.configuration) for row in changed.rows()] == before
    new = reserve_trials(changed, 12)
    assert "z" in {row.configuration["a"] for row in new}
    assert not [row for row in new if row.configuration in [one.configuration for one in reserved]]
