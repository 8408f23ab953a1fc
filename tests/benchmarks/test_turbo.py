import numpy as np

import casmopolitan as cas
from benchmarks.peers.turbo import LEAST, MOST, Columns, Turbo, box, resized, with_largest
from mean_best import mean_best, random_mean_best

SPACE = cas.Space(
    {
        "a": cas.Categorical(["p", "q", "r"]),
        "s": cas.Ordinal([1, 2, 4]),
        "n": cas.Integer(0, 100),
        "x": cas.Real(0.0, 1.0),
    }
)


def test_categories_become_one_hot_columns_and_ordered_variables_one_column():
    columns = Columns(SPACE.domain)
    assert columns.count == 3 + 1 + 2
    U = np.array([[0.2, 0.7, 0.1, 0.9, 0.254, 0.5], [0.9, 0.8, 0.7, 0.0, 1.0, 0.0]])
    assert SPACE.decode(columns.decode(U)) == [
        {"a": "q", "s": 4, "n": 25, "x": 0.5},
        {"a": "p", "s": 1, "n": 100, "x": 0.0},
    ]


def test_columns_of_known_points_are_decoded_to_them_and_differ_from_corners():
    columns, points = Columns(SPACE.domain), SPACE.domain.sample(50, np.random.default_rng(0))
    U = columns.encode(points, np.random.default_rng(1))
    assert columns.decode(U) == points
    assert 0.2 < U[:, :3].mean() < 0.8


def test_the_largest_entry_is_exchanged():
    U = np.array([[0.1, 0.9, 0.5], [0.3, 0.2, 0.1]])
    assert with_largest(U, np.array([2, 0])).tolist() == [[0.1, 0.5, 0.9], [0.3, 0.2, 0.1]]


def test_the_box_has_the_volume_of_a_cube_with_its_side():
    lengthscales = np.array([0.1, 0.4, 1.6])
    low, high = box(np.full(3, 0.5), 0.1, lengthscales)
    np.testing.assert_allclose((high - low).prod(), 0.1**3)
    np.testing.assert_allclose((high - low) / lengthscales, (high - low)[0] / 0.1)
    low, high = box(np.array([0.0, 1.0, 0.5]), 0.8, np.ones(3))
    np.testing.assert_allclose([low, high], [[0.0, 0.6, 0.1], [0.4, 1.0, 0.9]])


def test_candidates_stay_in_the_box_and_differ_from_its_centre_in_about_20_columns():
    space = cas.Space({f"x{i}": cas.Real(0.0, 1.0) for i in range(100)})
    method = Turbo(space, [], 0)
    centre = np.full(100, 0.9)
    low, high = centre - 0.1, np.minimum(centre + 0.2, 1.0)
    U = method._candidates(centre, low, high)
    assert ((low <= U) & (high >= U)).all()
    moved = (centre != U).sum(axis=1)
    assert moved.min() >= 1
    assert 19 < moved.mean() < 22


def test_three_successes_double_the_side_and_as_many_failures_as_tolerated_halve_it():
    state = (0.8, 0)
    for improved in (True, True, False, True, True, True):
        state = resized(*state, improved, 4)
    assert state == (1.6, 0)
    assert resized(MOST, 2, True, 4) == (MOST, 0)
    for _ in range(4):
        state = resized(*state, False, 4)
    assert state == (0.8, 0)


def test_a_failure_is_tolerated_as_often_as_there_are_columns_per_point_of_a_batch():
    method = Turbo(cas.Space({f"x{i}": cas.Real(0.0, 1.0) for i in range(30)}), [], 0)
    assert [method._tolerance(batch) for batch in (1, 4)] == [30, 8]


def test_a_region_that_is_too_small_ends_and_the_next_starts_with_a_design():
    initial = [(configuration, configuration["x"]) for configuration in SPACE.sample(6, 0)]
    method = Turbo(SPACE, initial, 0)
    method._length, method._streak = LEAST, 1 - method._tolerance(1)
    method.tell(method.ask(1), [9.0])
    assert len(method._losses) == 0
    assert len(method._design) == 6
    for count in (4, 4, 2):
        configurations = method.ask(count)
        for configuration in configurations:
            SPACE.validate(configuration)
        method.tell(configurations, [configuration["x"] for configuration in configurations])
    assert len(method._losses) == 10


def test_it_beats_random_search_on_ackley_in_10_dimensions():
    space = cas.Space({f"x{i}": cas.Real(-5.0, 10.0) for i in range(10)})

    def ackley(configuration):
        x = np.array(list(configuration.values()))
        waves = np.exp(np.cos(2 * np.pi * x).mean())
        return float(20 - 20 * np.exp(-0.2 * np.sqrt((x * x).mean())) + np.e - waves)

    ours = mean_best(Turbo, space, ackley, range(1), 15)
    assert ours < random_mean_best(space, ackley, range(1), 15) - 1.0
