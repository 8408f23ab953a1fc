"""The numbers at the top of a page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from casmopolitan.analysis.row import TrialRow
from casmopolitan.goals import Goals
from casmopolitan.report.facts import Facts
from casmopolitan.report.tiles import baseline_of, tiles

ROWS = [TrialRow(k, "complete", value, {"a": k}, {"source": "initial"}) for k, value in enumerate([8.0, 6.0, 4.0])]
FACTS = Facts("f", Goals.of("minimize"), 9, "today", baseline={"a": 0})


def shown(facts, rows, best):
    return dict(tiles(facts, rows, best, baseline_of(facts, rows, best)))


def test_the_best_is_compared_with_the_baseline():
    found = shown(FACTS, ROWS, ROWS[::-1])
    assert (found["best value"], found["baseline (trial 0), -50 %"], found["found at trial"]) == ("4", "8", "2")
    assert not [name for name in shown(replace(FACTS, baseline={"a": 77}), ROWS, ROWS[::-1]) if "baseline" in name]


def test_in_a_noisy_run_every_number_is_the_models():
    best = [replace(row, predicted=row.value / 2 + 3) for row in ROWS[::-1]]
    found = shown(FACTS, ROWS, best)
    assert found["best by the model's mean"] == "5"
    assert found["value seen there"] == "4"
    assert found["baseline (trial 0), -29 %"] == "7"
    assert found["best initial value"] == "5"


@pytest.mark.parametrize(("budget", "text"), [(9, "3 of 9"), (None, "3")])
def test_known_results_and_trials_under_way_are_counted_apart(budget, text):
    more = [*ROWS, TrialRow(3, "complete", 5.0, {"a": 9}, known=True), TrialRow(4, "waiting", None, {"a": 8})]
    found = shown(replace(FACTS, budget=budget), more, ROWS[::-1])
    assert (found["trials"], found["known results"], found["under way"]) == (text, "1", "1")
