"""The figure of predictions along one variable at a time."""

from __future__ import annotations

import pytest

import casmopolitan as cas
from casmopolitan.plots import slices


def test_numbers_are_lines_and_choices_are_dots(mixed, saved):
    figure = slices(mixed, ["threads", "order", "rate"])
    lines, dots, log = figure.axes[:3]
    assert len(lines.get_lines()[0].get_xdata()) > 20
    assert lines.get_lines()[0].get_linestyle() == "-"
    assert dots.get_lines()[0].get_linestyle() == "None"
    assert [text.get_text() for text in dots.get_xticklabels()] == ["1", "2", "4"]
    assert (lines.get_xscale(), log.get_xscale()) == ("linear", "log")
    assert len({axes.get_ylim() for axes in (lines, dots, log)}) == 1
    assert saved(figure) > 5000


def test_the_most_relevant_variables_are_drawn_by_default(mixed):
    titles = [axes.get_title(loc="left") for axes in slices(mixed, most=2).axes]
    assert len(titles) == 2
    assert "solver" not in titles, "rate depends on it"


def test_predictions_far_outside_the_values_are_cut_off(mixed):
    low, high = slices(mixed).axes[0].get_ylim()
    values = [trial.value for trial in mixed.trials if trial.value is not None]
    apart = max(values) - min(values)
    assert low >= min(values) - 1.2 * apart
    assert high <= max(values) + 1.2 * apart


def test_one_of_several_objectives_is_named(two_goals):
    assert slices(two_goals, "a", objective="gain").axes[0].get_ylabel() == "predicted gain\n(larger is better)"
    with pytest.raises(cas.DataError, match="give the name of one objective"):
        slices(two_goals, "a")


def test_a_choice_that_failed_in_every_trial_has_a_cross():
    space = cas.Space({"a": cas.Categorical(["x", "y", "z"]), "b": cas.Integer(1, 9)})
    optimizer = cas.Optimizer(space, seed=0)
    rows = [{"a": a, "b": b} for a in "xyz" for b in (1, 5, 9)]
    optimizer.tell_many(rows, [cas.FAILED if r["a"] == "z" or r == {"a": "y", "b": 1} else float(r["b"]) for r in rows])
    figure = slices(optimizer, ["b", "a"])
    crosses = next(line for line in figure.axes[1].get_lines() if line.get_marker() == "x")
    assert list(crosses.get_xdata()) == [2], "y failed once and succeeded twice"
    assert "failed in every trial" in [text.get_text() for text in figure.legends[0].get_texts()]
