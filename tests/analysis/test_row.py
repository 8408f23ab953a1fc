"""Rows: each configuration once, however often it was evaluated."""

from __future__ import annotations

from casmopolitan.analysis.row import TrialRow, distinct


def test_each_configuration_stands_once_where_it_comes_first_and_says_how_often():
    values = [("a", 3.0), ("b", 1.0), ("a", 2.0), ("a", 1.0)]
    found = distinct([TrialRow(k, "complete", value, {"x": word}) for k, (word, value) in enumerate(values)])
    assert [(row.number, row.value, row.evaluations) for row in found] == [(0, 3.0, 3), (1, 1.0, 1)]
    assert found[0].to_dict()["evaluations"] == 3


def test_values_that_python_calls_equal_are_different_configurations():
    words = [1, True, 1.0, "1"]
    assert len(distinct([TrialRow(k, "complete", 0.0, {"x": word, "y": None}) for k, word in enumerate(words)])) == 4
