"""Several objectives and limits on the command line: run, ask, tell, best, status, export, import, corrections."""

from __future__ import annotations

import csv
import io
import json

import pytest

VARIABLES = """
[variables.model]
type = "categorical"
choices = ["tree", "forest", "network"]
[variables.layers]
type = "integer"
low = 1
high = 12
"""

TWO = f"""
name = "two"
budget = 9
seed = 1
[settings]
n_initial = 5
[objectives]
error = "minimize"
speed = "maximize"
[limits]
memory = "<= 300"
{VARIABLES}
[objective]
function = "train:train"
"""

TRAIN = """
def train(setting):
    size = {"tree": 1.0, "forest": 3.0, "network": 6.0}[setting["model"]] * setting["layers"]
    return {"error": 0.05 + 0.4 / (1 + size), "speed": 10 / size, "memory": 12 * size}
"""

NAMES = ("error", "speed", "memory")


@pytest.fixture
def two(casmopolitan):
    return casmopolitan.write("study.toml", TWO).write("train.py", TRAIN)


def told(two, *lines, replace=False, code=0):
    two.write("results.csv", "\n".join(["trial,model,layers,error,speed,memory", *lines]) + "\n")
    return two.light("tell", "results.csv", *(["--replace"] if replace else []), code=code)


def test_a_run_gives_a_front_and_resumes(two):
    first = two("run", "--budget", 6)
    assert "6 trials; stopped because the budget is spent" in first.stderr
    assert "on the front" in first.stderr
    again = two.light_data("run")
    assert (again["counted"], again["complete"]) == (9, 9)
    best = two.light_data("best")
    assert best == {name: again[name] for name in ("front", "hypervolume", "reference")}
    rows = two.rows()
    usable = [row["outcomes"] for row in rows if row["feasible"]]
    assert best["front"]
    for row in best["front"]:
        mine = row["outcomes"]
        assert row["feasible"]
        assert mine["memory"] <= 300
        assert not any(one["error"] <= mine["error"] and one["speed"] >= mine["speed"] and one != mine for one in usable)
    errors = [row["outcomes"]["error"] for row in best["front"]]
    assert errors == sorted(errors)
    shown = two.light("best").stdout
    assert shown.split()[:10] == ["trial", "state", "error", "speed", "memory", "<=", "300", "feasible", "model", "layers"]
    assert "hypervolume" in shown.splitlines()[-1]
    assert len(two.light("best", "--top", 1).stdout.splitlines()) == 3
    status = two.light("status").stdout
    assert "minimize error, maximize speed, memory <= 300" in status
    assert f"limits  met by {again['feasible']} of 9 trials" in status
    assert f"probability predicted for trial 8: memory {rows[8]['predicted_limits']['memory']:.0%}" in status
    assert any("memory" in row["predicted_limits"] for row in rows if row.get("predicted_limits"))


def test_the_predictions_of_a_suggestion_have_names_and_probabilities(two):
    two.light("run", "--no-report")
    suggested = next(row for row in two.rows() if row["source"] == "acquisition")
    assert suggested["predicted_means"].keys() == suggested["predicted_deviations"].keys() == {"error", "speed"}
    assert 0.0 <= suggested["predicted_feasible"] <= 1.0
    assert suggested["predicted_limits"] == {"memory": pytest.approx(suggested["predicted_feasible"])}


def test_the_plan_has_a_column_per_outcome_and_tell_reads_them(two):
    two.light("ask", "-n", 4, "--csv", "plan.csv")
    plan = list(csv.DictReader(io.StringIO((two.folder / "plan.csv").read_text())))
    assert list(plan[0]) == ["trial", "model", "layers", *NAMES, "comment"]
    assert all(row[name] == "" for row in plan for name in NAMES)
    said = told(two, "0,,,0.5,2,100", "1,,,0.4,1,unknown", "2,,,failed,,", "3,,,,,").stdout
    assert said == "3 trials told\n"
    rows = two.rows()
    assert [row["state"] for row in rows] == ["complete", "complete", "failed", "asked"]
    assert rows[0]["outcomes"] == {"error": 0.5, "speed": 2.0, "memory": 100.0}
    assert (rows[0]["feasible"], rows[1]["feasible"]) == (True, None)
    assert rows[1]["outcomes"]["memory"] is None
    values = ("--value", "error=0.1", "--value", "speed=3", "--value", "memory=1e3")
    assert two.light("tell", "--trial", 3, *values).stdout == "1 trial told\n"
    assert two.rows()[3]["feasible"] is False
    assert [row["number"] for row in two.light_data("best")["front"]] == [0]
    assert two.light_data("ask")[0]["state"] == "asked"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("0,,,0.5,2,", "row 2, column 'memory': is empty; write 'unknown' if it was not measured"),
        ("0,,,0.5,nan,1", "row 2, column 'speed': got 'nan', but other outcomes are known"),
        ("0,,,0.5,fast,1", "row 2, column 'speed': got 'fast'"),
    ],
)
def test_a_wrong_outcome_is_named_by_row_and_column(two, line, problem):
    two.light("ask")
    assert problem in told(two, line, code=1).stderr
    assert two.states() == {"asked": 1}


def test_a_missing_column_and_a_misspelt_one_are_named(two):
    two.light("ask")
    two.write("results.csv", "trial,eror,speed\n0,1,2\n")
    said = two.light("tell", "results.csv", code=1).stderr
    assert "the column 'eror' is neither a variable nor a known column; rename it or remove it. Did you mean 'error'?" in said
    assert "there is no column 'memory', which holds the results" in said


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (["error=1", "speed=2"], "outcome 'memory' is missing"),
        (["error=1", "speed=2", "memory=3", "size=4"], "there is no outcome 'size'"),
        (["error=nan", "speed=2", "memory=3"], "outcome 'error': got 'nan'"),
        (["error=1", "error=2", "speed=2", "memory=3"], "outcome 'error' is given twice"),
        (["1.5"], "got '1.5'; write NAME=VALUE; outcome 'error' is missing"),
    ],
)
def test_the_inline_form_names_what_is_wrong(two, values, problem):
    two.light("ask")
    options = [part for value in values for part in ("--value", value)]
    said = two.light("tell", "--trial", 0, *options, code=1).stderr
    assert problem in said
    assert "--value error=VALUE --value speed=VALUE --value memory=VALUE, or --value failed" in said


def test_outcomes_are_corrected_and_the_former_ones_are_kept(two):
    two.light("ask", "-n", 2)
    told(two, "0,,,0.5,2,100", "1,,,0.1,1,200")
    said = told(two, "0,,,0.5,2,400", code=1).stderr
    assert "was already told error 0.5, speed 2, memory 100; `--replace` corrects it" in said
    assert told(two, "0,,,0.5,2,400", replace=True).stdout == "0 trials told, 1 corrected\n"
    row = two.rows()[0]
    assert (row["outcomes"]["memory"], row["feasible"]) == (400.0, False)
    assert row["corrections"][0]["before"] == {"error": 0.5, "speed": 2.0, "memory": 100.0}
    assert [row["number"] for row in two.light_data("best")["front"]] == [1]
    told(two, "0,,,unknown,2,400", replace=True)  # an objective becomes unknown
    assert two.rows()[0]["outcomes"] == {"error": None, "speed": 2.0, "memory": 400.0}
    assert two.rows()[0]["state"] == "complete"
    told(two, "0,,,failed,,", replace=True)
    assert two.rows()[0]["state"] == "failed"
    told(two, "0,,,0.05,2,100", replace=True)
    assert [row["number"] for row in two.light_data("best")["front"]] == [0]
    two.light("cancel", 0, "--replace")
    assert two.rows()[0]["state"] == "cancelled"


def test_export_and_import_carry_every_outcome(two, tmp_path):
    two.light("ask", "-n", 3)
    told(two, "0,,,0.5,2,100", "1,,,0.1,unknown,400", "2,,,failed,,")
    two.light("export", "--output", "all.csv")
    two.light("export", "--output", "all.json")
    lines = list(csv.DictReader(io.StringIO((two.folder / "all.csv").read_text())))
    assert [line["feasible"] for line in lines] == ["True", "False", ""]
    assert [line["speed"] for line in lines] == ["2.0", "unknown", "failed"]
    assert lines[2]["trial.error"] == ""
    assert json.loads((two.folder / "all.json").read_text())["limits"] == {"memory": "<= 300"}
    for name in ("all.csv", "all.json"):
        two.write("other.toml", TWO.replace('"two"', f'"{name}"'))
        assert two.light_data("import", "other.toml", name) == {"added": 3, "known": 0, "left_out": 0}
        assert two.light_data("import", "other.toml", name) == {"added": 0, "known": 3, "left_out": 0}
        kept = two.rows("other.toml")
        assert [row.get("outcomes") for row in kept] == [row.get("outcomes") for row in two.rows()]


def test_a_changed_limit_is_accepted_and_a_changed_objective_is_not(two):
    two.light("ask", "-n", 2)
    told(two, "0,,,0.5,2,100", "1,,,0.1,1,200")
    two.write("study.toml", TWO.replace("<= 300", "<= 150"))
    assert "~ limit memory: <= 300 became <= 150" in two.light("ask", code=3).stderr
    assert len(two.light_data("best")["front"]) == 2  # the recorded limit
    two.light("ask", "--accept-changes")
    assert [row["number"] for row in two.light_data("best")["front"]] == [0]
    assert [row["feasible"] for row in two.rows()[:2]] == [True, False]
    two.write("study.toml", TWO.replace('speed = "maximize"', 'speed = "minimize"'))
    said = two.light("ask", "--accept-changes", code=1).stderr
    assert "objective speed: maximize became minimize" in said
    assert "cannot change; restore them" in said


def test_nothing_feasible_yet_is_said_with_the_trial_that_comes_closest(two):
    two.light("ask", "-n", 2)
    told(two, "0,,,0.5,2,400", "1,,,0.1,1,350")
    said = two.light("best", code=1).stderr
    assert "is known to meet all limits (memory <= " in said
    assert "Trial 1 comes closest: error 0.1, speed 1, memory 350" in said


LIMITED = f"""
name = "limited"
budget = 8
seed = 1
[settings]
n_initial = 4
[limits]
memory = "<= 300"
{VARIABLES}
[objective]
command = ["python", "-S", "train.py", "{{model}}", "{{layers}}"]
"""

PRINTS = """
import sys
size = {"tree": 1.0, "forest": 3.0, "network": 6.0}[sys.argv[1]] * int(sys.argv[2])
print("value: 9.9")
print("memory =", 12 * size)
print("value:", 0.05 + 0.4 / (1 + size))
print("done")
"""


def test_a_program_prints_a_line_per_outcome_and_best_shows_the_best_that_meets_the_limit(casmopolitan):
    casmopolitan.write("study.toml", LIMITED).write("train.py", PRINTS)
    done = casmopolitan.light("run")
    rows = casmopolitan.rows()
    best = min((row for row in rows if row["feasible"]), key=lambda row: row["value"])
    assert min(row["value"] for row in rows) < best["value"]
    assert f"(trial {best['number']}): value" in done.stdout
    assert casmopolitan.light_data("best")["number"] == best["number"]
    assert casmopolitan.light_data("status")["best"]["number"] == best["number"]
    shown = casmopolitan.light("best").stdout
    assert f"memory  {best['outcomes']['memory']}\n" in shown
