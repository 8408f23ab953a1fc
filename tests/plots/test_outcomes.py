"""The figures of several objectives and of limits."""

from __future__ import annotations

import pytest

import casmopolitan as cas
from casmopolitan.errors import DataError
from casmopolitan.plots import convergence, feasibility, front, hypervolume

SPACE = cas.Space({"a": cas.Categorical(["x", "y", "z"]), "n": cas.Integer(1, 9)})


def told(objectives, limits, *rows):
    optimizer = cas.Optimizer(SPACE, objectives=objectives, limits=limits, seed=0)
    for k, row in enumerate(rows):
        optimizer.tell({"a": "xyz"[k % 3], "n": 1 + k // 3}, dict(zip(optimizer.goals.order, row, strict=True)))
    return optimizer


@pytest.fixture
def two():
    rows = [(1.0, 1.0, 5.0), (2.0, 2.0, 5.0), (3.0, 1.5, 5.0), (0.5, 9.0, 20.0), (0.4, 0.5, None)]
    return told({"error": "minimize", "speed": "maximize"}, {"memory": "<= 10"}, *rows)


def points(axes, label):
    (found,) = [one for one in axes.collections if one.get_label() == label]
    return found.get_offsets().tolist()


def test_the_front_is_drawn_with_its_line(two, saved):
    figure = front(two, title="a front")
    (axes,) = figure.axes
    assert points(axes, "front") == [[1.0, 1.0], [2.0, 2.0]]
    assert points(axes, "dominated") == [[3.0, 1.5]]
    assert points(axes, "limit violated or unknown") == [[0.5, 9.0], [0.4, 0.5]]
    assert axes.lines[0].get_xydata().tolist() == [[1.0, 1.0], [2.0, 2.0]]
    assert axes.get_xlabel() == "error (smaller is better)"
    assert saved(figure) > 5000


@pytest.mark.parametrize(("count", "panels"), [(3, 3), (4, 6), (5, 6)])
def test_more_objectives_are_drawn_in_pairs(count, panels, saved):
    names = dict.fromkeys("abcde"[:count], "minimize")
    figure = front(told(names, {}, *[[float(k + j * (-1) ** j) for j in range(count)] for k in range(4)]))
    assert len([axes for axes in figure.axes if axes.axison]) == panels
    assert saved(figure) > 5000


def test_the_hypervolume_never_shrinks(two):
    heights = hypervolume(two).axes[0].lines[0].get_ydata()
    assert list(heights) == sorted(heights)
    assert heights[-1] == pytest.approx(two.hypervolume)


def test_every_limit_has_a_panel_that_counts(two, saved):
    figure = feasibility(two)
    (axes,) = figure.axes
    assert axes.get_title(loc="left") == "memory <= 10: met by 3 of 4 trials"
    assert (len(points(axes, "met")), len(points(axes, "violated"))) == (3, 1)
    assert saved(figure) > 5000


def test_convergence_with_a_limit_counts_only_trials_that_meet_it():
    optimizer = told({"cost": "minimize"}, {"load": ">= 5"}, (3.0, 6.0), (1.0, 2.0), (2.0, 7.0))
    axes = convergence(optimizer).axes[0]
    assert list(axes.lines[0].get_ydata()) == [3.0, 3.0, 2.0]
    assert points(axes, "limit violated or unknown") == [[1.0, 1.0]]


def test_what_cannot_be_drawn_is_said(two):
    one = told({"cost": "minimize"}, {}, (3.0,))
    for draw in (front, hypervolume):
        with pytest.raises(DataError, match="needs several objectives"):
            draw(one)
        with pytest.raises(DataError, match="no trial is on the front yet"):
            draw(told({"error": "minimize", "speed": "maximize"}, {}))
    with pytest.raises(DataError, match="there are no limits"):
        feasibility(one)
    with pytest.raises(DataError, match="there are several objectives, so there is no convergence to draw; draw the front"):
        convergence(two)
