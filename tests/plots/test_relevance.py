"""The figure of relevances."""

from __future__ import annotations

from casmopolitan.plots import relevance


def test_relevance_is_drawn_longest_first(tuned, saved):
    figure = relevance(tuned, most=3)
    widths = [bar.get_width() for bar in figure.axes[0].patches]
    assert widths == sorted(widths, reverse=True)
    assert len(widths) == 3
    assert saved(figure) > 5000
