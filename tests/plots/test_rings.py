"""The figure of the region on a small discrete space."""

from __future__ import annotations

import pytest

import casmopolitan as cas
from casmopolitan.plots import animation, region


def test_the_region_is_drawn_at_its_turning_points(graph, saved):
    figure = region(graph)
    assert len(figure.axes) == 4
    assert saved(figure) > 20000
    assert len(region(graph, at=[4, 5]).axes) == 2


def test_a_large_or_continuous_space_has_no_region_picture(tuned):
    with pytest.raises(cas.DataError, match="discrete variables only"):
        region(tuned)


def test_a_region_picture_of_a_trial_that_never_ended_is_refused(graph):
    with pytest.raises(cas.DataError, match="trial 99 has no value"):
        region(graph, at=[99])


def test_a_region_without_a_completed_trial_is_an_error_in_words(graph, tmp_path):
    fresh = cas.Optimizer(cas.Space({name: cas.Categorical([0, 1, 2]) for name in "abc"}))
    with pytest.raises(cas.DataError, match="no trial has been completed"):
        region(fresh)
    with pytest.raises(cas.DataError, match="no trial has been completed"):
        animation(fresh, tmp_path / "a.gif")
    with pytest.raises(cas.DataError, match="none was named"):
        region(graph, at=[])
