from dataclasses import replace

import pytest

from casmopolitan.cli.options import summary
from casmopolitan.study.report import settings, write_report
from casmopolitan.study.trials.known import KnownResult, record_known


def test_no_view_of_a_study_shows_its_password(opened):
    secret = "postgresql://me:hunter2@host/base"
    one = replace(opened, url=secret, spec=opened.spec.model_copy(update={"storage": secret}))
    assert "hunter2" not in str(summary(one, [])) + str(settings(one))


def test_the_report_of_a_study_shows_its_name_best_value_and_settings(opened, tmp_path):
    record_known(opened, [KnownResult({"a": "x", "b": b}, b / 7) for b in (3, 11, 19, 25, 29)])
    path = tmp_path / "report.html"
    assert write_report(opened, path) == str(path)
    page = path.read_text("utf-8")
    assert opened.spec.name in page
    assert f"{3 / 7:.6g}" in page
    assert "echo 1" in page


def test_a_report_that_cannot_be_written_leaves_nothing_behind(opened, tmp_path):
    with pytest.raises(OSError, match="missing"):
        write_report(opened, tmp_path / "missing" / "report.html")
    assert list(tmp_path.glob("*.html")) == []
