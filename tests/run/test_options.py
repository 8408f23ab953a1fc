"""The arguments of a run are checked all at once, before anything runs."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

import casmopolitan as cas

SPACE = cas.Space({"a": cas.Categorical([0, 1, 2])})


def value(configuration):
    return configuration["a"]


@pytest.mark.parametrize(
    ("arguments", "culprit"),
    [
        ({"budget": 0}, "budget is 0"),
        ({"budget": True}, "budget is True"),
        ({"budget": 2.5}, "budget is 2.5"),
        ({"patience": 0}, "patience is 0"),
        ({"stop_at": float("nan")}, "stop_at is nan"),
        ({"stop_at": "low"}, "stop_at is 'low'"),
        ({"timeout": -1}, "timeout is -1"),
        ({"stop_at": 10**400}, "stop_at is 1000.* it must be a number that a float can hold"),
        ({"timeout": 10**400}, "timeout is 1000.* it must be a number of seconds above 0 that a float can hold"),
        ({"executor": ThreadPoolExecutor}, r"executor is the class .*ThreadPoolExecutor'>; give an object of it"),
        ({"progress": 1}, "progress is 1"),
        ({"callbacks": value}, "callbacks is"),
        ({"callbacks": [3]}, r"callbacks is \[3\]"),
        ({"executor": 4}, "executor is 4"),
        ({"parallel": 0}, "parallel is 0"),
        ({"parallel": 4}, r"parallel is 4 without an executor; give one, e.g. ThreadPoolExecutor\(4\)"),
        ({"catch": [ValueError]}, r"catch is \[<class 'ValueError'>\]"),
        ({"catch": (KeyboardInterrupt,)}, "catch is"),
        ({"config": "paper"}, "config is 'paper'"),
        ({"space": {"a": [1, 2]}}, "give a Space"),
        ({"objective": 3}, "the objective is 3"),
        ({"optimizer": 3}, "optimizer is 3"),
    ],
)
def test_a_wrong_argument_is_named_with_its_law(arguments, culprit):
    with pytest.raises(cas.ConfigError, match=culprit):
        cas.minimize(**{"objective": value, "space": SPACE, "budget": 3, **arguments})


def test_everything_wrong_is_said_at_once():
    with pytest.raises(cas.ConfigError) as caught:
        cas.minimize(3, SPACE, 0, timeout=-1, seed=-4, initial=[{"a": 9}])
    assert len(caught.value.problems) == 4


def test_what_only_the_optimiser_dislikes_keeps_its_own_error():
    with pytest.raises(cas.SpaceError, match="'a'"):
        cas.minimize(value, SPACE, 3, initial=[{"a": 9}])
    with pytest.raises(cas.DataError, match="seed"):
        cas.minimize(value, SPACE, 3, seed=-1)


def test_an_objective_that_cannot_travel_is_refused_before_the_run():
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(cas.ConfigError, match="top level of a module"),
    ):
        cas.minimize(lambda c: 1.0, SPACE, 3, executor=pool)


def test_a_thread_pool_takes_any_objective():
    with ThreadPoolExecutor(1) as pool:
        assert cas.minimize(lambda c: float(c["a"]), SPACE, 2, seed=0, executor=pool).evaluations == 2


@pytest.mark.parametrize(
    ("arguments", "culprit"),
    [
        ({"space": cas.Space({"b": cas.Categorical([0, 1])})}, "space differs"),
        ({"seed": 9}, "seed is 9, but the optimizer has 1"),
        ({"config": cas.PAPER}, "config differs"),
        ({"noisy": True}, "noisy is True"),
        ({"initial": [{"a": 1}]}, "initial configurations belong to a new run"),
    ],
)
def test_a_resumed_run_keeps_to_its_optimiser(arguments, culprit):
    optimizer = cas.Optimizer(SPACE, seed=1)
    with pytest.raises(cas.ConfigError, match=culprit):
        cas.minimize(**{"objective": value, "space": SPACE, "budget": 3, "optimizer": optimizer, **arguments})


def test_a_resumed_run_keeps_its_direction():
    with pytest.raises(cas.ConfigError, match="created to minimize"):
        cas.maximize(value, SPACE, 3, optimizer=cas.Optimizer(SPACE, seed=1))
