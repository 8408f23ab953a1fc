import itertools

import numpy as np
import pytest

from casmopolitan import problems
from casmopolitan.problems import Optimum, Problem, relocated
from casmopolitan.space import Categorical, Forbid, Integer, Ordinal, Real, Space

KNOWN = [n for n in problems.names() if problems.get(n).optimum and "noisy" not in n and not n.startswith("rna")]


def summed(configuration):
    return float(sum(value for value in configuration.values() if isinstance(value, int | float)))


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_relocated_problem_keeps_its_optimum_inside_its_space(name, seed):
    problem = problems.get(f"{name}@{seed}")
    original = problems.get(name)
    assert problem.optimum.value == original.optimum.value
    assert problem.optimum.exact == original.optimum.exact
    problem.space.validate(problem.optimum.configuration)
    assert problem(problem.optimum.configuration) == pytest.approx(original.optimum.value, abs=1e-9)


@pytest.mark.parametrize("name", ["pest-25", "ackley-53", "rosenbrock-200", "maxsat-60", "contamination-25", "func3c"])
def test_the_optimum_moves_and_each_seed_moves_it_elsewhere(name):
    places = [problems.get(n).optimum.configuration for n in (name, f"{name}@0", f"{name}@1")]
    assert places[0] != places[1] != places[2] != places[0]
    assert problems.get(f"{name}@1").optimum.configuration == places[2]


def test_the_values_of_a_finite_problem_are_only_rearranged():
    original, moved = problems.get("bqp-10"), problems.get("bqp-10@3")
    every = [dict(zip(original.space.names, x, strict=True)) for x in itertools.product((0, 1), repeat=10)]
    assert sorted(map(moved, every)) == pytest.approx(sorted(map(original, every)))
    assert [moved(c) for c in every] != [original(c) for c in every]


def test_categories_are_permuted_at_random():
    space = Space({f"h{i}": Categorical([0, 1, 2, 3, 4]) for i in range(40)})
    problem = relocated(Problem("flat", space, summed, "here"), 0)
    orders = {tuple(move.order) for move in problem.function.keywords["moves"].values()}
    assert len(orders) > 20
    assert all(sorted(order) == [0, 1, 2, 3, 4] for order in orders)


def test_ordinals_integers_and_gridded_reals_keep_or_reverse_their_order():
    kinds = {"o": Ordinal([1, 2, 4, 8]), "i": Integer(3, 90, step=3), "g": Real(0, 1, step=0.25)}
    seen = {kind: set() for kind in kinds}
    for seed in range(12):
        problem = relocated(Problem("p", Space(kinds), summed, "here"), seed)
        start = {"o": 1, "i": 3, "g": 0.0}
        for kind, variable in kinds.items():
            values = [problem({**start, kind: variable.at(k)}) for k in range(int(variable.count))]
            steps = np.sign(np.diff(values))
            assert abs(steps.sum()) == len(steps)
            seen[kind].add(float(steps[0]))
    assert all(signs == {-1.0, 1.0} for signs in seen.values())


def test_a_shift_shows_the_same_function_through_a_box_of_the_same_size():
    original, moved = problems.get("levy-20"), problems.get("levy-20@5")
    shifts = np.array([move.shift for move in moved.function.keywords["moves"].values()])
    assert np.abs(shifts).max() <= 5.0
    assert np.abs(shifts).min() > 0
    for configuration in moved.space.sample(5, 0):
        at = {name: value + s for (name, value), s in zip(configuration.items(), shifts, strict=True)}
        assert moved(configuration) == pytest.approx(original.function(at))


def test_an_optimum_in_a_corner_moves_inwards():
    def distance(configuration):
        return configuration["x"] + 1

    optimum = Optimum(0.0, {"x": -1.0}, exact=True)
    corner = Problem("corner", Space({"x": Real(-1, 1)}), distance, "here", optimum=optimum, extends=True)
    places = [relocated(corner, seed).optimum.configuration["x"] for seed in range(20)]
    assert all(-1 <= x <= -0.5 for x in places)
    assert len(set(places)) == 20


def test_a_function_that_ends_at_its_box_is_only_reversed():
    seen = []

    def recorded(configuration):
        seen.append(dict(configuration))
        return 0.0

    space = Space({"x": Real(0.2, 3.0), "c": Real(0.01, 100.0, log=True)})
    reversals = set()
    for seed in range(12):
        problem = relocated(Problem("p", space, recorded, "here"), seed)
        problem({"x": 0.2, "c": 0.01})
        space.validate(seen[-1])
        reversals.add((round(seen[-1]["x"], 9), round(seen[-1]["c"], 9)))
        problem({"x": 1.6, "c": 1.0})
        assert seen[-1] == pytest.approx({"x": 1.6, "c": 1.0})
    assert reversals == {(0.2, 0.01), (0.2, 100.0), (3.0, 0.01), (3.0, 100.0)}


def test_a_constraint_moves_with_the_problem():
    space = Space(
        {"a": Categorical(["x", "y", "z"]), "b": Integer(0, 9), "c": Real(-1, 1)},
        [Forbid({"a": "x", "b": [0, 1]}), lambda configuration: configuration["a"] != "y" or configuration["b"] < 8],
    )

    def checked(configuration):
        assert space.allows({**configuration, "c": 0.0})
        return 0.0

    for extends in (True, False):
        for seed in range(6):
            problem = relocated(Problem("p", space, checked, "here", extends=extends), seed)
            allowed = [problem.space.allows({"a": a, "b": b, "c": 0.5}) for a in ("x", "y", "z") for b in range(10)]
            assert sum(allowed) == 26
            for configuration in problem.space.sample(20, seed):
                problem(configuration)


def test_noise_and_goal_stay():
    assert problems.get("contamination-25-noisy@4").noise == 0.1
    assert problems.get("attack-digits@4").goal == -1.0
    noisy = problems.get("contamination-25-noisy@4")
    best = noisy.optimum.configuration
    assert [noisy(best) for _ in range(3)] == [noisy_again(best) for noisy_again in [noisy.seeded(0)] for _ in range(3)]
