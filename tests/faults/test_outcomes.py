"""Several outcomes on real databases: a run killed while it records a result, and two runs at once, lose and mix up nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from casmopolitan.cli.app import app
from casmopolitan.study.file.load import load
from casmopolitan.study.trials.open import open_spec

FILE = """
name = "{name}"
budget = 8
seed = 3
storage = "${{DATABASE}}"
[settings]
n_initial = 4
[objectives]
error = "minimize"
speed = "maximize"
[limits]
memory = "<= 50"
[variables.a]
type = "integer"
low = 1
high = 40
[objective]
function = "work:work"
"""
WORK = """
def work(c):
    a = c["a"]
    return {"error": abs(a - 20.0), "speed": None if a % 7 == 0 else a / 3, "memory": None if a % 5 == 0 else 2.0 * a}
"""
DIES = """
import os, signal, sys
import optuna
from casmopolitan.cli import main
tell, told = optuna.Study.tell, []
def die(*args, **kwargs):
    told.append(args)
    if len(told) == 3:
        os.kill(os.getpid(), signal.SIGKILL)  # the attributes of the result are written, its state is not
    return tell(*args, **kwargs)
optuna.Study.tell = die
sys.argv = ["casmopolitan", "run", "study.toml", "--no-report"]
main()
"""


@pytest.fixture
def folder(url, name, tmp_path, monkeypatch):
    monkeypatch.setenv("DATABASE", url)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(FILE.format(name=name))
    (tmp_path / "work.py").write_text(WORK)
    (tmp_path / "dies.py").write_text(DIES)
    return tmp_path


def start(folder, *words):
    return subprocess.Popen(
        [sys.executable, *words], cwd=folder, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def rows_of(folder):
    opened = open_spec(load(folder / "study.toml"))
    rows = opened.rows()
    opened.study._storage._backend.engine.dispose()
    return rows


def measured(a):
    return {"error": abs(a - 20.0), "speed": None if a % 7 == 0 else a / 3, "memory": None if a % 5 == 0 else 2.0 * a}


def assert_whole(rows, count):
    """Every complete trial has the outcomes of its configuration, and no configuration is there twice."""
    done = [row for row in rows if row.state == "complete"]
    assert len(done) == count
    assert all(row.outcomes == measured(row.configuration["a"]) for row in done)
    assert len({row.configuration["a"] for row in done}) == count


def test_a_run_killed_between_the_outcomes_and_the_state_of_a_trial_is_resumed(folder):
    killed = start(folder, "dies.py")
    killed.communicate(timeout=120)
    assert killed.returncode == -9
    rows = rows_of(folder)
    assert_whole(rows, 2)
    assert [row.state for row in rows] == ["complete", "complete", "running"]
    resumed = CliRunner().invoke(app, ["run", "--no-report", "--json"])
    assert resumed.exit_code == 0, resumed.output
    assert "released trial 2" in resumed.stderr
    found = json.loads(resumed.stdout)
    assert (found["complete"], found["counted"], found["cancelled"]) == (8, 8, 1)
    rows = rows_of(folder)
    assert_whole(rows, 8)
    assert rows[2].state == "cancelled"
    assert [row["number"] for row in found["front"]]


@pytest.mark.parametrize("url", ["postgresql", pytest.param("sqlite", marks=pytest.mark.slow_faults)], indirect=True)
def test_two_runs_share_a_study_with_several_outcomes(folder):
    runs = [start(folder, "-m", "casmopolitan", "run", "--no-report", "--budget", "10") for _ in range(2)]
    for one in runs:
        _, said = one.communicate(timeout=120)
        assert one.returncode == 0, said
    assert_whole(rows_of(folder), 10)
