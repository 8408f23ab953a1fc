"""The spaces people have, on real databases: a run that is killed and resumed in a changed file loses and repeats nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import optuna
import pytest
from typer.testing import CliRunner

import casmopolitan as cas
from casmopolitan.cli.app import app
from casmopolitan.study import CasmopolitanSampler, explain, open_study
from casmopolitan.study.file.load import load
from casmopolitan.study.trials.open import open_spec

HEAD = """
name = "{name}"
budget = {budget}
seed = 3
storage = "${{DATABASE}}"
settings = {{ n_initial = 4, fit_steps = 5 }}
[objective]
function = "work:work"
[[past]]
name = "flask A"
file = "past.csv"
"""
DESCRIBED = """
[variables]
substrate = { type = "categorical", choices = ["A", "B"] }
solvent = { type = "categorical", choices = [CHOICES], descriptors = "solvents.csv" }
method = { type = "categorical", choices = ["heat", "light"] }
degrees = { type = "integer", low = 20, high = 120, when = { method = "heat" } }
colour = { type = "categorical", choices = ["blue", "green"], when = { method = "light" } }
"""
LISTED = """
[variables]
degrees = { type = "integer", low = 20, high = 120, when = { method = "heat" } }
colour = { type = "categorical", choices = ["blue", "green"], when = { method = "light" } }
"""
SOLVENTS = {"water": (1.0, 100), "ethanol": (0.65, 78), "toluene": (0.1, 111), "hexane": (0.01, 69)}
WORK = """
def work(c):
    return len(c["solvent"]) + (abs(c["degrees"] - 80) / 9 if c["method"] == "heat" else 3.0) + (c["substrate"] == "A")
"""
DIES = """
import os, signal, sys
import optuna
from casmopolitan.cli import main
tell, told = optuna.Study.tell, []
def die(*args, **kwargs):
    told.append(args)
    if len(told) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return tell(*args, **kwargs)
optuna.Study.tell = die
sys.argv = ["casmopolitan", "run", "study.toml", "--no-report"]
main()
"""
COLUMNS = ("substrate", "solvent", "method", "degrees", "colour")
PAST = [("A", "water", "heat", 60, "", 8.2), ("A", "ethanol", "light", "", "blue", 11), ("B", "water", "heat", 90, "", 6.1)]


def candidates(solvents):
    heat = [(s, solvent, "heat", t, "") for s in "AB" for solvent in solvents for t in (60, 80, 90)]
    return heat + [(s, solvent, "light", "", colour) for s in "AB" for solvent in solvents for colour in ("blue", "green")]


def csv_of(columns, rows):
    return "\n".join(",".join(map(str, row)) for row in [columns, *rows]) + "\n"


@pytest.fixture(params=["described", "listed"])
def write(request, name, tmp_path, monkeypatch):
    """A function that writes the study file with some solvents; one kind of space per database, to save time."""
    described = request.param == "described"
    monkeypatch.setenv("DATABASE", request.getfixturevalue("postgres").url if described else f"sqlite:///{tmp_path}/study.db")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "work.py").write_text(WORK)
    (tmp_path / "dies.py").write_text(DIES)
    (tmp_path / "past.csv").write_text(csv_of((*COLUMNS, "value"), PAST))
    (tmp_path / "solvents.csv").write_text(csv_of(("solvent", "polarity", "boils"), [(n, *d) for n, d in SOLVENTS.items()]))

    def written(solvents, budget):
        text = HEAD.format(name=name, budget=budget)
        if described:
            text += DESCRIBED.replace("CHOICES", ", ".join(map(json.dumps, solvents)))
        else:
            text = 'candidates = "rows.csv"\n' + text + LISTED
            (tmp_path / "rows.csv").write_text(csv_of(COLUMNS, candidates(solvents)))
        (tmp_path / "study.toml").write_text(text)

    return written


def command(*words):
    done = CliRunner().invoke(app, [*words])
    assert done.exit_code == 0, f"{done.output}\n{done.exception!r}"
    return done.stdout


def rows():
    opened = open_spec(load("study.toml"))
    found = {row.number: row for row in opened.rows()}
    opened.study._storage._backend.engine.dispose()
    return found


def test_a_run_killed_in_a_space_with_everything_in_it_is_resumed_after_a_change(write):
    write(["water", "ethanol"], budget=6)
    command("ask", "-n", "2", "--fixed", "substrate=B")
    killed = subprocess.run([sys.executable, "dies.py"], env=os.environ, capture_output=True, timeout=120, check=False)
    assert killed.returncode == -9, killed.stderr
    before = rows()
    assert [row.state for row in before.values()] == ["asked", "asked", "complete", "complete", "running"]
    assert [row.configuration["substrate"] for row in before.values()][:2] == ["B", "B"]
    write(["water", "toluene", "ethanol"], budget=9)
    found = json.loads(command("run", "--no-report", "--accept-changes", "--json"))
    assert (found["complete"], found["asked"], found["past"]["flask A"]["trials"]) == (7, 2, 3)
    after = rows()
    spec = load("study.toml")
    for number in (0, 1, 2, 3):
        assert (after[number].configuration, after[number].value) == (before[number].configuration, before[number].value)
    live = [row for row in after.values() if row.state != "cancelled"]
    assert all(spec.space.allows(row.configuration) for row in live)
    assert len({str(row.configuration) for row in live}) == len(live)
    assert any(row.configuration["solvent"] == "toluene" for row in live)
    told = command("tell", "--trial", "1", "--value", "5", "--json")
    assert json.loads(told)["told"] == [1]


def test_a_script_that_changes_goes_on_with_another_worker_on_postgresql(postgres, name):
    def script(*choices):
        def value(trial):
            kind = trial.suggest_categorical("kind", choices)
            low = 0 if len(choices) == 2 else 3
            extra = trial.suggest_float("x", 0, 1) if kind == "a" else 0.5
            return extra + trial.suggest_int("n", low, 9) + "abc".index(kind)

        return value

    quick = replace(cas.DEFAULT, n_initial=3, fit_steps=5)
    for choices, count in ((("a", "b"), 6), (("a", "b", "c"), 4), (("a", "b", "c"), 4)):
        study = open_study(name, postgres.url, sampler=CasmopolitanSampler(seed=0, config=quick), heartbeat=None)
        study.optimize(script(*choices), n_trials=count)
    done = study.get_trials(deepcopy=False)
    assert all(trial.state == optuna.trial.TrialState.COMPLETE for trial in done)
    assert len({str(sorted(trial.params.items())) for trial in done}) == 14
    assert "c" in {trial.params["kind"] for trial in done[6:]}
    assert {row["source"] for row in explain(study)[8:]} <= {"initial", "acquisition", "global"}
