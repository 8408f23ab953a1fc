"""The examples run, with small budgets."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = {
    "10_first_steps.py": "10",
    "20_ask_tell.py": "3",
    "25_several_goals.py": "14",
    "27_conditional.py": "14",
    "30_paper.py": "23",
    "40_optuna.py": "24",
}
CLUSTERED = {"50_dask.py": ("distributed", "24"), "60_ray.py": ("ray", "8")}
SAYS = {
    "10_first_steps.py": "Errors in cross-validation: 41 with the defaults",
    "20_ask_tell.py": "after batch 3: best yield",
    "25_several_goals.py": "trials on the front",
    "27_conditional.py": "forest: ",
    "30_paper.py": "best known: 12.0316",
    "40_optuna.py": "after the second half: 24 trials",
    "50_dask.py": "24 evaluations on 2 processes, best",
    "60_ray.py": "8 samples, best",
}


def test_every_example_is_tested():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(SMALL) | set(CLUSTERED)


@pytest.mark.parametrize("name", SMALL)
def test_an_example_runs(name, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [name, SMALL[name]])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    assert SAYS[name] in capsys.readouterr().out


@pytest.mark.parametrize("name", CLUSTERED)
def test_an_example_on_a_cluster_runs(name):
    package, budget = CLUSTERED[name]
    pytest.importorskip(package)
    command = [sys.executable, str(EXAMPLES / name), budget]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=250, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})
    assert ran.returncode == 0, ran.stderr
    assert SAYS[name] in ran.stdout
