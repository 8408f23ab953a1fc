import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.coding import Coding, coded
from casmopolitan.core.points import Axis, Points, no_points
from oracles import folded


def codes(*rows):
    return Points(np.array(rows, dtype=np.int64), np.empty((len(rows), 0)))


def categorical(*levels):
    return Domain(np.array(levels), (None,) * len(levels), ())


def test_the_weighted_distance_of_two_points_is_the_sum_of_the_weights_they_differ_in():
    domain, points, w = categorical(3, 3, 3), codes([0, 1, 2], [0, 2, 1], [1, 0, 0]), np.array([1.0, 10.0, 100.0])
    data = coded(domain, points)
    expected = [[0, 110, 111], [110, 0, 111], [111, 111, 0]]
    np.testing.assert_allclose(data.self_distances(w), expected, rtol=1e-14)
    np.testing.assert_allclose(data.distances(data.rows, w), expected, atol=1e-13)


@pytest.mark.parametrize(("seen", "columns"), [([0, 0, 0], 0), ([0, 4, 0], 1), ([0, 4, 2], 3), ([0, 1, 2, 3, 4], 5)])
def test_a_categorical_variable_takes_columns_only_for_levels_that_occur(seen, columns):
    data = coded(categorical(100_000), codes(*[[level] for level in seen]))
    assert data.rows.F.shape == (len(seen), columns)
    assert data.owner.tolist() == [0] * columns


@pytest.mark.parametrize("seen", [[5], [5, 9], [5, 9, 11], [5, 9, 11, 12]])
def test_a_level_never_seen_is_one_unit_from_every_datum(seen):
    data = coded(categorical(50), codes(*[[level] for level in seen]))
    D = data.distances(data.encode(codes([0], [49])), np.array([0.7]))
    np.testing.assert_allclose(D, 0.7, rtol=1e-14)


def test_an_ordinal_level_never_seen_keeps_its_distance_inside_and_outside_the_seen_range():
    positions = np.array([0.0, 0.1, 0.4, 0.5, 0.9, 1.0])
    domain = Domain(np.array([6]), (positions,), ())
    data = coded(domain, codes([1], [3], [4]))
    D = data.distances(data.encode(codes(*[[k] for k in range(6)])), np.array([2.0]))
    np.testing.assert_allclose(D, 2.0 * np.abs(positions[:, None] - positions[[1, 3, 4]]), atol=1e-15)


def test_a_duplicate_lies_at_distance_zero_and_no_distance_is_negative():
    rng = np.random.default_rng(0)
    domain = Domain(np.full(30, 4), (np.array([0.0, 0.2, 0.5, 1.0]), None) * 15, ())
    once = domain.draw(10, rng)
    data = coded(domain, Points(np.concatenate([once.h, once.h]), np.concatenate([once.x, once.x])))
    D = data.self_distances(rng.uniform(0, 1, 30))
    assert D.min() == 0.0
    np.testing.assert_allclose(np.diagonal(D[:10, 10:]), 0.0, atol=1e-13)


def test_the_gradient_by_weights_is_the_sum_of_each_variables_own_distances():
    rng = np.random.default_rng(1)
    domain = Domain(np.array([2, 4, 5, 1]), (None, None, np.array([0.0, 0.2, 0.3, 0.7, 1.0]), None), ())
    data = coded(domain, domain.draw(12, rng))
    S = rng.standard_normal((12, 12))
    S += S.T
    gradient = data.weight_gradient(folded(S))
    for j in range(4):
        alone = data.self_distances(np.eye(4)[j])
        assert gradient[j] == pytest.approx(float((S * alone).sum()), rel=1e-12, abs=1e-12)


def test_bent_distances_add_squares_and_their_gradient_is_that_of_every_pair():
    rng, positions = np.random.default_rng(2), (None, np.array([0.0, 0.2, 0.3, 1.0]), None, np.array([0.0, 1.0]))
    domain = Domain(np.array([3, 4, 2, 2]), positions, ())
    points, w, v = domain.draw(9, rng), rng.random(4), rng.random(2)
    data, S = coded(domain, points), rng.standard_normal((9, 9))
    S += S.T
    levels = [np.arange(n, dtype=float) if p is None else p for n, p in zip(domain.levels, positions, strict=True)]
    apart = [np.abs(at[points.h[:, [j]]] - at[points.h[:, j]]) for j, at in enumerate(levels)]
    apart = [a if p is not None else (a > 0).astype(float) for a, p in zip(apart, positions, strict=True)]
    squares = [apart[1] ** 2, apart[3] ** 2]
    expected = sum(a * b for a, b in zip([*w, *v], [*apart, *squares], strict=True))
    np.testing.assert_allclose(data.bent_distances(w, v), expected, atol=1e-14)
    by_w, by_v = data.bent_gradient(folded(S))
    np.testing.assert_allclose([*by_w, *by_v], [float((S * part).sum()) for part in (*apart, *squares)], atol=1e-12)


def test_a_purely_continuous_domain_has_distance_zero_everywhere():
    domain = Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 1.0),))
    points = domain.draw(5, np.random.default_rng(3))
    data = coded(domain, points)
    assert not data.self_distances(np.empty(0)).any()
    assert data.weight_gradient(np.eye(5)).shape == (0,)


def test_no_candidates_give_no_rows():
    data = coded(categorical(3, 3), codes([0, 1], [2, 2]))
    rows = data.encode(no_points(2, 0))
    assert len(rows) == 0
    assert data.distances(rows, np.ones(2)).shape == (0, 2)


def test_a_hundred_thousand_choices_cost_memory_linear_in_their_number():
    domain, rng = categorical(100_000, 100_000), np.random.default_rng(4)
    points = domain.draw(20, rng)
    tracemalloc.start()
    coding = Coding.of(domain, points.h)
    coding.encode(domain.draw(20, rng))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * 100_000 * 8 * 8


@given(st.data())
def test_distances_and_sums_over_levels_are_those_of_every_pair(draw):
    levels = np.array(draw.draw(st.lists(st.integers(2, 5), min_size=1, max_size=5)))
    ordered = draw.draw(st.lists(st.booleans(), min_size=len(levels), max_size=len(levels)))
    positions = tuple(np.linspace(0.0, 1.0, n) if o else None for n, o in zip(levels, ordered, strict=True))
    domain, rng = Domain(levels, positions, ()), np.random.default_rng(draw.draw(st.integers(0, 99)))
    points, others, w = domain.draw(draw.draw(st.integers(1, 6)), rng), domain.draw(7, rng), rng.random(len(levels))
    data = coded(domain, points)
    scales = [np.arange(n) / 1.0 if p is None else p for n, p in zip(levels, positions, strict=True)]

    def delta(j, a, b):
        return float(a != b) if positions[j] is None else abs(scales[j][a] - scales[j][b])

    pairs = [[sum(w[j] * delta(j, a[j], b[j]) for j in range(len(levels))) for b in points.h] for a in others.h]
    np.testing.assert_allclose(data.distances(data.encode(others), w), pairs, atol=1e-12)
    tied = data.tied_distances(data.encode(others), 0.3)
    np.testing.assert_allclose(tied, data.distances(data.encode(others), 0.3 + 0 * w), atol=1e-12)
    np.testing.assert_allclose(data.tied_distances(data.rows, 0.3), data.self_distances(0.3 + 0 * w), atol=1e-12)
    which = np.repeat(np.arange(len(levels)), levels)
    level, y = np.arange(len(which)) - (np.cumsum(levels) - levels)[which], rng.standard_normal((2, 3, len(points)))
    expected = [[delta(j, a, b) for b in points.h[:, j]] for j, a in zip(which, level, strict=True)]
    np.testing.assert_allclose(data.level_distances(which, level), expected, atol=1e-15)
    listed = data.listed(which, level)
    assert (listed is None) == any(o and n > 2 for n, o in zip(levels, ordered, strict=True))
    if listed is not None:
        np.testing.assert_allclose(listed.sums(y), y @ (1.0 - np.array(expected)).T, atol=1e-5)
