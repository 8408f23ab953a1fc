"""Trials as JSON, and results that come back from files."""

from __future__ import annotations

import json

import pytest

from casmopolitan.errors import DataError
from casmopolitan.spreadsheet.table import TableError
from casmopolitan.study.trials.correct import correct_values
from casmopolitan.study.trials.export import Imported, as_json, import_file
from casmopolitan.study.trials.known import KnownResult, record_known
from casmopolitan.study.trials.open import open_spec

POINT = {"a": "x", "b": 3}


def test_an_export_holds_the_corrections_of_a_value(opened):
    record_known(opened, [KnownResult(POINT, 1.0)])
    correct_values(opened, {0: 2.5}, opened.trials())
    found = open_spec(opened.spec)
    (trial,) = json.loads(as_json(found, found.rows()))["trials"]
    (correction,) = trial["corrections"]
    assert (trial["value"], correction["before"], correction["after"]) == (2.5, 1.0, 2.5)


def test_an_export_is_imported_once(opened, tmp_path):
    record_known(opened, [KnownResult(POINT, 1.0), KnownResult({"a": "y", "b": 4}, None)])
    opened.study.ask()
    path = tmp_path / "out.json"
    path.write_text(as_json(opened, opened.rows()))
    assert import_file(opened, path) == Imported(0, 2, 1, [])
    two = open_spec(opened.spec.model_copy(update={"name": "two"}), create=True)
    assert import_file(two, path) == Imported(2, 0, 1, [])
    assert [(row.state, row.known) for row in two.rows()] == [("complete", True), ("failed", True)]


def test_every_wrong_entry_is_named_and_nothing_is_added(opened, tmp_path):
    trials = [
        {"state": "complete", "value": "x", "configuration": POINT},
        {"state": "complete", "value": 1.0, "configuration": {"a": "x", "b": 99}},
        {"state": "failed", "value": None, "configuration": POINT},
    ]
    path = tmp_path / "bad.json"
    path.write_text(json.dumps({"format": "casmopolitan-trials", "version": 1, "trials": trials}))
    with pytest.raises(TableError) as caught:
        import_file(opened, path)
    assert [problem.partition(":")[0] for problem in caught.value.problems] == ["trials[0].value", "trials[1].configuration"]
    assert opened.rows() == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "is not an export of trials"),
        ('{"format": "casmopolitan-trials", "trials": []}', "has version"),
    ],
)
def test_a_file_that_is_not_an_export_is_refused(opened, tmp_path, text, said):
    path = tmp_path / "odd.json"
    path.write_text(text)
    with pytest.raises(DataError, match=said):
        import_file(opened, path)
