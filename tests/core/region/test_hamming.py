from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casmopolitan.core.region import hamming


def test_distance_counts_the_variables_that_differ():
    h = np.array([[0, 1, 2], [0, 1, 3], [5, 5, 5]])
    assert hamming.distance(h, np.array([0, 1, 2])).tolist() == [0, 1, 3]


def test_a_step_changes_one_variable_and_reaches_every_neighbour_alike():
    levels = np.array([2, 1, 4])
    h = np.tile([1, 0, 2], (6000, 1))
    moved = hamming.step(h, levels, np.random.default_rng(0))
    assert (hamming.distance(moved, h[0]) == 1).all()
    assert (moved < levels).all()
    _, counts = np.unique(moved, axis=0, return_counts=True)
    assert len(counts) == 4
    assert counts.max() / 6000 < 0.55
    assert counts.min() / 6000 > 0.14


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.integers(0, 8), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_samples_stay_within_the_radius_and_differ_from_the_centre(levels, radius, seed):
    levels = np.array(levels, dtype=np.int64)
    rng = np.random.default_rng(seed)
    centre = rng.integers(0, levels)
    h = hamming.sample(centre, levels, radius, 50, rng)
    far = hamming.distance(h, centre)
    assert (far <= radius).all()
    assert ((h >= 0) & (h < levels)).all()
    if radius and (levels > 1).any():
        assert (far >= 1).all()


def test_samples_take_every_number_of_changes_up_to_the_radius():
    h = hamming.sample(np.zeros(10, dtype=np.int64), np.full(10, 3), 4, 400, np.random.default_rng(0))
    assert set(hamming.distance(h, np.zeros(10, dtype=np.int64)).tolist()) == {1, 2, 3, 4}


@pytest.mark.parametrize("levels", [np.full(7, 2), np.array([2, 3, 1, 5, 2, 2, 4])])
def test_samples_do_not_depend_on_how_many_are_made_at_a_time(levels, monkeypatch):
    centre = np.zeros(7, dtype=np.int64)
    whole = hamming.sample(centre, levels, 4, 50, np.random.default_rng(0), 0)
    monkeypatch.setattr(hamming, "BLOCK", 20)
    np.testing.assert_array_equal(hamming.sample(centre, levels, 4, 50, np.random.default_rng(0), 0), whole)
    assert hamming.distance(whole, centre).min() == 0
    assert hamming.distance(whole, centre).max() == 4
