import itertools

import numpy as np
import pytest

from casmopolitan import problems
from casmopolitan.errors import DataError
from casmopolitan.problems.quadratic import bqp, johnson_edges, maxcut, minimum


@pytest.mark.parametrize("n", [1, 2, 7])
def test_enumeration_by_halves_finds_the_least_of_all_points(n):
    Q = np.random.default_rng(n).normal(size=(n, n))
    points = np.array(list(itertools.product((0, 1), repeat=n)))
    value, x = minimum(Q)
    assert value == pytest.approx(min(p @ Q @ p for p in points))
    assert np.array(x) @ Q @ np.array(x) == pytest.approx(value)


def test_enumeration_is_the_same_in_small_blocks(monkeypatch):
    Q = np.random.default_rng(0).normal(size=(9, 9))
    whole = minimum(Q)
    monkeypatch.setattr("casmopolitan.problems.quadratic.BLOCK", 8)
    assert minimum(Q) == (pytest.approx(whole[0]), whole[1])


def test_a_quadratic_programme_is_its_matrix():
    problem = bqp(6, seed=4, alpha=3.0, penalty=0.25)
    i = np.arange(6)
    Q = np.random.RandomState(4).standard_normal((6, 6)) * np.exp(-((i[:, None] - i[None]) ** 2) / 3.0)
    for configuration in problem.space.sample(10, 0):
        x = np.array(list(configuration.values()))
        assert problem(configuration) == pytest.approx(x @ Q @ x + 0.25 * x.sum())
    assert problem.optimum.exact


@pytest.mark.parametrize("name", ["bqp-0", "bqp-10-alpha0"])
def test_a_programme_without_bits_or_width_is_refused(name):
    with pytest.raises(DataError, match="n >= 1 bits and α > 0"):
        problems.get(name)


def test_beyond_twenty_bits_no_optimum_is_claimed_unless_stored():
    assert bqp(21).optimum is None
    assert maxcut(22).optimum is None


def test_a_cut_is_the_sum_of_standardised_weights_across_it():
    problem = maxcut(7, seed=5)
    raw = np.random.RandomState(5).randint(1, 11, 21)
    standard = (raw - raw.mean()) / raw.std()
    for configuration in problem.space.sample(10, 0):
        x = list(configuration.values())
        pairs = itertools.combinations(range(7), 2)
        assert problem(configuration) == pytest.approx(
            -sum(w for w, (a, b) in zip(standard, pairs, strict=True) if x[a] != x[b])
        )


def test_flipping_every_bit_changes_nothing():
    problem = problems.get("maxcut-43")
    for configuration in problem.space.sample(5, 0):
        assert problem({k: 1 - v for k, v in configuration.items()}) == pytest.approx(problem(configuration))


def test_the_johnson_graph_has_its_published_size():
    edges = johnson_edges()
    assert len(edges) == 210
    assert set(np.bincount(np.ravel(edges))) == {15}


def test_the_stored_cut_of_the_johnson_graph_is_the_least_of_all():
    problem = problems.get("maxcut-johnson")
    assert problem.optimum.exact
    assert minimum(problem.function.keywords["Q"])[0] == pytest.approx(problem.optimum.value)


def test_the_stored_cut_of_forty_three_is_only_best_known_and_no_flip_improves_it():
    problem = problems.get("maxcut-43")
    best = problem.optimum.configuration
    assert not problem.optimum.exact
    assert min(problem({**best, name: 1 - best[name]}) for name in best) > problem.optimum.value
