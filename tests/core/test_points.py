import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import casmopolitan.core.points as module
from casmopolitan.core.points import MAX_TRIES, Axis, Domain, Points, no_points, stack
from casmopolitan.errors import InfeasibleError
from strategies import domains, finite_variables, seeds

H = np.array([[0, 1], [2, 0], [0, 1]])
X = np.array([[0.5], [0.25], [0.5]])


def discrete(*levels, feasible=None):
    return Domain(np.array(levels, dtype=np.int64), (None,) * len(levels), (), feasible)


def test_rows_of_points_are_points():
    points = Points(H, X)
    assert len(points) == 3
    assert points[1] == Points(H[1:2], X[1:2])
    assert points[-1] == points[2]
    assert len(points[-1]) == 1
    assert points[[0, 2]] == Points(H[[0, 2]], X[[0, 2]])
    assert points[np.array([True, False, False])] == points[0]
    assert len(points[1:]) == 2


def test_equal_points_have_equal_identities():
    points = Points(H, X)
    first, second, third = points.identities()
    assert first == third != second
    assert hash(Points(H, X)) == hash(points)
    assert points != Points(H, X + 0.1)


def test_minus_nought_is_nought():
    plus, minus = Points(H[:1], np.array([[0.0]])), Points(H[:1], np.array([[-0.0]]))
    assert plus.identities() == minus.identities()


def test_parts_stack_row_by_row():
    points = Points(H, X)
    assert stack([points[0], points[1:]]) == points
    assert stack([no_points(2, 1), points]) == points


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), seeds())
def test_a_linear_axis_goes_there_and_back(low, width, seed):
    axis = Axis(low, low + width)
    unit = np.random.default_rng(seed).random(20)
    np.testing.assert_allclose(axis.unit(axis.value(unit)), unit, atol=1e-6)
    assert np.all((axis.value(unit) >= axis.low) & (axis.value(unit) <= axis.high))


@pytest.mark.parametrize(("low", "high"), [(1e-5, 0.1), (1e-300, 1e300), (5e-324, 1.0), (1000.0, 1000.001)])
def test_a_log_axis_goes_there_and_back_without_overflow(low, high):
    axis = Axis(low, high, log=True)
    unit = np.linspace(0, 1, 101)
    value = axis.value(unit)
    assert value[0] == low
    assert value[-1] == high
    assert np.all((value >= low) & (value <= high))
    if high > 2 * low:
        np.testing.assert_allclose(np.log(value[50]), (math.log(low) + math.log(high)) / 2, rtol=1e-2, atol=1e-9)
    np.testing.assert_allclose(axis.value(axis.unit(value)), value, rtol=1e-12)


def test_the_middle_of_a_log_axis_is_the_geometric_mean():
    np.testing.assert_allclose(Axis(1.0, 10_000.0, log=True).value(np.array([0.5])), [100.0])


def test_an_axis_of_one_value_has_one_coordinate():
    axis = Axis(2.0, 2.0, step=1.0)
    assert axis.count == 1
    np.testing.assert_array_equal(axis.unit(np.array([2.0])), [0.0])
    np.testing.assert_array_equal(axis.snapped(np.array([0.0, 0.7])), [0.0, 0.0])
    np.testing.assert_array_equal(Axis(2.0, 2.0, log=True).value(np.array([0.3])), [2.0])


@pytest.mark.parametrize(
    ("axis", "count"),
    [
        (Axis(0.0, 1.0, step=0.1), 11),
        (Axis(0.0, 0.9, step=0.3), 4),
        (Axis(0.0, 1.0, step=0.3), 4),
        (Axis(1.0, 1000.0, step=1.0, log=True), 1000),
        (Axis(0.0, 2.0**48, step=1.0), 2**48 + 1),
    ],
)
def test_a_grid_counts_its_values(axis, count):
    assert axis.count == count
    k = np.array([0, 1, count - 2, count - 1])
    np.testing.assert_array_equal(axis.index(axis.at(k)), k)
    np.testing.assert_allclose(axis.value(axis.at(k)), axis.low + k * (axis.step or 0))


def test_snapping_goes_to_the_nearest_value_and_stays_there():
    axis = Axis(1.0, 100.0, step=1.0, log=True)
    unit = np.linspace(0, 1, 500)
    once = axis.snapped(unit)
    np.testing.assert_array_equal(axis.snapped(once), once)
    np.testing.assert_allclose(axis.value(once), np.rint(axis.value(unit)), rtol=1e-9)


def test_an_axis_without_a_step_has_no_grid():
    axis = Axis(0.0, 1.0)
    assert axis.count is None
    unit = np.array([0.123])
    np.testing.assert_array_equal(axis.snapped(unit), unit)
    with pytest.raises(TypeError, match="no grid"):
        axis.index(unit)
    with pytest.raises(TypeError, match="no grid"):
        axis.at(np.array([0]))


@given(domains(), seeds())
def test_every_drawn_point_lies_in_the_domain_and_on_its_grids(domain, seed):
    points = domain.draw(20, np.random.default_rng(seed))
    assert np.all((points.h >= 0) & (points.h < domain.levels))
    assert np.all((points.x >= 0) & (points.x <= 1))
    assert domain.snapped(points) == points


@given(domains(), seeds())
def test_every_sampled_point_is_feasible(domain, seed):
    points = domain.sample(10, np.random.default_rng(seed))
    assert len(points) == 10
    assert domain.allows(points).all()


def test_snapping_leaves_the_given_points_alone():
    domain = Domain(np.array([], dtype=np.int64), (), (Axis(0.0, 1.0, step=0.5), Axis(0.0, 1.0)))
    points = Points(np.empty((1, 0), dtype=np.int64), np.array([[0.3, 0.3]]))
    np.testing.assert_array_equal(domain.snapped(points).x, [[0.5, 0.3]])
    np.testing.assert_array_equal(points.x, [[0.3, 0.3]])
    assert domain.grids == (0,)


def test_the_size_is_exact_or_infinite():
    assert discrete(*[5] * 100).size == 5**100
    assert Domain(np.array([2]), (None,), (Axis(0.0, 1.0, step=0.25),)).size == 10
    assert Domain(np.array([2]), (None,), (Axis(0.0, 1.0),)).size == math.inf
    assert discrete().size == 1


@given(domains(kinds=finite_variables(), max_variables=3))
def test_every_point_of_a_small_domain_is_listed_once(domain):
    if domain.size > 5000:
        return
    points = domain.every_point()
    assert len(points) == len(set(points.identities())) == domain.size
    assert domain.snapped(points) == points


def test_the_points_of_a_domain_are_listed_in_lexicographic_order():
    domain = Domain(np.array([2, 2]), (None, None), (Axis(0.0, 1.0, step=1.0),))
    rows = np.concatenate([domain.every_point().h, domain.every_point().x], axis=1).tolist()
    assert rows == sorted(rows)
    assert len(rows) == 8


def test_an_infinite_domain_cannot_be_listed():
    with pytest.raises(TypeError, match="no end"):
        Domain(np.array([2]), (None,), (Axis(0.0, 1.0),)).every_point()


def test_a_rare_feasible_point_of_a_large_domain_is_not_searched_for_ever():
    asked = []

    def feasible(points):
        asked.append(len(points))
        return np.zeros(len(points), dtype=bool)

    with pytest.raises(InfeasibleError, match=f"no feasible point in {MAX_TRIES} tries"):
        discrete(*[10] * 10, feasible=feasible).sample(1, np.random.default_rng(0))
    assert sum(asked) <= MAX_TRIES + 64


def test_a_constraint_is_asked_about_no_more_points_than_needed():
    asked = []

    def feasible(points):
        asked.append(len(points))
        return np.ones(len(points), dtype=bool)

    discrete(10, 10, feasible=feasible).sample(5, np.random.default_rng(0))
    assert sum(asked) == 5


def test_feasible_points_of_a_tight_small_domain_are_drawn_evenly():
    def feasible(points):
        return (points.h == 0).sum(axis=1) >= 11

    points = discrete(*[2] * 12, feasible=feasible).sample(1300, np.random.default_rng(0))
    _, counts = np.unique(points.h, axis=0, return_counts=True)
    assert len(counts) == 13
    assert counts.min() > 50


def test_a_sample_goes_on_as_long_as_it_finds_feasible_points(monkeypatch):
    """One point in 64 is feasible, and the space is too large to list: each find earns another MAX_TRIES."""
    monkeypatch.setattr(module, "MAX_TRIES", 1000)
    domain = Domain(np.full(12, 4), (None,) * 12, (), lambda points: (points.h[:, :3] == 0).all(axis=1))
    found = domain.sample(100, np.random.default_rng(0))
    assert len(found) == 100
    assert domain.allows(found).all()
