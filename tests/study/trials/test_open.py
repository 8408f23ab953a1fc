"""A study file and its study in the database."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from sqlalchemy.engine import make_url

from casmopolitan.analysis.row import identity
from casmopolitan.errors import DataError
from casmopolitan.spreadsheet.table import Line
from casmopolitan.study.file.diff import ChangedError
from casmopolitan.study.file.load import load
from casmopolitan.study.sampler.replay import History, known_params
from casmopolitan.study.trials.known import KnownResult, cancel_misfits, record_known
from casmopolitan.study.trials.manual import cancel_reserved, record_results, reserve_trials
from casmopolitan.study.trials.open import MissingStudyError, accept_changes, database_url, open_recorded, open_spec
from casmopolitan.study.trials.status import count


def test_a_study_that_is_not_there_is_not_made_by_looking(spec):
    with pytest.raises(MissingStudyError, match="creates it"):
        open_spec(spec)
    assert not os.path.exists(spec.folder / "casmopolitan.db")


def test_the_address_takes_secrets_from_the_environment_and_files_from_the_folder(spec, monkeypatch):
    assert database_url(spec) == f"sqlite:///{spec.folder}/casmopolitan.db"
    monkeypatch.setenv("SECRET", "s3")
    assert database_url(spec.model_copy(update={"storage": "postgresql://u:${SECRET}@h/d"})) == "postgresql://u:s3@h/d"
    assert database_url(spec.model_copy(update={"storage": "sqlite:////tmp/x.db"})) == "sqlite:////tmp/x.db"


def test_a_preset_that_means_something_new_after_an_update_changes_no_study(opened, monkeypatch):
    opened.study.ask(dict(opened.study.sampler._declared.distributions))
    begun = opened.config
    newer = opened.spec.placed(opened.spec.folder, replace(opened.spec.config, failure_tolerance=7), opened.spec.space)
    again = open_spec(newer)
    assert again.config == begun
    again.study._storage._backend.engine.dispose()


def test_a_password_may_hold_any_letter(spec, monkeypatch):
    monkeypatch.setenv("SECRET", "s3cr@t/100%41")
    url = database_url(spec.model_copy(update={"storage": "postgresql://me:${SECRET}@host/base"}))
    assert make_url(url).password == "s3cr@t/100%41"
    monkeypatch.setenv("WHOLE", "postgresql://me:a%40b@host/base")
    assert database_url(spec.model_copy(update={"storage": "${WHOLE}"})) == "postgresql://me:a%40b@host/base"


A, B = '"x", "y", "z"', "high = 30"
CHANGES = {
    "a choice more": (A, '"x", "y", "z", "w"'),
    "a choice less": (A, '"x", "y"'),
    "a narrower range": (B, "high = 12"),
    "a variable more": ("[objective]", '[variables.c]\ntype = "categorical"\nchoices = [1, 2]\n[objective]'),
    "a variable less": ('[variables.a]\ntype = "categorical"\nchoices = ["x", "y", "z"]\n', ""),
    "another setting": ("n_initial = 20", "n_initial = 3"),
}


@pytest.fixture
def used(opened):
    """Trials in every state: four told, of which one failed, one cancelled, three reserved, and one known result."""
    reserve_trials(opened, 8)
    lines = [Line(k + 2, k, {}, None if k == 1 else float(k)) for k in range(4)]
    record_results(opened, "results", lines)
    cancel_reserved(opened, [4])
    record_known(opened, [KnownResult({"a": "z", "b": 29}, 5.0)])
    return opened


def history(opened):
    """Number, state, value, cost and parameters of each trial."""
    rows = opened.rows()
    params = [known_params(trial) for trial in opened.trials()]
    return [(row.number, row.state, row.value, row.counts, given) for row, given in zip(rows, params, strict=True)]


@pytest.mark.parametrize("change", CHANGES)
def test_accepted_changes_keep_every_trial_and_its_cost(used, file, change):
    before, count_before = history(used), count(used.trials())
    file.write_text(file.read_text().replace(*CHANGES[change]))
    spec = load(file)
    with pytest.raises(ChangedError):
        open_spec(spec)
    changed, differences = accept_changes(spec)
    assert len(differences) == 1
    assert open_spec(spec).differences == []
    assert history(changed) == before
    assert count(changed.trials()) == count_before == 7
    assert [row.outside for row in changed.rows()] == [
        state in ("complete", "failed", "asked") and not spec.space.allows(params) for _, state, _, _, params in before
    ]
    record_results(changed, "results", [Line(2, 5, {}, 0.25), Line(3, 6, {}, None)])
    pending = identity(known_params(changed.trials()[7]))
    new = reserve_trials(changed, 6)
    assert [row.number for row in new] == list(range(9, 15))
    assert all(spec.space.allows(row.configuration) for row in new)
    assert pending not in {identity(row.configuration) for row in new}
    assert len({identity(row.configuration) for row in new}) == 6
    assert [row.state for row in changed.rows()][5:9] == ["complete", "failed", "asked", "complete"]


def test_a_pending_point_of_a_small_space_is_not_suggested_again_after_a_change(file):
    file.write_text(file.read_text().replace(B, "high = 2"))
    reserve_trials(open_spec(load(file), create=True), 4)
    file.write_text(file.read_text().replace(A, '"x", "y", "z", "w"'))
    changed, _ = accept_changes(load(file))
    found = reserve_trials(changed, 9)
    assert len(found) == 4
    assert len({identity(row.configuration) for row in changed.rows() if row.state == "asked"}) == 8


def test_the_model_ignores_trials_outside_the_new_space(used, file):
    file.write_text(file.read_text().replace(B, "high = 12").replace("n_initial = 20", "n_initial = 1"))
    changed, _ = accept_changes(load(file))
    rows = changed.rows()
    inside = {row.number for row in rows if row.state in ("complete", "failed") and not row.outside}
    trials, border = changed.trials(), changed.study.sampler._declared
    state = History(border, changed.config).state(trials, -1)
    assert len(state.observations) + len(state.failures) == len(inside) < 5
    assert {row.number for row in changed.best_first(rows)} <= inside


def test_the_former_record_is_kept_with_its_time(used, file):
    first = used.record
    file.write_text(file.read_text().replace(B, "high = 12").replace("n_initial = 20", "n_initial = 3"))
    changed, differences = accept_changes(load(file))
    assert len(differences) == 2
    log = changed.study.user_attrs["casmo:change:0"]
    assert log["before"] == first
    assert log["when"].endswith("+00:00")
    assert (changed.config.n_initial, changed.seed) == (3, 1)


def test_changes_accepted_by_two_processes_are_recorded_once(used, file):
    file.write_text(file.read_text().replace(B, "high = 12"))
    spec = load(file)
    assert accept_changes(spec)[1]
    assert accept_changes(spec)[1] == []
    assert [key for key in open_spec(spec).study.user_attrs if key.startswith("casmo:change:")] == ["casmo:change:0"]


def test_a_changed_direction_is_not_accepted(used, file):
    file.write_text('direction = "maximize"\n' + file.read_text())
    with pytest.raises(DataError, match="their directions cannot change"):
        accept_changes(load(file))
    looked, differences = open_recorded(load(file))
    assert (looked.spec.direction, differences) == ("minimize", ["~ direction: minimize became maximize"])


def test_looking_at_a_changed_study_changes_neither_it_nor_the_file(used, file):
    file.write_text(file.read_text().replace(B, "high = 12"))
    spec = load(file)
    space = spec.space
    looked, differences = open_recorded(spec)
    assert looked.space.to_dict() == used.space.to_dict()
    assert spec.space is space
    assert len(differences) == 1
    assert history(looked) == history(used)
    assert looked.record == used.record


def test_queued_trials_that_do_not_fit_any_more_are_cancelled(opened, file):
    opened.study.enqueue_trial({"a": "z", "b": 3})
    opened.study.enqueue_trial({"a": "x"})
    file.write_text(file.read_text().replace(A, '"x", "y"'))
    changed, _ = accept_changes(load(file))
    assert cancel_misfits(changed) == [0]
    assert [row.configuration["a"] for row in reserve_trials(changed, 1)] == ["x"]
