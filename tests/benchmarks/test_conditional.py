import json

import pytest

pytest.importorskip("optuna")

from benchmarks.conditional.__main__ import main
from benchmarks.conditional.cell import run
from benchmarks.conditional.problems import PROBLEMS, branches, jenatton
from benchmarks.ledger import Cell


def test_the_minima_are_what_the_page_says():
    assert jenatton().value({"x1": 0, "x2": 0, "x4": 0.0, "r8": 0.0}) == pytest.approx(0.1)
    assert jenatton().value({"x1": 1, "x3": 1, "x7": 0.0, "r9": 0.5}) == pytest.approx(0.9)
    assert branches().value({"x": "B", "t": 0.25, "z": 0.25}) == 0.0
    for problem in PROBLEMS.values():
        assert all(problem().space.allows(configuration) for configuration in problem().space.sample(5, 0))


@pytest.mark.parametrize("method", ["random", "optuna-tpe", "optuna-tpe-group"])
def test_a_run_is_recorded_with_its_best_values(method):
    record = run(Cell("jenatton", method, 0, 50, start="own"))
    assert record["status"] == "done"
    assert 0.1 <= record["scores"]["50"] <= record["scores"]["25"]


def test_the_command_records_runs_and_prints_a_table(tmp_path, capsys):
    main(["--problems", "branches", "--methods", "random", "--seeds", "2", "--out", str(tmp_path / "runs.jsonl")])
    lines = [json.loads(line) for line in (tmp_path / "runs.jsonl").read_text().splitlines()]
    assert {line["seed"] for line in lines} == {0, 1}
    assert "| branches, at 25 |" in capsys.readouterr().out
