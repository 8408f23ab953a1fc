"""Conditional variables in study files: loaded, run, asked for, told from CSV files with empty cells, exported and imported."""

import csv
import json

import pytest
from typer.testing import CliRunner

from casmopolitan.cli.app import app
from casmopolitan.study.file.load import SpecError, load
from casmopolitan.study.file.schema import schema

STUDY = """
name = "branches"
budget = 9
seed = 0
settings = { n_initial = 4, fit_steps = 5 }

[variables]
model = { type = "categorical", choices = ["svm", "forest"] }
C = { type = "real", low = 0.001, high = 1000.0, log = true, when = { model = "svm" } }
kernel = { type = "categorical", choices = ["rbf", "poly"], when = { model = "svm" } }
degree = { type = "integer", low = 2, high = 5, when = { kernel = ["poly"] } }
trees = { type = "integer", low = 10, high = 500, when = { model = "forest" } }
"""
PROGRAM = """
[objective]
command = [
    "python", "-c", "import sys; print(len(sys.argv))", "{model}", "--C={C}", "--kernel={kernel}", "--degree={degree}",
    "--trees={trees}",
]
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, f"{words}\n{done.output}\n{done.exception!r}"
    return done.output


def test_a_study_file_has_conditions_and_says_what_is_wrong_with_them(here):
    (here / "study.toml").write_text(STUDY)
    space = load("study.toml").space
    assert str(space["degree"].when) == "'kernel' is 'poly'"
    (here / "wrong.toml").write_text(STUDY.replace('when = { kernel = ["poly"] }', 'when = { kernel = "cubic" }'))
    with pytest.raises(SpecError) as raised:
        load("wrong.toml")
    assert "variables: Integer 'degree' has when={kernel = 'cubic'}: Categorical 'kernel' got 'cubic'" in str(raised.value)
    kinds = schema()["properties"]["variables"]["additionalProperties"]["oneOf"]
    assert all("when" in kind["properties"] for kind in kinds)


def test_a_program_gets_the_arguments_of_the_variables_that_exist(here):
    (here / "study.toml").write_text(STUDY + PROGRAM)
    command("run", "study.toml")
    command("export", "study.toml", "--output", "all.json")
    trials = json.loads((here / "all.json").read_text())["trials"]
    assert len(trials) == 9
    for trial in trials:
        found = trial["configuration"]
        assert trial["value"] == 1 + len(found)  # the name of the program, and one argument per variable
        assert ("trees" in found) == (found["model"] == "forest")
        assert ("degree" in found) == (found.get("kernel") == "poly")


def test_a_plan_has_empty_cells_and_is_told_exported_and_imported(here):
    (here / "study.toml").write_text(STUDY)
    command("ask", "study.toml", "-n", 4, "--csv", "plan.csv")
    rows = list(csv.DictReader((here / "plan.csv").read_text().splitlines()))
    assert all((row["trees"] == "") == (row["model"] == "svm") for row in rows)
    for k, row in enumerate(rows):
        row["value"] = k
    with (here / "plan.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
        file.write(",forest,,,,33,7.5\n")
    command("tell", "study.toml", "plan.csv")
    command("export", "study.toml", "--output", "all.csv")
    assert "forest,,,,33,7.5" in (here / "all.csv").read_text()
    (here / "other.toml").write_text(STUDY.replace('"branches"', '"other"'))
    command("ask", "other.toml")
    assert "5" in command("import", "other.toml", "all.csv")
    (here / "wrong.csv").write_text("model,C,kernel,degree,trees,value\nsvm,1.0,,,,3\nforest,1.0,,,20,3\n")
    wrong = CliRunner().invoke(app, ["tell", "study.toml", "wrong.csv"])
    assert wrong.exit_code != 0
    assert (
        "column 'kernel': is empty; a line without a trial number needs every variable that exists there"
        in wrong.output.replace("\n", " ")
    )
