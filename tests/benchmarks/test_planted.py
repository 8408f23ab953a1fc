import numpy as np
import pytest

from benchmarks import planted
from benchmarks.suites import problem_named, suite


def test_only_the_active_variables_matter():
    problem = problem_named("planted:sparse-30-3-4#5")
    active = {f"v{j}" for j in problem.function.parts[0]}
    start = problem.space.sample(1, np.random.default_rng(0))[0]
    for name in problem.space:
        moved = {problem({**start, name: level}) for level in range(3)}
        assert (len(moved) > 1) == (name in active)


def test_an_additive_function_is_a_sum_over_variables():
    problem = problem_named("planted:additive-6-3-6#1")
    a, b = problem.space.sample(2, np.random.default_rng(1))
    total = problem(a) + sum(problem({**a, name: b[name]}) - problem(a) for name in a)
    assert total == pytest.approx(problem(b))


def test_an_instance_is_one_function_and_another_instance_another():
    point = problem_named("planted:rugged-10-2-10#0").space.sample(1, np.random.default_rng(2))[0]
    first, again, other = (problem_named(f"planted:rugged-10-2-10#{i}")(point) for i in (0, 0, 1))
    assert first == again != other


def test_the_numbers_best_values_depend_on_a_choice():
    problem = problem_named("planted:sparse-10-3-4+2#0")
    which, _, _, centre = problem.function.parts
    start = problem.space.sample(1, np.random.default_rng(3))[0]
    for level in range(3):
        best = {f"v{which[0]}": level, "x0": float(centre[level, 0]), "x1": float(centre[level, 1])}
        assert problem({**start, **best}) < problem({**start, **best, "x0": 0.0})


def test_noise_is_a_share_of_the_functions_deviation():
    problem = problem_named("planted:pairwise-8-2-8~0.5#0")
    sample = problem.space.sample(300, np.random.default_rng(4))
    spread = np.std([problem.function(configuration) for configuration in sample])
    assert 0.35 < problem.noise / spread < 0.7
    assert problem(sample[0]) != problem(sample[0])


def test_judging_uses_other_instances_than_tuning():
    assert all(int(name.rpartition("#")[2]) < 100 for name in suite("planted"))
    assert all(int(name.rpartition("#")[2]) >= 100 for name in suite("planted-judge"))
    assert not set(suite("planted")) & set(suite("planted-judge"))


def test_an_unknown_kind_is_refused():
    with pytest.raises(SystemExit, match="does not name a planted function"):
        planted.planted("smooth-10-2-10#0")
