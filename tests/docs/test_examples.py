"""The examples run, with small budgets."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = {"10_first_steps.py": "23", "20_ask_tell.py": "3", "30_paper.py": "23"}
SAYS = {
    "10_first_steps.py": "Errors in cross-validation: 41 with the defaults",
    "20_ask_tell.py": "after batch 3: best yield",
    "30_paper.py": "best known: 12.0316",
}


def test_every_example_is_tested():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(SMALL)


@pytest.mark.parametrize("name", SMALL)
def test_an_example_runs(name, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [name, SMALL[name]])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    assert SAYS[name] in capsys.readouterr().out
