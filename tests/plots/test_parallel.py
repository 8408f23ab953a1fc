"""The figure of trials as lines across parallel axes."""

from __future__ import annotations

import pytest
from matplotlib.colors import to_hex

import casmopolitan as cas
from casmopolitan.plots import parallel_coordinates
from casmopolitan.plots.parallel import ABSENT
from casmopolitan.plots.style import ORANGE


def lines_of(figure):
    """The lines of the trials, without the axes."""
    axes = figure.axes[0]
    return [line for line in axes.get_lines() if list(line.get_xdata()) == list(axes.get_xticks())]


def test_every_completed_trial_is_a_line_and_the_best_is_orange_and_last(mixed, saved):
    figure = parallel_coordinates(mixed, ["solver", "rate", "threads"], title="all")
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == ["solver", "rate", "threads", "value"]
    lines = lines_of(figure)
    assert len(lines) == sum(trial.status == "complete" for trial in mixed.trials)
    assert [to_hex(line.get_color()).upper() == ORANGE for line in lines] == [False] * (len(lines) - 1) + [True]
    best = mixed.best_configuration["threads"]
    assert lines[-1].get_ydata()[2] == pytest.approx((best - 1) / 63)
    assert saved(figure) > 5000


def test_a_line_runs_below_the_axis_of_a_variable_that_does_not_exist(mixed):
    below = [line for line in lines_of(parallel_coordinates(mixed, ["rate"])) if line.get_ydata()[0] == ABSENT]
    complete = [trial for trial in mixed.trials if trial.status == "complete"]
    assert len(below) == sum("rate" not in trial.configuration for trial in complete) > 0


def test_a_log_scale_is_by_ratio():
    space = cas.Space({"rate": cas.Real(0.01, 1.0, log=True)})
    optimizer = cas.Optimizer(space, seed=0)
    optimizer.tell({"rate": 0.1}, 1.0)
    assert lines_of(parallel_coordinates(optimizer))[0].get_ydata()[0] == pytest.approx(0.5)


def test_the_front_of_several_objectives_is_orange(two_goals):
    figure = parallel_coordinates(two_goals, most=1)
    names = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert names == ["a", "error", "gain"]
    orange = [line for line in lines_of(figure) if to_hex(line.get_color()).upper() == ORANGE]
    assert len(orange) == len(two_goals.pareto_front)
    assert len(lines_of(figure)) == 7, "one trial has no gain"


def test_a_trial_outside_the_space_is_left_out():
    optimizer = cas.Optimizer(cas.Space({"a": cas.Categorical(["x", "y", "z"])}), seed=0)
    optimizer.tell_many([{"a": "x"}, {"a": "y"}], [1.0, 2.0])
    optimizer.extend(cas.Space({"a": cas.Categorical(["y", "z"])}))
    assert len(lines_of(parallel_coordinates(optimizer, ["a"]))) == 1


def test_without_a_completed_trial_there_are_no_lines():
    with pytest.raises(cas.DataError, match="no trial has been completed, so there are no lines to draw"):
        parallel_coordinates(cas.Optimizer(cas.Space({"a": cas.Integer(1, 9)}), seed=0))
