"""init and problems."""

from __future__ import annotations

import json


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
