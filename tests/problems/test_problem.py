import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from casmopolitan import problems
from casmopolitan.errors import SpaceError, UnknownProblemError
from casmopolitan.problems import Optimum, Problem
from casmopolitan.space import Categorical, Space


def toy(**fields) -> Problem:
    space = Space({"a": Categorical([0, 1, 2])})
    return Problem("toy", space, lambda configuration: float(configuration["a"]), "here", **fields)


def test_a_problem_without_noise_repeats_its_values():
    assert [toy()({"a": 2}) for _ in range(3)] == [2.0] * 3


def test_noise_is_the_same_series_for_the_same_seed_and_another_for_another():
    def series(problem):
        return [problem({"a": 1}) for _ in range(5)]

    noisy = toy(noise=0.5)
    first = series(noisy)
    assert series(noisy) != first
    assert series(toy(noise=0.5)) == first
    assert series(noisy.seeded(0)) == first
    assert series(noisy.seeded(1)) != first
    assert series(noisy.seeded(1)) == series(noisy.seeded(1))
    assert noisy.function({"a": 1}) == 1.0


def test_a_configuration_that_is_not_of_the_space_is_refused_with_its_culprit():
    with pytest.raises(SpaceError, match="'a' got 7"):
        toy()({"a": 7})
    with pytest.raises(SpaceError, match="'b' is not a variable"):
        toy()({"a": 1, "b": 0})
    with pytest.raises(SpaceError, match="'a' has no value"):
        toy()({})


def test_solved_means_the_goal_or_else_the_optimum():
    optimum = Optimum(0.0, {"a": 0}, exact=True)
    assert toy(optimum=optimum).solved(0.0)
    assert toy(optimum=optimum).solved(1e-12)
    assert not toy(optimum=optimum).solved(1e-6)
    assert toy(optimum=optimum, goal=1.0).solved(1.0)
    assert not toy(optimum=optimum, goal=1.0).solved(1.0 + 1e-12)
    assert toy(optimum=optimum, direction="maximize").solved(3.0)
    assert not toy().solved(-1e9)


def test_a_problem_cannot_be_changed_but_replaced():
    problem = toy()
    with pytest.raises(FrozenInstanceError):
        problem.noise = 1.0
    assert replace(problem, noise=1.0).noise == 1.0


@pytest.mark.parametrize("name", problems.names())
def test_a_problem_survives_the_journey_to_another_process(name):
    problem = problems.get(name)
    copy = pickle.loads(pickle.dumps(problem))
    assert copy.name == problem.name
    assert copy.space == problem.space


def test_a_problem_shows_itself_in_a_line():
    assert repr(problems.get("pest-25")).startswith("Problem('pest-25', 25 variables, minimize")
    assert "\n" not in repr(problems.get("ackley-53"))


def test_a_name_that_is_no_text_is_refused():
    with pytest.raises(UnknownProblemError, match="got None"):
        problems.get(None)
