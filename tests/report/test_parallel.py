"""The best trials side by side."""

from __future__ import annotations

import re
from dataclasses import replace

import casmopolitan as cas
from casmopolitan.analysis.row import TrialRow
from casmopolitan.goals import Goals
from casmopolitan.report.parallel import side_by_side

LONG = "inline-functions-called-once"
SPACE = cas.Space({"a": cas.Categorical(["x", "y"]), LONG: cas.Categorical([True, False])})
ROWS = [TrialRow(k, "complete", 50.0 + k, {"a": "xy"[k % 2], LONG: k > 1}) for k in range(4)]


def texts(drawn):
    return re.findall(r">([^<>]+)</text>", drawn)


def test_names_are_whole_where_there_is_room():
    assert {LONG, "a", "value"} <= set(texts(side_by_side(ROWS, SPACE, ["a", LONG], Goals.of())))


def test_in_a_noisy_run_the_last_axis_is_the_models_mean_labelled_at_its_ends():
    predicted = [replace(row, predicted=40.0 + row.number / 2) for row in ROWS]
    drawn = side_by_side(predicted, SPACE, ["a", LONG], Goals.of())
    assert "model&#39;s mean" in drawn
    ends = {text: float(y) for y, text in re.findall(r' y="([\d.]+)" class="halo"[^>]*>(4[\d.]+)</text>', drawn)}
    assert set(ends) == {"40", "41.5"}
    assert ends["41.5"] - ends["40"] > 250  # at the ends of the axis, the best on top


def test_one_line_alone_is_not_drawn():
    assert side_by_side(ROWS[:1], SPACE, ["a"], Goals.of()) == ""
