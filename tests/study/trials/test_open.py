"""A study file and its study in the database."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from sqlalchemy.engine import make_url

from casmopolitan.study.trials.open import MissingStudyError, address, open_spec


def test_a_study_that_is_not_there_is_not_made_by_looking(spec):
    with pytest.raises(MissingStudyError, match="creates it"):
        open_spec(spec)
    assert not os.path.exists(spec.folder / "casmopolitan.db")


def test_the_address_takes_secrets_from_the_environment_and_files_from_the_folder(spec, monkeypatch):
    assert address(spec) == f"sqlite:///{spec.folder}/casmopolitan.db"
    monkeypatch.setenv("SECRET", "s3")
    assert address(spec.model_copy(update={"storage": "postgresql://u:${SECRET}@h/d"})) == "postgresql://u:s3@h/d"
    assert address(spec.model_copy(update={"storage": "sqlite:////tmp/x.db"})) == "sqlite:////tmp/x.db"


def test_a_preset_that_means_something_new_after_an_update_changes_no_study(opened, monkeypatch):
    opened.study.ask(dict(opened.study.sampler._declared.distributions))
    begun = opened.config
    newer = opened.spec.placed(opened.spec.folder, replace(opened.spec.config, failure_tolerance=7), opened.spec.space)
    again = open_spec(newer)
    assert again.config == begun
    again.study._storage._backend.engine.dispose()


def test_a_password_may_hold_any_letter(spec, monkeypatch):
    monkeypatch.setenv("SECRET", "s3cr@t/100%41")
    url = address(spec.model_copy(update={"storage": "postgresql://me:${SECRET}@host/base"}))
    assert make_url(url).password == "s3cr@t/100%41"
    monkeypatch.setenv("WHOLE", "postgresql://me:a%40b@host/base")
    assert address(spec.model_copy(update={"storage": "${WHOLE}"})) == "postgresql://me:a%40b@host/base"


def test_no_view_of_a_study_shows_its_password(opened):
    from casmopolitan.cli.options import summary
    from casmopolitan.study.report.report import settings

    secret = "postgresql://me:hunter2@host/base"
    one = replace(opened, url=secret, spec=opened.spec.model_copy(update={"storage": secret}))
    assert "hunter2" not in str(summary(one, [])) + str(settings(one))
