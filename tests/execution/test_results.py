"""Outcomes in the output of a program: JSON, lines, dicts, and everything that can be wrong with them."""

from __future__ import annotations

import json

import pytest

from casmopolitan.execution.program import Program
from casmopolitan.execution.results import NoValueError, outcomes_in, returned_value
from casmopolitan.goals import ONE_OBJECTIVE, Goals
from casmopolitan.study.file.schema import ObjectiveSpec

GOALS = Goals.of(objectives={"error": "minimize", "speed": "maximize"}, limits={"memory": "<= 5"})
NAMED = Goals.of(objectives={"error": "minimize"})
WHOLE = {"error": 0.5, "speed": 2.0, "memory": 1.0}


def printed(text, goals=GOALS):
    return outcomes_in(text.strip().splitlines()[-1], text, goals)


def test_json_and_lines_give_the_same_outcomes():
    assert printed(json.dumps(WHOLE)) == WHOLE
    assert printed("error: 9\nloading\nspeed = 2\n memory :1e0\nerror: 0.5\nbye") == WHOLE


def test_an_outcome_that_was_not_measured_is_unknown():
    assert printed('{"error": 0.5, "speed": 2, "memory": null}') == WHOLE | {"memory": None}
    assert printed("error: 0.5\nspeed: 2\nmemory: unknown") == WHOLE | {"memory": None}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"error": 0.5, "speed": 2}', "outcome 'memory' is missing; one that was not measured is None"),
        ('{"error": 0.5, "speed": 2, "memory": 1, "sped": 2}', "outcome 'sped' is neither an objective nor has a limit"),
        ('{"error": NaN, "speed": 2, "memory": 1}', "outcome 'error' is nan"),
        ('{"error": "low", "speed": Infinity, "memory": 1}', "outcome 'error' is 'low'; it must be a number .*'speed' is inf"),
        ("error: 0.5\nspeed: 2", "it printed no line for 'memory'"),
        ("error: 0.5\nspeed: 2\nmemroy: 3", "no line for 'memory'.* Did you mean 'memory'?"),
        ("error: nan\nspeed: 2\nmemory: 1", "outcome 'error' is nan"),
        ("error: 0.5\nspeed: 2\nmemory: 1_000", "outcome 'memory' is '1_000'"),
        ('{"error": null, "speed": null, "memory": null}', "none of its outcomes is known"),
        ("0.5", "it printed no line for 'error', 'speed', 'memory'"),
    ],
)
def test_what_is_wrong_is_named(text, problem):
    with pytest.raises(NoValueError, match=problem):
        printed(text)


def test_one_named_objective_may_be_a_number_a_line_or_json():
    assert printed("0.5", NAMED) == printed("error: 0.5", NAMED) == printed('{"error": 0.5}', NAMED) == 0.5


def test_a_function_returns_a_dict_or_a_number():
    assert returned_value(json.dumps({"outcomes": WHOLE}), GOALS) == WHOLE
    assert returned_value('{"value": 0.5, "said": "0.5"}', NAMED) == 0.5
    with pytest.raises(NoValueError, match=r"the result must be a dict of outcomes, .*; got 0\.5"):
        returned_value('{"value": 0.5, "said": "0.5"}', GOALS)
    with pytest.raises(NoValueError, match="its value is FAILED"):
        returned_value('{"value": null, "said": "FAILED"}', GOALS)
    with pytest.raises(NoValueError, match="it returned a dict, but the study has one objective without a name"):
        returned_value(json.dumps({"outcomes": WHOLE}), ONE_OBJECTIVE)


@pytest.mark.parametrize(
    ("body", "value", "error"),
    [
        ("{'error': 0.5, 'speed': 2, 'memory': None}", WHOLE | {"memory": None}, None),
        ("{'error': float('nan'), 'speed': 2, 'memory': 1}", None, "outcome 'error' is nan"),
        ("{'error': 0.5, 'memory': 1}", None, "outcome 'speed' is missing"),
    ],
)
def test_the_dict_of_a_function_arrives(tmp_path, body, value, error):
    (tmp_path / "mine.py").write_text(f"def score(configuration):\n    return {body}\n")
    done = Program(ObjectiveSpec(function="mine:score"), tmp_path, GOALS).evaluate({}, 0)
    assert done.value == value
    assert error is None or error in done.error


def test_a_result_file_holds_json_or_lines(tmp_path):
    write = "import sys; open(sys.argv[1], 'w').write(sys.argv[2])"
    for text in (json.dumps(WHOLE).replace("{", "{{").replace("}", "}}"), "error: 0.5\nspeed: 2\nmemory: 1"):
        spec = ObjectiveSpec(command=["python", "-S", "-c", write, "{result_file}", text], value="file")
        assert Program(spec, tmp_path, GOALS).evaluate({}, 0).value == WHOLE
