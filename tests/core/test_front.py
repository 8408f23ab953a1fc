from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casmopolitan.core.front import boxes, contributions, hypervolume, inside, non_dominated, reference_point

GRID = 8


def counted(values, reference):
    """The number of unit cells below the reference point that a row dominates; for whole numbers, the hypervolume."""
    cells = itertools.product(*(range(int(values.min()), int(r)) for r in reference))
    return sum(any((row <= cell).all() for row in values) for cell in cells)


def whole(m):
    row = st.tuples(*[st.integers(0, GRID)] * m)
    return st.lists(row, min_size=1, max_size=7).map(lambda rows: np.array(rows, dtype=float))


@pytest.mark.parametrize("m", [1, 2, 3, 4])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_the_hypervolume_is_the_number_of_dominated_cells(m, data):
    values = data.draw(whole(m))
    reference = np.full(m, 6.0)
    assert hypervolume(values, reference) == counted(values, reference)


@pytest.mark.parametrize("m", [1, 2, 3])
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_a_row_is_on_the_front_if_no_other_dominates_it(m, data):
    values = data.draw(whole(m))
    kept = non_dominated(values)
    for i, row in enumerate(values):
        better = [(other <= row).all() and (other < row).any() for other in values]
        first = not any((values[k] == row).all() for k in range(i))
        assert kept[i] == (first and not any(better))


@pytest.mark.parametrize("m", [2, 3])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_the_boxes_are_disjoint_and_fill_what_is_not_dominated(m, data):
    values, reference = data.draw(whole(m)), np.full(m, 7.0)
    front = values[non_dominated(values)]
    low, high = boxes(front, reference)
    cells = np.array(list(itertools.product(*[np.arange(-1.0, 7.0) + 0.5] * m)))
    holding = ((cells[:, None] > low) & (cells[:, None] < high)).all(axis=2).sum(axis=1)
    dominated = (front[None] <= cells[:, None]).all(axis=2).any(axis=1)
    assert holding.tolist() == (~dominated).astype(int).tolist()


def test_three_objectives_need_about_two_boxes_per_point_of_the_front():
    rng = np.random.default_rng(0)
    front = np.abs(rng.standard_normal((40, 3)))
    front /= np.linalg.norm(front, axis=1, keepdims=True)
    low, _ = boxes(1.0 - front, np.full(3, 1.1))
    assert len(low) == 2 * 40 + 1


def test_a_contribution_is_the_volume_lost_without_the_point():
    front = np.array([[0.0, 3.0], [1.0, 1.0], [3.0, 0.0]])
    assert contributions(front, np.array([4.0, 4.0])).tolist() == [1.0, 4.0, 1.0]


@pytest.mark.parametrize("m", [2, 3, 4])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_contributions_are_those_of_leaving_each_row_out(m, data):
    """Also of rows that others dominate, equal rows, and rows beyond the reference point."""
    values, reference = data.draw(whole(m)), np.full(m, 6.0)
    whole_volume = counted(values, reference)
    lost = [whole_volume - (counted(rest, reference) if len(rest) else 0) for rest in without_each(values)]
    assert contributions(values, reference).tolist() == lost


def without_each(values):
    return [np.delete(values, k, axis=0) for k in range(len(values))]


def test_the_reference_point_lies_a_tenth_of_the_range_beyond_the_worst():
    front = np.array([[0.0, 30.0], [2.0, 10.0]])
    np.testing.assert_allclose(reference_point(front), [2.2, 32.0])
    np.testing.assert_allclose(reference_point(front, least=5.0), [2.5, 32.0])
    assert reference_point(front, (9.0, 8.0)).tolist() == [9.0, 8.0]


def test_the_reference_point_of_one_point_is_worse_than_it():
    assert inside(np.array([[0.0, -3.0]]), reference_point(np.array([[0.0, -3.0]]))).all()
