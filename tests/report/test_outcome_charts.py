"""The charts of several objectives and of limits."""

from __future__ import annotations

from dataclasses import replace

import pytest

import casmopolitan as cas
from casmopolitan.analysis.front import front_of
from casmopolitan.analysis.row import TrialRow, by_means, leading, volume_of
from casmopolitan.goals import Goals
from casmopolitan.report.charts import ON_SCREEN
from casmopolitan.report.facts import Facts, Found
from casmopolitan.report.model import summarise_models
from casmopolitan.report.outcome_charts import hypervolume, limits, pareto_front
from casmopolitan.report.page import render

TWO = Goals.of(objectives={"error": "minimize", "speed": "maximize"}, limits={"memory": "<= 10"})
SPACE = cas.Space({"a": cas.Categorical(["x", "y", "z"]), "n": cas.Integer(1, 9)})


def row_of(number, goals=TWO, **outcomes):
    a, n = "xyz"[number % 3], 1 + number % 9
    feasible = goals.is_feasible(outcomes)
    return TrialRow(number, "complete", goals.value_of(outcomes), {"a": a, "n": n}, outcomes=outcomes, feasible=feasible)


def once(draw):
    return draw(ON_SCREEN)


@pytest.fixture
def rows():
    told = [(1.0, 1.0, 5.0), (2.0, 2.0, 5.0), (3.0, 1.5, 5.0), (0.5, 9.0, 20.0), (0.4, 0.5, None), (9e9, 0.1, 5.0)]
    return [row_of(k, error=e, speed=s, memory=m) for k, (e, s, m) in enumerate(told)]


def test_the_front_its_line_and_the_trials_outside_the_limits_are_drawn(rows):
    (drawn,) = pareto_front(rows, TWO, front_of(rows, TWO), once)
    assert (drawn.count('class="found"'), drawn.count('class="initial"'), drawn.count('class="violating"')) == (2, 2, 2)
    assert drawn.count('class="best"') == 1
    assert "error (smaller is better)" in drawn
    assert "speed (larger is better)" in drawn
    assert "memory unknown" in drawn  # in the tooltip of a trial


def test_in_a_noisy_run_the_front_and_its_hypervolume_are_those_of_the_model():
    two = Goals.of(objectives={"error": "minimize", "speed": "maximize"})
    rows = [row_of(k, two, error=e, speed=s) for k, (e, s) in enumerate([(1.0, 1.0), (2.0, 2.0), (0.1, 9.0)])]
    means = [{"error": 1.0, "speed": 1.0}, {"error": 2.0, "speed": 2.0}, {"error": 1.5, "speed": 0.5}]
    best = by_means([replace(row, means=one) for row, one in zip(rows, means, strict=True)], two)
    front = leading(best, two)
    assert [row.number for row in front] == [0, 1]  # trial 2 was lucky
    (drawn,) = pareto_front(rows, two, front, once)
    assert (drawn.count('class="found"'), drawn.count('class="initial"')) == (2, 1)
    volume, _ = volume_of(best, two)
    assert f": {volume:.6g}<" in hypervolume(rows, two, best)
    assert f": {volume:.6g}<" not in hypervolume(rows, two)


def test_three_objectives_are_drawn_in_pairs_and_one_not_at_all(rows):
    three = Goals.of(objectives={"error": "minimize", "speed": "maximize", "memory": "minimize"})
    known = [row for row in rows if None not in row.outcomes.values()]
    assert len(pareto_front(known, three, front_of(known, three), once)) == 3
    assert pareto_front(rows, Goals.of(), rows, once) == []
    assert hypervolume(rows, Goals.of()) == ""


def test_every_limit_has_a_chart_that_counts_the_trials_that_meet_it(rows):
    drawn = limits(rows, TWO)
    assert "memory &lt;= 10: met by 4 of 5" in drawn
    assert (drawn.count('class="met"'), drawn.count('class="violating"'), drawn.count('class="bound"')) == (4, 1, 1)


def test_the_page_of_several_objectives_has_every_part(rows):
    more = [row_of(k, error=1.0 + k % 7, speed=k % 5 + 0.5, memory=5.0) for k in range(6, 24)]
    every = [*rows[:5], *more]
    models = summarise_models(every, SPACE, cas.DEFAULT, 0, TWO, front_of(every, TWO))
    assert [model.objective for model in models] == ["error", "speed"]
    page = render(Facts("f", TWO, 30, "today"), every, SPACE, Found(models))
    for part in (
        "minimize error, maximize speed, memory &lt;= 10",
        "<h2>Pareto front</h2>",
        "<h2>Hypervolume</h2>",
        "<h2>Limits</h2>",
        "<h2>Relevance of the variables: error</h2>",
        "of the front: speed</h2>",
        "<h2>The front</h2>",
        ">memory &lt;= 10</th>",
        "<span>meet all limits</span>",
    ):
        assert part in page
    assert "<h2>Convergence</h2>" not in page


def test_with_one_objective_the_best_meets_the_limits_and_the_others_are_marked():
    goals = Goals.of("minimize", limits={"memory": "<= 10"})
    rows = [row_of(k, goals, value=v, memory=m) for k, (v, m) in enumerate([(3.0, 5.0), (1.0, 20.0), (2.0, 8.0)])]
    page = render(Facts("f", goals, 3, "today"), rows, SPACE)
    assert "<b>2</b><span>best value</span>" in page
    assert "<b>8</b><span>memory &lt;= 10</span>" in page
    assert (
        page.count('class="violating"') == 4
    )  # in the convergence and in the chart of the limit, each for screens and for telephones
    bad = [replace(rows[1], number=0)]
    assert "No trial meets all limits yet. Trial 0 comes closest: value 1, memory 20." in render(
        Facts("f", goals, 3, "today"), bad, SPACE
    )
