from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casmopolitan.core.points import Axis
from casmopolitan.core.region import box


def test_the_weights_keep_the_volume():
    weights = box.weights(np.array([0.1, 0.2, 0.4]))
    assert np.prod(weights) == pytest.approx(1.0)
    assert weights / weights[0] == pytest.approx([1, 2, 4])


def test_equal_lengthscales_give_a_cube():
    low, high = box.bounds(np.array([0.5, 0.5]), 0.4, np.array([0.07, 0.07]))
    assert low == pytest.approx([0.3, 0.3])
    assert high == pytest.approx([0.7, 0.7])


def test_the_box_is_cut_at_the_unit_cube():
    low, high = box.bounds(np.array([0.1, 0.9]), 0.8, np.ones(2))
    assert low == pytest.approx([0.0, 0.5])
    assert high == pytest.approx([0.5, 1.0])


def test_no_coordinates_no_box():
    low, high = box.bounds(np.empty(0), 0.8, np.empty(0))
    assert low.shape == high.shape == (0,)


@given(
    st.sampled_from([Axis(1, 50, 1), Axis(1, 1000, 1, log=True), Axis(0.0, 1.0, 0.05), Axis(-3.0, 7.5, 2.5)]),
    st.floats(0, 1),
    st.floats(1e-4, 1.6),
    st.lists(st.floats(0, 1), min_size=1, max_size=5),
)
@settings(max_examples=100, deadline=None)
def test_snapping_gives_grid_values_inside_the_interval(axis, centre, length, xs):
    centre = float(axis.snapped(np.array([centre]))[0])
    low, high = max(centre - length / 2, 0.0), min(centre + length / 2, 1.0)
    x = box.snapped(axis, np.array(xs), low, high)
    assert ((x >= low) & (x <= high)).all()
    assert (axis.snapped(x) == x).all()


def test_an_axis_without_a_grid_is_only_cut():
    x = box.snapped(Axis(0.0, 1.0), np.array([0.0, 0.33, 1.0]), 0.2, 0.5)
    assert x.tolist() == [0.2, 0.33, 0.5]
