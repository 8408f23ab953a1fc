"""The figure of relevances."""

from __future__ import annotations

import pytest

import casmopolitan as cas
from casmopolitan.plots import relevance, relevances


def test_relevance_is_drawn_longest_first(tuned, saved):
    figure = relevance(tuned, most=3)
    widths = [bar.get_width() for bar in figure.axes[0].patches]
    assert widths == sorted(widths, reverse=True)
    assert len(widths) == 3
    assert saved(figure) > 5000


def test_one_of_several_objectives_is_named(two_goals):
    numbers = relevances(two_goals, objective="error")
    widths = [bar.get_width() for bar in relevance(two_goals, objective="error").axes[0].patches]
    assert widths == sorted(numbers.values(), reverse=True)
    with pytest.raises(cas.DataError, match="give the name of one objective: 'error', 'gain'"):
        relevance(two_goals)
