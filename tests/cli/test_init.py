"""init and problems."""

from __future__ import annotations

import json
import shlex


def test_init_writes_an_example_that_runs(casmopolitan):
    assert "next: casmopolitan run study.toml" in casmopolitan.light("init").stdout
    assert "exists" in casmopolitan.light("init", code=1).stderr
    assert json.loads((casmopolitan.folder / "study.schema.json").read_text())["title"] == "casmopolitan study"
    data = casmopolitan.light_data("run", "--budget", 3)
    assert data["best"]["value"] > 0
    assert json.loads(casmopolitan.light("init", "--schema").stdout)["required"] == ["name", "budget"]


def test_problems_are_listed_and_shown(casmopolitan):
    assert "pest-25" in casmopolitan.light("problems").stdout.split()
    assert casmopolitan.light_data("problems", "pest-25")["variables"] == {"categorical": 25}
    assert "Did you mean" in casmopolitan.light("problems", "pst-25", code=1).stderr


def test_init_for_a_laboratory_writes_a_study_and_past_results_and_says_how_to_go_on(casmopolitan):
    said = casmopolitan.light("init", "--lab").stdout
    assert not (casmopolitan.folder / "cake.py").exists()
    steps = [shlex.split(line)[1:] for line in said.splitlines() if line.startswith("  casmopolitan ")]
    assert [step[0] for step in steps] == ["import", "ask", "tell", "report"]
    assert casmopolitan.light_data("import", "past.csv") == {"added": 3, "known": 0, "left_out": 0}
    casmopolitan.light("ask", "-n", 8, "-o", "plan.csv")
    rows = casmopolitan.rows()
    assert [row.get("comment") for row in rows[:3]] == [None, "stirred overnight", "precipitated"]
    assert not any(row["configuration"]["solvent"] == "water" and row["configuration"]["dry"] for row in rows)
    said = casmopolitan.light("init", "--lab", "other study.toml").stdout
    assert "casmopolitan ask 'other study.toml' -n 8" in said
    assert "wrote past.csv" not in said
