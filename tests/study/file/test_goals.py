"""The objectives and limits of study files."""

from __future__ import annotations

import pytest

from casmopolitan.goals import Goals
from casmopolitan.study.file.load import SpecError, load

GOOD = """
name = "n"
budget = 5
[variables.a]
type = "categorical"
choices = ["x", "y"]
[variables.b]
type = "real"
low = 1
high = 2
"""

GOALS = """
[objectives]
error = "minimize"
speed = "maximize"
[limits]
memory = "<= 512"
"""


def written(tmp_path, text):
    path = tmp_path / "study.toml"
    path.write_text(text, "utf-8")
    return path


def problems(tmp_path, text):
    with pytest.raises(SpecError) as caught:
        load(written(tmp_path, text))
    return caught.value.problems


def test_objectives_and_limits_are_read(tmp_path):
    spec = load(written(tmp_path, GOOD + GOALS))
    assert spec.goals.objectives == {"error": "minimize", "speed": "maximize"}
    assert spec.goals.limits == {"memory": "<= 512"}
    assert load(written(tmp_path, GOOD)).goals == Goals.of("minimize")


def test_everything_wrong_with_objectives_and_limits_is_listed_at_once(tmp_path):
    text = (
        'direction = "maximize"\n'
        + GOOD
        + GOALS.replace('"minimize"', '"minimise"').replace("<= 512", "512")
        + 'trial = "<= 2"\n"a=b" = ">= 1"\n'
    )
    said = problems(tmp_path, text)
    assert "objectives: objective 'error' is 'minimise'; it must be 'minimize' or 'maximize'. Did you mean 'minimize'?" in said
    assert "limits: limit 'memory' is '512'; write '<=' or '>=' and a number, e.g. '<= 512'" in said
    assert "direction: each entry of [objectives] has its own direction; remove this one" in said
    assert "outcome 'trial': tables have a column with this name; rename it" in said
    assert "outcome 'a=b': a name must not contain '=' or ':', which separate it from its value" in said


def test_known_results_need_every_outcome(tmp_path):
    known = '[[known]]\nvalue = 1.0\nconfiguration = { a = "x", b = 1.5 }\n[[known]]\nconfiguration = { a = "y", b = 1.5 }\n'
    known += 'outcomes = { error = 1.0, speed = "unknown", memory = 3, size = 1 }\n'
    said = problems(tmp_path, GOOD + GOALS + known)
    assert any("known.0: the result must be a dict of outcomes" in one for one in said)
    assert (
        "known.1: outcome 'size' is neither an objective nor has a limit; the outcomes are 'error', 'speed', 'memory'" in said
    )
    good = known.replace("value = 1.0", "outcomes = { error = 1.0, speed = 2, memory = 3 }").replace(", size = 1", "")
    assert load(written(tmp_path, GOOD + GOALS + good)).known[1].outcomes["speed"] == "unknown"
