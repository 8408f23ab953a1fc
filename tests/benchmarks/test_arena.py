import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks import arena, cell, ledger
from benchmarks.cell import initial_points
from benchmarks.ledger import Cell


def ran(cell, cap_seconds=None):
    records = []
    arena.run([cell], jobs=1, cap_seconds=cap_seconds, ended=records.append)
    (record,) = records
    return record


def test_a_cell_records_what_it_reached_and_what_it_took():
    record = ran(Cell("func2c", "random", 0, 24))
    assert (record["status"], record["evaluations"], record["initial"]) == ("done", 24, 20)
    assert record["best"][0][0] == 1
    assert [value for _, value in record["best"]] == sorted((value for _, value in record["best"]), reverse=True)
    assert record["seconds"]["mean"] > 0
    assert record["memory_mb"] > 10
    assert record["versions"]["numpy"]


def test_noise_depends_on_the_seed_of_the_cell(monkeypatch):
    told = {}

    def start(space, initial, seed):
        told[seed] = np.array([loss for _, loss in initial])

    monkeypatch.setattr(cell, "load", lambda name: start)
    monkeypatch.setattr(cell, "initial_points", lambda space, seed, count: initial_points(space, 0, count))
    for seed in (0, 1):
        lines = []
        cell.run(Cell("contamination-25-noisy", "random", seed, 20), lines.append)
        exact = np.array([line[0] for line in lines[1:]])
        told[seed] = told[seed] - exact
    assert told[0].std() > 0.01
    assert not np.allclose(told[0], told[1])


def test_a_cell_over_its_time_is_stopped_and_kept():
    record = ran(Cell("func2c", "random", 0, 10**9), cap_seconds=2.5)
    assert record["status"] == "capped"
    assert 20 < record["evaluations"] < 10**9


@pytest.mark.parametrize(("work", "code"), [("time.sleep(2.5)", 0), ("while True: pass", -signal.SIGXCPU)])
def test_the_time_limit_is_processor_time(work, code):
    """A cell that waits, as on a busy machine, is not stopped."""
    lines = [
        "import sys, time",
        "from benchmarks import cell",
        "def run(it, emit):",
        f"    {work}",
        "cell.run = run",
        "cell.main()",
    ]
    described = json.dumps({"problem": "func2c", "method": "random", "seed": 0, "budget": 24})
    assert subprocess.run([sys.executable, "-c", "\n".join(lines), described, "2"], check=False).returncode == code


def test_cells_that_still_run_at_the_end_are_stopped_without_a_record():
    records = []
    cells = [Cell("func2c", "random", seed, 10**9) for seed in range(3)]
    arena.run(cells, jobs=2, cap_seconds=None, ended=records.append, until=time.monotonic() + 0.5)
    assert records == []


def test_a_cell_that_breaks_is_recorded_with_its_error():
    record = ran(Cell("func2c", "no-such-method", 0, 24))
    assert record["status"] == "failed"
    assert "No method is called 'no-such-method'" in record["error"]


def test_initial_points_depend_on_the_seed_alone_and_are_distinct():
    from benchmarks.suites import problem_named

    space = problem_named("func2c").space
    assert initial_points(space, 3) == initial_points(space, 3)
    assert initial_points(space, 3) != initial_points(space, 4)
    assert len({tuple(point.values()) for point in initial_points(space, 3)}) == 20


def test_improvements_keep_ten_digits_and_only_the_better_values():
    assert list(arena.improvements([3.0, 4.0, 2.00000000009, 2.0], "minimize")) == [(1, 3.0), (3, 2.0), (4, 2.0)]
    assert list(arena.improvements([3.0, 4.0, 2.0], "maximize")) == [(1, 3.0), (2, 4.0)]


def test_a_run_cut_short_goes_on_where_it_stopped(tmp_path, capsys):
    out = tmp_path / "r.jsonl"
    arguments = ["run", "--problems", "func2c", "--methods", "random", "--seeds", "3", "--budget", "21", "--jobs", "2"]
    command.main([*arguments, "--out", str(out)])
    records = ledger.read(out)
    assert [record["seed"] for record in sorted(records, key=lambda r: r["seed"])] == [0, 1, 2]
    lines = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:2]) + lines[2][:40])
    command.main([*arguments, "--out", str(out)])
    assert "1 cell to run, 2 done before" in capsys.readouterr().err
    same = {record["seed"]: record["best"] for record in ledger.read(out)}
    assert same == {record["seed"]: record["best"] for record in records}


def test_a_misspelt_method_or_problem_stops_the_run_before_it_starts(tmp_path):
    with pytest.raises(SystemExit, match="No method is called 'defalt'"):
        command.main(["run", "--methods", "defalt", "--out", str(tmp_path / "r.jsonl")])
    with pytest.raises(Exception, match="pest-25"):
        command.main(["run", "--problems", "pst-25", "--out", str(tmp_path / "r.jsonl")])


def test_the_command_line_reads_ranges_of_seeds_and_lists_in_methods():
    assert (command.seeds("3"), command.seeds("20-39")) == (range(3), range(20, 40))
    assert command.names("default:x=[1,2],paper") == ["default:x=[1,2]", "paper"]
