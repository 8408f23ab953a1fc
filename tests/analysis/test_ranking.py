"""The order of trials, by value or by the model."""

from __future__ import annotations

from dataclasses import replace

import casmopolitan as cas
from casmopolitan.analysis.ranking import best_by_model, told_again
from casmopolitan.analysis.row import TrialRow
from casmopolitan.goals import Goals

SPACE = cas.Space({"a": cas.Integer(1, 9)})
ROWS = [TrialRow(k, "complete", float(k % 3), {"a": 1 + k % 3}) for k in range(9)]
LUCKY = TrialRow(9, "complete", -1.0, {"a": 3})


def test_without_noise_the_best_value_is_first():
    assert best_by_model([*ROWS, LUCKY], SPACE, cas.DEFAULT, 0, Goals.of())[0] == LUCKY


def test_with_noise_the_best_prediction_is_first_and_not_a_lucky_value():
    noisy = replace(cas.DEFAULT, noisy=True)
    best = best_by_model([*ROWS, LUCKY], SPACE, noisy, 0, Goals.of())
    assert best[0].configuration == {"a": 1}
    assert all(row.predicted is not None for row in best)


def test_failed_trials_are_told_and_those_outside_the_space_are_not():
    rows = [*ROWS[:3], TrialRow(20, "failed", None, {"a": 9}), TrialRow(21, "complete", 1.0, {"a": 77})]
    optimizer = told_again(rows, SPACE, cas.DEFAULT, 0, Goals.of())
    assert [trial.status for trial in optimizer.trials] == ["complete"] * 3 + ["failed"]
