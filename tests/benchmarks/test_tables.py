import gzip
import math

import pytest

import casmopolitan as cas
from benchmarks import __main__ as command
from benchmarks import ledger, tables
from benchmarks.series import method_name
from benchmarks.suites import problem_named, suite
from benchmarks.tables import names_in, size


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(tables.FOLDER, str(tmp_path))
    rows = [f"{a},{b},CS{c}MB,{1 + a * (c == 512) + (b == 'on')}" for a in (1, 2, 10) for b in ("on", "off") for c in (16, 512)]
    (tmp_path / "speed.csv").write_text("\n".join(["a,switch,cache,value", *rows[:-1]]))
    (tmp_path / "notes.csv").write_text("a,b\n1,2\n")
    return tmp_path


def test_a_table_is_a_problem_with_a_proven_optimum(folder):
    (name,) = suite("tables", folder)
    assert name == "table:speed", "results name no folder"
    problem = problem_named(name)
    assert (problem.optimum.value, problem.direction) == (1.0, "minimize")
    assert isinstance(problem.space["a"], cas.Ordinal)
    assert list(problem.space["a"].values) == ["1", "2", "10"]
    assert isinstance(problem.space["switch"], cas.Categorical)
    assert problem({"a": "2", "switch": "on", "cache": "CS512MB"}) == 4.0


def test_a_combination_that_was_never_measured_is_nan(folder):
    problem = problem_named(names_in(folder)[0])
    assert math.isnan(problem({"a": "10", "switch": "off", "cache": "CS512MB"}))


def test_a_table_is_found_by_its_path_and_a_compressed_one_by_its_name(folder):
    (folder / "gb1.csv.gz").write_bytes(gzip.compress(b"site39,site40,fitness\nV,D,1\nA,D,2.5\nA,C,0\n"))
    problem = problem_named("table:gb1")
    assert (problem.name, problem.direction, problem.optimum.value) == ("gb1", "maximize", 2.5)
    assert list(problem.space) == ["site39", "site40"]
    assert math.isnan(problem({"site39": "V", "site40": "C"}))
    assert problem_named(f"table:{folder}/gb1.csv.gz").optimum == problem.optimum
    assert names_in(folder) == ["table:speed"], "a compressed table is run by name only"
    with pytest.raises(SystemExit, match=r"No gb2\.csv or gb2\.csv\.gz in .*--tables FOLDER"):
        problem_named("table:gb2")


def test_one_of_several_measured_columns_is_named_behind_its_table(folder):
    header = "drug_input,solid_lipid,drug_loading,encap_efficiency,particle_diameter"
    (folder / "lipid-particles.csv").write_text(f"{header}\n6,a,0.1,0.5,3\n12,a,0.2,0.4,2\n")
    loading, diameter = (problem_named(f"table:lipid-particles:{c}") for c in ("drug_loading", "particle_diameter"))
    assert (loading.name, loading.direction, loading.optimum.value) == ("lipid-particles:drug_loading", "maximize", 0.2)
    assert (diameter.direction, diameter.optimum.value) == ("minimize", 2.0)
    assert list(loading.space) == ["drug_input", "solid_lipid"], "what was measured is no variable"
    assert isinstance(loading.space["drug_input"], cas.Ordinal)
    with pytest.raises(SystemExit, match="no column 'value'; table:NAME:COLUMN names the measured column"):
        problem_named("table:lipid-particles")


def test_sizes_with_units_are_in_order():
    assert sorted(["CS512MB", "CS16MB", "CS1GB"], key=size) == ["CS16MB", "CS512MB", "CS1GB"]
    assert sorted(["PS4K", "PS512", "PS32K"], key=size) == ["PS4K", "PS32K", "PS512"]


def test_a_folder_without_tables_is_named(tmp_path):
    with pytest.raises(SystemExit, match="no CSV file with a column 'value'"):
        names_in(tmp_path)
    with pytest.raises(SystemExit, match="--tables FOLDER"):
        suite("tables")


def test_a_plate_of_random_points_comes_first_and_the_rest_in_batches(folder):
    out = folder / "r.jsonl"
    wanted = ["--methods", "default,random", "--seeds", "1", "--budget", "9", "--start", "6", "--batch", "2", "--out", str(out)]
    command.main(["run", "--problems", "table:speed", "--tables", str(folder), *wanted])
    ours, random = ledger.read(out)
    assert (ours["initial"], ours["start"], ours["status"], ours["evaluations"]) == (6, "6", "done", 9)
    assert [step for step in ours["best"] if step[0] <= 6] == [step for step in random["best"] if step[0] <= 6]
    assert "6 random points, batches of 2" in method_name(ours)


def test_first_points_are_shared_own_or_a_number(capsys):
    assert [command.first_points(text) for text in ("shared", "own", "96")] == ["shared", "own", "96"]
    with pytest.raises(SystemExit):
        command.main(["run", "--start", "none"])
    assert "'none' is not shared, own or a number" in capsys.readouterr().err


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
