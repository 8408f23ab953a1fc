"""The studies of a database."""

from __future__ import annotations

import optuna

from casmopolitan.study.execution.liveness import signature
from casmopolitan.study.file.load import load
from casmopolitan.study.sampler.records import NOTE
from casmopolitan.study.storage.open import open_storage
from casmopolitan.study.trials.open import open_spec


def test_all_studies_of_a_database_are_listed_and_those_kept_can_be_removed(quick):
    quick.light("run", "study.toml", "--no-report")
    quick.light("tell", "--trial", 0, "--value", -3, "--replace")
    shown = quick.light("studies").stdout
    assert "quick  (this file's)" in shown
    found = {one["name"]: one for one in quick.light_data("studies")}
    assert found["quick"] == {"name": "quick", "trials": 6, "complete": 6, "best": -3.0}
    assert found["quick before correction 1"]["best"] > -3
    wrong = quick.light("studies", "--delete", "quick before correktion 1", code=1).stderr
    assert "Did you mean 'quick before correction 1'?" in wrong
    quick.light("studies", "--delete", "quick before correction 1")
    assert [one["name"] for one in quick.light_data("studies")] == ["quick"]


def test_a_study_of_several_objectives_has_no_best(quick):
    quick.light("run", "study.toml", "--no-report")
    storage = open_storage(f"sqlite:///{quick.folder / 'casmopolitan.db'}", heartbeat=None)
    other = optuna.create_study(study_name="both", storage=storage, directions=["minimize", "maximize"])
    other.add_trial(optuna.trial.create_trial(values=[1.0, 2.0]))
    assert quick.light_data("studies")[0] == {"name": "both", "trials": 1, "complete": 1, "best": None}
    quick.light("studies", "--delete", "both", "--delete", "both")


def test_a_kept_study_is_looked_at_by_its_name(quick):
    quick.light("run", "study.toml", "--no-report")
    text = (quick.folder / "study.toml").read_text()
    quick.write("study.toml", text.replace("high = 9", "high = 12"))
    quick.light("ask", "--accept-changes")
    quick.write("before.toml", (quick.folder / "study.toml").read_text().replace('"quick"', '"quick before change 1"'))
    done = quick.light("trials", "before.toml", "--json")
    assert done.stdout.count('"complete"') == 6
    assert "this is the study as it was begun" in done.stderr


def test_a_study_that_is_being_run_is_not_removed(quick):
    quick.light("run", "study.toml", "--no-report")
    trial = open_spec(load(quick.folder / "study.toml")).study.ask()
    trial.set_user_attr(NOTE, {"by": "run", "worker": signature()})
    assert "study 'quick' is being run" in quick.light("studies", "--delete", "quick", code=1).stderr
    assert [one["name"] for one in quick.light_data("studies")] == ["quick"]


def test_looking_for_studies_makes_no_database(quick):
    assert "there is no database" in quick.light("studies", code=1).stderr
    assert not (quick.folder / "casmopolitan.db").exists()
