"""The real command, as a subprocess, in a folder of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from casmopolitan.cli.app import app
from casmopolitan.study.file.load import load
from casmopolitan.study.trials.open import open_recorded

LAB = """
name = "lab"
direction = "maximize"
budget = 30
seed = 1
[settings]
n_initial = 4
[variables.solvent]
type = "categorical"
choices = ["water", "ethanol", "=2+3"]
[variables.temperature]
type = "real"
low = 20
high = 120
"""

QUICK = """
name = "quick"
budget = 6
seed = 1
[settings]
n_initial = 4
[variables.a]
type = "categorical"
choices = ["p", "q", "r"]
[variables.b]
type = "integer"
low = 1
high = 9
[objective]
command = ["python", "-S", "-c", "import sys; print(len(sys.argv[1]) + (int(sys.argv[2]) - 4) ** 2)", "{a}", "{b}"]
"""


@dataclass
class Command:
    """`casmopolitan` in one folder."""

    folder: Path

    @property
    def environment(self):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("COV_", "COVERAGE", "PYTEST"))}
        return {**clean, "OPENBLAS_NUM_THREADS": "1", "COLUMNS": "100", "PYTHONWARNINGS": "default"}

    def __call__(self, *arguments, code=0, stdin=None):
        done = subprocess.run(
            [sys.executable, "-m", "casmopolitan", *map(str, arguments)],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            timeout=240,
            check=False,
        )
        assert done.returncode == code, f"exit code {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}"
        assert "Traceback (most recent call last)" not in done.stderr
        assert "Warning" not in done.stderr, done.stderr
        return done

    def light(self, *arguments, code=0):
        """The same command without a process of its own, where another test has started one."""
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            done = CliRunner().invoke(app, [str(argument) for argument in arguments])
        finally:
            os.chdir(before)
        assert done.exit_code == code, f"exit code {done.exit_code}, not {code}\n{done.output}\n{done.exception!r}"
        return done

    def data(self, *arguments, code=0):
        return json.loads(self(*arguments, "--json", code=code).stdout)

    def light_data(self, *arguments, code=0):
        return json.loads(self.light(*arguments, "--json", code=code).stdout)

    def rows(self, name="study.toml"):
        """Every trial, read without a process of its own."""
        study, _ = open_recorded(load(self.folder / name))
        found = [{**row.to_dict(), "tail": row.tail} for row in study.rows()]
        study.study._storage.remove_session()
        study.study._storage._backend.engine.dispose()
        return found

    def states(self, name="study.toml"):
        """How many trials are in each state."""
        return Counter(row["state"] for row in self.rows(name))

    def started(self, *arguments):
        return subprocess.Popen(
            [sys.executable, "-m", "casmopolitan", *map(str, arguments)],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def write(self, name, text):
        (self.folder / name).write_text(text, "utf-8")
        return self


@pytest.fixture
def casmopolitan(tmp_path):
    return Command(tmp_path)


@pytest.fixture
def lab(casmopolitan):
    return casmopolitan.write("study.toml", LAB)


@pytest.fixture
def quick(casmopolitan):
    return casmopolitan.write("study.toml", QUICK)


@pytest.fixture
def eventually():
    """Wait until something holds."""

    def wait(condition, seconds=60.0):
        until = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < until, "it never happened"
            time.sleep(0.05)

    return wait


@pytest.fixture
def ended():
    """Kill the processes of a test that are still there, whatever became of it."""
    processes = []
    yield processes
    for process in processes:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
