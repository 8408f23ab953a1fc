"""The figure of predictions over two variables."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import QuadMesh

from casmopolitan.plots import contour


def test_two_numbers_are_contours_and_a_choice_has_cells(mixed, saved):
    smooth, cells = contour(mixed, "threads", "rate"), contour(mixed, "threads", "order")
    assert not any(isinstance(drawn, QuadMesh) for drawn in smooth.axes[0].collections)
    assert smooth.axes[0].get_yscale() == "log"
    assert any(isinstance(drawn, QuadMesh) for drawn in cells.axes[0].collections)
    assert [text.get_text() for text in cells.axes[0].get_yticklabels()] == ["1", "2", "4"]
    assert min(saved(smooth), saved(cells)) > 5000


def test_a_forbidden_combination_is_left_blank(mixed):
    mesh = next(drawn for drawn in contour(mixed, "order", "cache").axes[0].collections if isinstance(drawn, QuadMesh))
    assert np.ma.getmaskarray(mesh.get_array()).tolist() == [[False] * 3, [False, False, True]]


def test_trials_are_dots_and_the_best_point_is_a_star(mixed):
    axes = contour(mixed, "rate", "threads").axes[0]
    *dots, star = axes.get_lines()
    having = [trial for trial in mixed.trials if trial.value is not None and "rate" in trial.configuration]
    assert len(dots) == len(having)
    best = mixed.best_configuration
    assert (star.get_xdata()[0], star.get_ydata()[0]) == pytest.approx((best["rate"], best["threads"]))


def test_cells_on_a_log_axis_meet_halfway_by_ratio(mixed):
    mesh = next(drawn for drawn in contour(mixed, "rate", "cache").axes[0].collections if isinstance(drawn, QuadMesh))
    edges = mesh.get_coordinates()[0, :, 0]
    assert np.sqrt(edges[0] * edges[1]) == pytest.approx(1e-4)
    assert edges[1] / edges[0] == pytest.approx(edges[2] / edges[1])


def test_better_is_darker_whatever_the_direction(two_goals):
    smaller, larger = (contour(two_goals, objective=name).axes[0].collections[0].get_cmap() for name in ("error", "gain"))
    assert sum(smaller(0.0)[:3]) < sum(smaller(1.0)[:3])
    assert sum(larger(0.0)[:3]) > sum(larger(1.0)[:3])
