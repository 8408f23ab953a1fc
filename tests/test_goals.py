from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import casmopolitan as cas
from casmopolitan.core.outcomes import Limit, Outcomes
from casmopolitan.errors import DataError
from casmopolitan.goals import Goals, goal_problems, parsed_limit

GOALS = Goals.of(objectives={"speed": "maximize", "error": "minimize"}, limits={"memory": "<= 512", "accuracy": ">= 0.5"})
GOOD = {"speed": 3.0, "error": 0.1, "memory": 400.0, "accuracy": 0.9}


def test_a_single_number_needs_no_names():
    goals = Goals.of("maximize")
    assert not goals.named
    assert goals.outcomes.plain
    assert goals.read(3) == 3.0
    assert goals.to_core(3.0) == -3.0
    assert goals.from_core(-3.0) == 3.0
    assert goals.to_dict() == {}


def test_the_core_sorts_outcomes_by_name_and_minimises():
    assert GOALS.names == ("error", "speed", "accuracy", "memory")
    assert GOALS.outcomes == Outcomes(2, 2, (Limit(2, -1.0, -0.5), Limit(3, 1.0, 512.0)))
    assert GOALS.to_core(GOALS.read(GOOD)) == (0.1, -3.0, 0.9, 400.0)


def test_the_order_in_which_goals_are_given_does_not_matter_to_the_core():
    other = Goals.of(objectives={"error": "minimize", "speed": "maximize"}, limits={"accuracy": ">= 0.5", "memory": "<= 512"})
    assert other.outcomes == GOALS.outcomes
    assert other.to_core(other.read(GOOD)) == GOALS.to_core(GOALS.read(GOOD))


def test_outcomes_survive_the_core_to_the_last_bit_in_the_users_order():
    told = {"accuracy": 0.1 + 0.2, "memory": None, "error": 1 / 3, "speed": -0.7}
    back = GOALS.from_core(GOALS.to_core(GOALS.read(told)))
    assert back == told
    assert list(back) == ["speed", "error", "memory", "accuracy"]


def test_a_limit_may_be_on_an_objective():
    goals = Goals.of(objectives={"yield": "maximize"}, limits={"yield": ">= 50"})
    assert goals.names == ("yield",)
    assert goals.outcomes == Outcomes(1, 0, (Limit(0, 1.0, -50.0),))
    assert goals.feasible(goals.to_core(goals.read({"yield": 50.0}))) is True
    assert goals.feasible(goals.to_core(goals.read({"yield": 49.9}))) is False


def test_without_objectives_the_objective_is_called_value():
    goals = Goals.of("maximize", limits={"memory": "<= 512"})
    assert goals.to_core(goals.read({"value": 2.0, "memory": 500})) == (-2.0, 500.0)


def test_one_named_objective_may_be_told_as_a_number_or_by_name():
    goals = Goals.of(objectives={"error": "minimize"})
    assert goals.read({"error": 2}) == goals.read(2.0) == 2.0


@pytest.mark.parametrize(
    ("accuracy", "memory", "feasible"), [(0.5, 512.0, True), (0.4, None, False), (None, 1.0, None), (0.5, 513.0, False)]
)
def test_feasible_is_unknown_if_a_limit_is_unknown_and_no_other_is_violated(accuracy, memory, feasible):
    told = {"speed": 1.0, "error": 1.0, "memory": memory, "accuracy": accuracy}
    assert GOALS.feasible(GOALS.to_core(GOALS.read(told))) is feasible


@pytest.mark.parametrize("told", [cas.FAILED, math.nan, -math.inf, dict.fromkeys(GOOD)])
def test_a_failure_is_failed_or_not_a_number_or_nothing_known(told):
    assert GOALS.read(told) is None


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (1.0, r"the result must be a dict of outcomes, \{'speed': \.\.\., 'error': \.\.\., .*got 1\.0"),
        (None, "got None"),
        ({k: v for k, v in GOOD.items() if k != "memory"}, "outcome 'memory' is missing; one that was not measured is None"),
        (GOOD | {"memry": 1.0}, "outcome 'memry' is neither an objective nor has a limit. Did you mean 'memory'"),
        (GOOD | {"error": math.nan}, "outcome 'error' is nan; an outcome that was not measured is None"),
        (GOOD | {"error": math.inf}, "outcome 'error' is inf"),
        (GOOD | {"error": "low"}, "outcome 'error' is 'low'; it must be a number"),
        (GOOD | {"error": 10**400}, "outcome 'error' is .* it must be a number that a float can hold"),
        (GOOD | {"error": cas.FAILED}, "outcome 'error' is FAILED; an outcome that was not measured is None"),
    ],
)
def test_wrong_outcomes_are_named(told, said):
    with pytest.raises(DataError, match=said):
        GOALS.read(told)


def test_all_wrong_outcomes_are_named_at_once():
    with pytest.raises(DataError, match=r"(?s)'speed' is missing.*'error' is nan.*'x' is neither"):
        GOALS.read({"error": math.nan, "memory": 1, "accuracy": 1, "x": 1})


def test_numbers_of_any_kind_are_read():
    told = GOALS.read(GOOD | {"speed": np.float32(2.0), "memory": np.array(7)})
    assert (told["speed"], told["memory"]) == (2.0, 7.0)


@pytest.mark.parametrize(
    ("text", "parsed"), [("<= 512", ("<=", 512.0)), (">=-1.5e3", (">=", -1500.0)), (" <= .5 ", ("<=", 0.5))]
)
def test_a_limit_is_a_relation_and_a_number(text, parsed):
    assert parsed_limit(text) == parsed


@pytest.mark.parametrize("text", ["512", "< 512", "<= ", "<= a", "== 3", "<= 1e999", "<= 5 MB", 512, None])
def test_a_malformed_limit_is_named(text):
    assert goal_problems("minimize", None, {"memory": text}, None)[0].startswith("limit 'memory' is ")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"objectives": {}}, "objectives is {}; give a dict"),
        ({"objectives": ["error"]}, "give a dict of names and directions"),
        ({"objectives": {"error": "minimise"}}, "objective 'error' is 'minimise'.* Did you mean 'minimize'"),
        ({"objectives": {3: "minimize"}}, "objective 3: its name must be a non-empty string"),
        ({"direction": "maximize", "objectives": {"a": "minimize"}}, "either direction or objectives"),
        ({"limits": ["memory"]}, "limits is .*; give a dict"),
        ({"limits": {"": "<= 1"}}, "limit '': its name must be"),
        ({"objectives": {"a": "minimize"}, "reference": {"b": 1.0}}, "one number per objective: 'a'"),
        ({"objectives": {"a": "minimize"}, "reference": {"a": math.nan}}, r"reference\['a'\] is nan"),
        ({"direction": "up"}, "direction is 'up'"),
    ],
)
def test_wrong_goals_are_named(given, said):
    with pytest.raises(DataError, match=said):
        Goals.of(**given)


def test_a_reference_point_is_told_by_name_in_the_users_sign():
    goals = Goals.of(objectives={"speed": "maximize", "error": "minimize"}, reference={"speed": 1, "error": 2})
    assert goals.outcomes.reference == (2.0, -1.0)


def test_goals_can_be_sent_to_another_process():
    assert pickle.loads(pickle.dumps(GOALS)) == GOALS
