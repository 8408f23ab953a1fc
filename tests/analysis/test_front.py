"""The best trials, the front and its hypervolume, against definitions written out."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casmopolitan.analysis.front import best_first, closest, front_of, hypervolumes, reference_of
from casmopolitan.goals import Goals
from casmopolitan.trial import Trial

TWO = Goals.of(objectives={"speed": "maximize", "error": "minimize"}, limits={"memory": "<= 10"})
LIMITED = Goals.of("minimize", limits={"load": ">= 5"})


def trials_of(rows, goals=TWO):
    found = []
    for number, row in enumerate(rows):
        outcomes = dict(zip(goals.order, row, strict=True))
        found.append(Trial(number, {}, {}, "complete", goals.value_of(outcomes), outcomes, goals.is_feasible(outcomes)))
    return found


numbers = st.integers(0, 4).map(float)
rows = st.lists(st.tuples(numbers, numbers, st.sampled_from([5.0, 20.0, None])), max_size=12)


def dominates(one, other):
    at_least = one["speed"] >= other["speed"] and one["error"] <= other["error"]
    return at_least and (one["speed"], one["error"]) != (other["speed"], other["error"])


@given(rows)
def test_the_front_has_the_feasible_trials_that_no_other_dominates_each_pair_of_objectives_once(rows):
    trials = trials_of(rows)
    usable = [trial.outcomes for trial in trials if trial.feasible is True]
    expected = {(a["speed"], a["error"]) for a in usable if not any(dominates(b, a) for b in usable)}
    front = front_of(trials, TWO)
    assert {(one.outcomes["speed"], one.outcomes["error"]) for one in front} == expected
    assert len(front) == len(expected)
    assert [one.outcomes["speed"] for one in front] == sorted((speed for speed, _ in expected), reverse=True)


@given(rows)
def test_the_hypervolume_after_each_trial_is_the_number_of_unit_cells_that_the_front_dominates(rows):
    goals = Goals.of(objectives=TWO.objectives, limits=TWO.limits, reference={"speed": -1.0, "error": 5.0})
    trials = trials_of(rows)
    cells = list(itertools.product(range(-1, 4), range(5)))  # of the plane between the reference point and the best values
    for n, volume in enumerate(hypervolumes(trials, goals), start=1):
        usable = [trial.outcomes for trial in trials[:n] if trial.feasible is True]
        covered = [c for c in cells if any(one["speed"] >= c[0] + 1 and one["error"] <= c[1] for one in usable)]
        assert volume == len(covered)


def test_the_reference_point_is_in_the_users_sign():
    trials = trials_of([(1.0, 2.0, 5.0), (3.0, 6.0, 5.0)])
    assert reference_of(trials, TWO) == {"speed": pytest.approx(0.8), "error": pytest.approx(6.4)}
    assert reference_of([], TWO) is None


def test_with_one_objective_the_best_meets_the_limits_and_unknown_outcomes_do_not_count():
    trials = trials_of([(1.0, 4.0), (3.0, 6.0), (2.0, 7.0), (0.5, None), (None, 9.0)], LIMITED)
    assert [trial.number for trial in best_first(trials, LIMITED)] == [2, 1]
    assert [trial.number for trial in front_of(trials, LIMITED)] == [2]


def test_the_closest_trial_violates_the_limits_least():
    trials = trials_of([(1.0, 1.0), (3.0, 4.5), (2.0, None)], LIMITED)
    assert closest(trials, LIMITED).number == 1
    assert closest(trials[2:], LIMITED) is None
