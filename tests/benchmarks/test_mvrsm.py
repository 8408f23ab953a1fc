from itertools import combinations, product

import numpy as np
import pytest

import casmopolitan as cas
from benchmarks.peers import load, mvrsm

RNG = np.random.default_rng
LOW, HIGH = np.array([0.0, -1, -2.0]), np.array([2.0, 2, 2.0])
"""A box of two discrete variables and a continuous one."""


def surrogate(discrete, low, high, seed=0, **options):
    return mvrsm.Surrogate(*mvrsm.units(np.array(low, float), np.array(high, float), discrete, RNG(seed)), **options)


def test_the_units_have_their_kinks_at_all_integers_inside_the_box():
    W, b, c = mvrsm.units(LOW, HIGH, 2, RNG(0))
    found = {(*w, offset) for w, offset in zip(W.tolist(), b.tolist(), strict=True)}
    expected = {(0.0, 0.0, 0.0, 1.0)}
    expected |= {(1, 0, 0, -j) for j in (0, 1)} | {(-1, 0, 0, j) for j in (1, 2)}
    expected |= {(0, 1, 0, -j) for j in (-1, 0, 1)} | {(0, -1, 0, j) for j in (0, 1, 2)}
    expected |= {(-1, 1, 0, -j) for j in range(-3, 2)} | {(1, -1, 0, j) for j in range(-2, 3)}
    discrete = {row for row in found if row[2] == 0}
    assert discrete == expected
    assert c.tolist() == [0] + [1] * 20 + [0] * 10  # as many random units per continuous variable as others per discrete one
    assert len(np.unique(W[21:], axis=0)) == 1
    assert np.abs(W[21:]).max() <= 1 / 3
    corners = np.array(list(product(*zip(LOW, HIGH, strict=True)))) @ W[21]
    assert corners.min() <= -b[21:].max() < -b[21:].min() <= corners.max()


def test_recursive_least_squares_is_the_ridge_solution():
    rng, model = RNG(1), surrogate(2, LOW, HIGH, ridge=1e-3)
    first = model.c.copy()
    V, y = np.column_stack([rng.integers(0, 3, 15), rng.integers(-1, 3, 15), rng.uniform(-2, 2, 15)]), rng.standard_normal(15)
    for v, value in zip(V, y, strict=True):
        model.learn(v, value)
    Phi = np.maximum(0.0, V @ model.W.T + model.b)
    batch = first + np.linalg.solve(Phi.T @ Phi + 1e-3 * np.eye(len(first)), Phi.T @ (y - Phi @ first))
    assert model.c == pytest.approx(batch, abs=1e-6)


def test_a_piecewise_linear_function_is_recovered_from_its_values_at_integers():
    def function(v):
        return abs(v[0] - 2) - 1.5 * max(0.0, v[1] - 1) + 3 * max(0.0, v[1] - v[0] - 1) + 0.7

    model = surrogate(2, [0, 0], [4, 3])
    for v in product(range(5), range(4)):
        model.learn(np.array(v, float), function(v))
    for v in RNG(0).uniform([0, 0], [4, 3], (50, 2)):
        assert model(v)[0] == pytest.approx(function(v), abs=1e-5)


def test_the_gradient_is_that_of_finite_differences():
    model, v, h = surrogate(2, LOW, HIGH), np.array([0.4, 1.3, -0.7]), 1e-6
    model.c = RNG(0).standard_normal(len(model.c))
    slopes = [(model(v + h * e)[0] - model(v - h * e)[0]) / (2 * h) for e in np.eye(3)]
    assert model(v)[1] == pytest.approx(slopes, abs=1e-6)


def test_at_every_corner_of_the_surrogate_the_discrete_variables_are_integers():
    """The paper's claim: a strict local minimum is such a corner, whatever the weights are, so that rounding keeps it."""
    W, b, _ = mvrsm.units(LOW, HIGH, 2, RNG(0))
    rows = np.array(list(combinations(range(len(b)), 3)))
    rows = rows[np.abs(np.linalg.det(W[rows])) > 1e-9]
    corners = np.linalg.solve(W[rows], -b[rows][..., None])[..., 0]
    assert len(corners) > 100
    assert corners[:, :2] == pytest.approx(np.round(corners[:, :2]), abs=1e-8)
    assert np.abs(corners[:, 2] - np.round(corners[:, 2])).max() > 0.1


def test_strict_local_minima_are_at_integers_for_random_weights():
    model, found = surrogate(2, [0, 0], [5, 5]), 0
    grid = np.stack(np.meshgrid(np.arange(21) / 4, np.arange(21) / 4, indexing="ij"), axis=-1)
    units = np.maximum(0.0, grid @ model.W.T + model.b)
    for seed in range(100):
        g = units @ RNG(seed).normal(0.3, 1.0, len(model.c))
        around = [g[1 + i : 20 + i, 1 + j : 20 + j] for i, j in product((-1, 0, 1), repeat=2) if i or j]
        minima = np.argwhere(np.all([g[1:-1, 1:-1] < other - 1e-9 for other in around], axis=0)) + 1
        assert np.all(minima % 4 == 0)
        found += len(minima)
    assert found > 10


def test_the_minimum_is_sought_inside_the_box_and_is_below_its_start():
    model, start = surrogate(2, LOW, HIGH), np.array([1.0, 0, 0.3])
    for seed in range(5):
        model.c = RNG(seed).standard_normal(len(model.c))
        v = mvrsm.minimum(model, start, LOW, HIGH)
        assert np.all((v >= LOW) & (v <= HIGH))
        assert model(v)[0] <= model(start)[0]


def test_exploration_has_the_probabilities_of_the_released_code():
    low, high, v = np.array([-50.0, 0, -1, -2]), np.array([50.0, 1, 1, 2]), np.array([0.0, 1, 0, 0])
    moved = np.array([mvrsm.explored(v, low, high, 2, rng) for rng in [RNG(0)] for _ in range(8000)]) - v
    assert np.mean(moved[:, 0] != 0) == pytest.approx(1 / 4, abs=0.02)
    assert np.mean(np.abs(moved[:, 0]) > 1) == pytest.approx(1 / 8, abs=0.02)
    assert np.mean(moved[:, 0] > 0) == pytest.approx(1 / 8, abs=0.02)
    assert set(moved[:, 1]) == {0.0, -1.0}
    assert moved[:, 2:].std(axis=0) == pytest.approx([0.1, 0.2], rel=0.05)  # 0.1 (u - l) / √4
    at_bound = np.array([mvrsm.explored(high, low, high, 2, rng) for rng in [RNG(1)] for _ in range(200)])
    assert np.all((at_bound >= low) & (at_bound <= high))


@pytest.mark.parametrize(
    "space",
    [
        cas.Space({"x": cas.Real(1e-3, 1.0, log=True), "y": cas.Real(-1.0, 2.0)}),
        cas.Space({"a": cas.Categorical([None, "b", 3]), "b": cas.Integer(2, 9), "c": cas.Ordinal([32, 64])}),
        cas.Space({"x": cas.Real(0.0, 1.0), "a": cas.Categorical(["only"]), "k": cas.Integer(-3, 3)}),
    ],
)
def test_suggestions_stay_in_the_space(space):
    initial = [(configuration, float(k % 3)) for k, configuration in enumerate(space.sample(5, 1))]
    method = load("mvrsm")(space, initial, 0)
    for count in (1, 3, 1, 1):
        configurations = method.ask(count)
        assert len(configurations) == count
        for configuration in configurations:
            space.validate(configuration)
        method.tell(configurations, [0.5] * count)


@pytest.mark.parametrize("seed", [0, 1])
def test_it_beats_random_search_on_the_ackley_function_of_its_paper(seed):
    problem, best = cas.problems.get("ackley-53"), {}
    for name in ("mvrsm", "random"):
        tried = [(configuration, problem(configuration)) for configuration in problem.space.sample(20, seed)]
        method = load(name)(problem.space, tried, seed)
        for _ in range(200):
            (configuration,) = method.ask(1)
            tried.append((configuration, problem(configuration)))
            method.tell([configuration], [tried[-1][1]])
        best[name] = min(value for _, value in tried)
    assert best["mvrsm"] < best["random"] - 0.3
