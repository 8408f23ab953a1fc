"""Values over the trials."""

from __future__ import annotations

import pytest

import casmopolitan as cas
from casmopolitan.analysis.convergence import is_design, running_best, without_outliers


def test_the_running_best_starts_with_the_first_value():
    trials = [cas.Trial(k, {}, {}, "failed" if v is None else "complete", v) for k, v in enumerate([None, 3.0, 1.0, None, 2.0])]
    assert running_best(trials, "minimize") == [None, 3.0, 1.0, 1.0, 1.0]
    assert running_best(trials, "maximize") == [None, 3.0, 3.0, 3.0, 3.0]


@pytest.mark.parametrize(("direction", "sign"), [("minimize", 1.0), ("maximize", -1.0)])
def test_only_bad_values_are_outliers(direction, sign):
    values = [sign * value for value in (-50.0, 9.0, 8.0, 7.0, 5.0, 6.0, 4.0, 1e6)]
    assert without_outliers(values, direction, 5.0) == values[:-1]
    assert without_outliers([2.0, 2.0], direction, 5.0) == [2.0, 2.0]


@pytest.mark.parametrize(
    ("source", "design"),
    [("initial", True), ("restart", True), ("given", True), (None, True)]
    + [(source, False) for source in ("acquisition", "global", "fallback")],
)
def test_a_design_is_whatever_the_model_did_not_suggest(source, design):
    assert is_design({"source": source}) is design
