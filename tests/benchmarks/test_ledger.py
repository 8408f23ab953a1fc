import json

import pytest

from benchmarks import ledger
from benchmarks.ledger import Cell


def test_what_is_appended_is_read_back(tmp_path, record):
    path = tmp_path / "new" / "r.jsonl"
    ledger.append(path, record(seed=1))
    ledger.append(path, record(seed=2))
    assert ledger.read(path) == [record(seed=1), record(seed=2)]


def test_a_torn_last_line_is_not_read_and_is_cut_off_before_more_is_written(tmp_path, record):
    path = tmp_path / "r.jsonl"
    ledger.append(path, record(seed=1))
    whole = path.read_bytes()
    path.write_bytes(whole + json.dumps(record(seed=2)).encode()[:50])
    assert ledger.read(path) == [record(seed=1)]
    ledger.drop_torn_line(path)
    assert path.read_bytes() == whole


def test_a_file_that_is_one_torn_line_becomes_empty(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_bytes(b'{"problem": ')
    ledger.drop_torn_line(path)
    assert path.read_bytes() == b""


def test_a_broken_line_in_the_middle_is_named(tmp_path, record):
    path = tmp_path / "r.jsonl"
    ledger.append(path, record())
    path.write_text(path.read_text() + "nonsense\n" + path.read_text())
    with pytest.raises(SystemExit, match=r"r\.jsonl, line 2, is no result"):
        ledger.read(path)


def test_the_last_word_about_a_cell_counts(tmp_path, record):
    path = tmp_path / "r.jsonl"
    ledger.append(path, record(status="failed"))
    ledger.append(path, record(status="done"))
    assert [r["status"] for r in ledger.read(path)] == ["done"]


def test_finished_cells_are_skipped_and_failed_ones_run_again_only_on_request(record):
    cells = [Cell("pest-25", "default", seed, 200) for seed in range(4)]
    records = [record(seed=0), record(seed=1, status="failed"), record(seed=2, status="capped")]
    assert ledger.unfinished(cells, records, retry=False) == [cells[3]]
    assert ledger.unfinished(cells, records, retry=True) == [cells[1], cells[3]]


def test_another_budget_or_batch_is_another_cell(record):
    cells = [Cell("pest-25", "default", 0, 400), Cell("pest-25", "default", 0, 200, batch=8)]
    assert ledger.unfinished(cells, [record()], retry=False) == cells
