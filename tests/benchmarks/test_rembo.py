import numpy as np

import casmopolitan as cas
from benchmarks.peers.rembo import Rembo, clipped, start
from mean_best import mean_best, random_mean_best


def test_the_projection_clips_every_coordinate_on_its_own():
    A = np.array([[1.0, 0.0], [2.0, -1.0], [0.0, 0.25]])
    Y = np.array([[0.5, 1.0], [-1.0, -1.2]])
    np.testing.assert_allclose(clipped(Y, A), [[0.5, 0.0, 0.25], [-1.0, -0.8, -0.3]])
    assert np.abs(clipped(10.0 * Y, A)).max() == 1.0


def test_the_coordinate_of_a_discrete_variable_is_rounded_to_a_level():
    space = cas.Space({"a": cas.Categorical([0, 1, 2]), "x": cas.Real(-1.0, 1.0)})
    method = Rembo(space, [], 0, 2)
    method._A = np.eye(2)
    points = method._points_at(np.array([[-5.0, 0.5], [0.0, -0.25], [0.4, 3.0]]))
    assert space.decode(points) == [{"a": 0, "x": 0.5}, {"a": 1, "x": -0.25}, {"a": 2, "x": 1.0}]


def test_every_suggestion_lies_in_the_embedding():
    space = cas.Space({f"x{i}": cas.Real(-1.0, 1.0) for i in range(6)})
    initial = [(configuration, sum(configuration.values())) for configuration in space.sample(5, 0)]
    method = start(space, initial, 0, "2")
    for configuration in method.ask(3):
        x = np.array(list(configuration.values()))
        inner = np.abs(x) < 1.0
        y = np.linalg.lstsq(method._A[inner], x[inner], rcond=None)[0]
        if inner.sum() >= 2:
            np.testing.assert_allclose(clipped(y[None], method._A)[0], x, atol=1e-6)


def test_it_beats_random_search_on_ackley_53():
    problem = cas.problems.get("ackley-53")
    seeds = range(3)
    ours = mean_best(lambda *given: start(*given, "10"), problem.space, problem, seeds, 20)
    assert ours < random_mean_best(problem.space, problem, seeds, 60) - 0.1
