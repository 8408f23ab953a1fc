import math

import pytest

import casmopolitan as cas
from benchmarks import __main__ as command
from benchmarks import ledger
from benchmarks.suites import problem_named, suite
from benchmarks.tables import names_in, size


@pytest.fixture
def folder(tmp_path):
    rows = [f"{a},{b},CS{c}MB,{1 + a * (c == 512) + (b == 'on')}" for a in (1, 2, 10) for b in ("on", "off") for c in (16, 512)]
    (tmp_path / "speed.csv").write_text("\n".join(["a,switch,cache,value", *rows[:-1]]))
    (tmp_path / "notes.csv").write_text("a,b\n1,2\n")
    return tmp_path


def test_a_table_is_a_problem_with_a_proven_optimum(folder):
    (name,) = suite("tables", folder)
    problem = problem_named(name)
    assert (problem.optimum.value, problem.direction) == (1.0, "minimize")
    assert isinstance(problem.space["a"], cas.Ordinal)
    assert list(problem.space["a"].values) == ["1", "2", "10"]
    assert isinstance(problem.space["switch"], cas.Categorical)
    assert problem({"a": "2", "switch": "on", "cache": "CS512MB"}) == 4.0


def test_a_combination_that_was_never_measured_is_nan(folder):
    problem = problem_named(names_in(folder)[0])
    assert math.isnan(problem({"a": "10", "switch": "off", "cache": "CS512MB"}))


def test_sizes_with_units_are_in_order():
    assert sorted(["CS512MB", "CS16MB", "CS1GB"], key=size) == ["CS16MB", "CS512MB", "CS1GB"]
    assert sorted(["PS4K", "PS512", "PS32K"], key=size) == ["PS4K", "PS32K", "PS512"]


def test_a_folder_without_tables_is_named(tmp_path):
    with pytest.raises(SystemExit, match="no CSV file with a column 'value'"):
        names_in(tmp_path)
    with pytest.raises(SystemExit, match="--tables FOLDER"):
        suite("tables")


def test_the_suite_runs_with_each_methods_own_start_and_prints_its_table(folder, capsys):
    out = folder / "r.jsonl"
    wanted = ["--methods", "default,random,optuna-tpe", "--seeds", "2", "--budget", "9", "--out", str(out)]
    command.main(["run", "--suite", "tables", "--tables", str(folder), *wanted])
    records = ledger.read(out)
    assert {(record["initial"], record["start"], record["status"]) for record in records} == {(0, "own", "done")}
    capsys.readouterr()
    command.main(["table", str(out), "--at", "3,9"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("| problem | seeds | casmopolitan default |")
    assert lines[2].startswith("| speed | 2 | ")
    assert lines[-1].startswith("| mean rank |")
