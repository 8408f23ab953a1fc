"""The command on PostgreSQL: started twice, as on two machines, it shares the study; one of them killed, the other finishes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

from typer.testing import CliRunner

from casmopolitan.cli.app import app

FILE = """
name = "{name}"
budget = 8
seed = 3
storage = "${{DATABASE}}"
[settings]
n_initial = 4
[variables.a]
type = "integer"
low = 1
high = 40
[objective]
function = "work:work"
"""
WORK = """
import pathlib, time
def work(c):
    pathlib.Path(f"began-{c['a']}").touch()
    while not pathlib.Path("go").exists():
        time.sleep(0.02)
    return abs(c["a"] - 20)
"""


def test_two_runs_on_postgresql_share_a_study_and_one_survives_the_other(postgres, name, tmp_path, monkeypatch):
    (tmp_path / "study.toml").write_text(FILE.format(name=name))
    (tmp_path / "work.py").write_text(WORK)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    monkeypatch.setenv("DATABASE", postgres.url)
    monkeypatch.chdir(tmp_path)

    def start(*words):
        command = [sys.executable, "-m", "casmopolitan", *words]
        return subprocess.Popen(
            command, cwd=tmp_path, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    runs = [start("run", "study.toml", "--no-report") for _ in range(2)]
    until = time.monotonic() + 100
    while len(list(tmp_path.glob("began-*"))) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    os.kill(runs[0].pid, signal.SIGKILL)
    runs[0].communicate(timeout=60)
    (tmp_path / "go").touch()
    _, said = runs[1].communicate(timeout=120)
    assert runs[1].returncode == 0, said
    last = CliRunner().invoke(app, ["run", "study.toml", "--no-report", "--json"])
    assert last.exit_code == 0, last.output
    assert "released trial" in last.stderr
    found = json.loads(last.stdout)
    assert (found["complete"], found["counted"], found["running"]) == (8, 8, 0)
    assert "***" in found["storage"] or "@" in found["storage"]
