import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.points import Array, Axis, Codes, Mask, Points, no_points, occurring, stack
from strategies import seeds

H = np.array([[0, 1], [2, 0], [0, 1]])
X = np.array([[0.5], [0.25], [0.5]])


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


def scalar(alias):
    """The scalar type of an array alias."""
    return get_args(get_args(alias)[1])[0]


@pytest.mark.parametrize("levels", [[3, 2], [3], []])
def test_points_masks_and_coded_rows_have_the_declared_types(levels):
    domain = Domain(np.array(levels, dtype=np.int64), (None,) * len(levels), (Axis(0.0, 1.0), Axis(1.0, 9.0, 1.0)))
    points = domain.draw(5, np.random.default_rng(0))
    rows = coded(domain, points).rows
    assert points.h.dtype == scalar(Codes)
    assert {array.dtype for array in (points.x, rows.F, rows.e, rows.p, rows.x)} == {np.dtype(scalar(Array))}
    assert domain.allows(points).dtype == scalar(Mask)


def test_points_within_a_distance_have_the_same_choices_and_no_number_further_away():
    points = Points(np.array([[1], [1], [1], [2]]), np.array([[0.5, 0.5], [0.51, 0.49], [0.5, 0.52], [0.5, 0.5]]))
    assert points.within(points[0], 0.015).tolist() == [True, True, False, False]
    assert points.within(points[0], 0.0).tolist() == [True, False, False, False]


@given(
    st.sampled_from([2, 100]),
    st.lists(st.lists(st.sampled_from([0, 1, 255, 256, 257, 65536 + 1]), min_size=2, max_size=2), min_size=1, max_size=6),
)
def test_identities_are_equal_exactly_where_points_are_and_do_not_depend_on_the_other_rows(width, codes):
    h = np.zeros((len(codes), width), dtype=np.int64)
    h[:, -2:] = codes
    points = Points(h, np.zeros((len(codes), 1)))
    keys = points.identities()
    for i, mine in enumerate(codes):
        assert points[i].identities() == [keys[i]]
        assert [key == keys[i] for key in keys] == [other == mine for other in codes]


def test_a_mask_of_all_rows_copies_nothing():
    points = Points(np.zeros((3, 2), dtype=np.int64), np.zeros((3, 1)))
    assert points[np.ones(3, dtype=bool)] is points
    assert len(points[np.zeros(3, dtype=bool)]) == 0
    assert points[:0][np.ones(0, dtype=bool)] == points[:0]


def test_the_levels_that_occur_are_found_in_blocks_of_any_size():
    rng, levels = np.random.default_rng(0), np.array([2, 5, 1, 7])
    for n in (0, 1, 60_000):
        h = rng.integers(0, levels, size=(n, 4)) // np.array([2, 1, 1, 2])
        expected = [level in h[:, j] for j, m in enumerate(levels) for level in range(m)]
        assert occurring(h, levels).tolist() == expected
