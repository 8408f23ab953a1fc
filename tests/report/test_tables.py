"""The tables of a report."""

from __future__ import annotations

from dataclasses import replace

import pytest

import casmopolitan as cas
from casmopolitan.analysis.row import TrialRow
from casmopolitan.goals import Goals
from casmopolitan.report.model import chances_of_success, summarise_models
from casmopolitan.report.tables import best_table, next_trials, trials_table, value_text, variable_text

SPACE = cas.Space({"kind": cas.Categorical(["good", "bad"]), "n": cas.Integer(1, 9), "x": cas.Real(0, 1)})
PLAIN = Goals.of("minimize")


def row(number, kind="good", n=3, x=0.5, value=None, **more):
    state = more.pop("state", "complete" if value is not None else "failed")
    return TrialRow(number, state, value, {"kind": kind, "n": n, "x": x}, **more)


@pytest.fixture(scope="module")
def rows():
    done = [row(k, n=1 + k % 9, x=k / 12, value=float(k % 9)) for k in range(10)]
    return [*done, *(row(10 + k, "bad", n=2 + k) for k in range(5))]


@pytest.fixture(scope="module")
def chances(rows):
    return chances_of_success(rows, SPACE, cas.DEFAULT, 0, PLAIN)


def test_the_chance_of_success_tells_choices_that_always_fail(rows, chances):
    good, bad = chances([rows[0].configuration, {**rows[0].configuration, "kind": "bad"}])
    assert good > 0.8
    assert bad < 0.3


def test_the_best_configurations_have_a_chance_of_success_where_it_is_in_doubt(rows, chances):
    doubtful = replace(rows[0], number=99, configuration={**rows[0].configuration, "kind": "bad"})
    table = best_table([rows[0], doubtful], SPACE.names, PLAIN, SPACE, chances)
    place = table[0].index("chance of success")
    assert [int(line[place].removesuffix("%")) < 50 for line in table[1:]] == [False, True]
    assert "chance of success" not in best_table(rows[:3], SPACE.names, PLAIN, SPACE, None)[0]


def test_all_trials_are_listed_the_newest_first_with_comments(rows):
    commented = [*rows, row(15, state="asked", comment="boiled over")]
    table = trials_table(commented, ["x", "kind", "n"], PLAIN)
    assert table[0] == ["trial", "state", "value", "source", "comment", "x", "kind", "n"]
    assert table[1] == ["15", "reserved", "", "", "boiled over", "0.5", "good", "3"]
    assert table[2][:3] == ["14", "failed", ""]
    assert len(table) == 17
    assert trials_table([], [], PLAIN) == []


def test_limits_and_unknown_outcomes_are_listed():
    goals = Goals.of("minimize", limits={"cost": "<= 2"})
    told = TrialRow(0, "complete", 1.0, {"kind": "good"}, outcomes={"value": 1.0, "cost": None}, feasible=None)
    table = trials_table([told], ["kind"], goals)
    assert dict(zip(*table, strict=True)) == {
        "trial": "0", "state": "complete", "value": "1", "cost <= 2": "unknown", "meets limits": "unknown", "source": "",
        "kind": "good",
    }  # fmt: skip


def test_the_next_trials_have_a_prediction_a_chance_a_reason_and_what_differs_from_the_best(rows, chances):
    models = summarise_models(rows, SPACE, cas.DEFAULT, 0, PLAIN, rows[:1])
    asked = row(20, n=7, state="asked", explanation={"reason": "To explore."})
    (one,) = next_trials([asked], ["n", "kind", "x"], SPACE, models, chances, row(0).configuration, under_way=True)
    mean, deviation = models[0].optimizer.predict([asked.configuration])
    assert one.title == "trial 20, reserved"
    assert one.facts[0] == ("predicted", f"{mean[0]:.5g} ± {deviation[0]:.2g}")
    assert one.facts[1][0] == "chance of success"
    assert one.reason == "To explore."
    assert one.pairs == [("n", "7", True), ("kind", "good", False), ("x", "0.5", False)]


def test_a_suggestion_has_the_prediction_that_it_was_chosen_by(rows, chances):
    models = summarise_models(rows, SPACE, cas.DEFAULT, 0, PLAIN)
    why = {"mean": 1.25, "deviation": 0.5, "success": 0.75, "reason": "r"}
    (one,) = next_trials([replace(row(20, state="asked"), explanation=why)], SPACE.names, SPACE, models, chances, None)
    assert one.facts == [("predicted", "1.25 ± 0.5"), ("chance of success", "75%")]
    several = {"means": [1.0, -2.0], "deviations": [0.1, 0.2], "success": 0.75, "feasible": 0.1}
    (two,) = next_trials([replace(row(20, state="asked"), explanation=several)], SPACE.names, SPACE, models * 2, chances, None)
    assert [text for _, text in two.facts[:2]] == ["1 ± 0.1", "-2 ± 0.2"]
    assert two.facts[2] == ("chance of success", f"{chances([row(20).configuration])[0]:.0%}")


def test_a_repetition_of_the_best_trial_says_so():
    best, why = {"kind": "good", "n": 3, "x": 0.5}, {"reason": "a large improvement"}
    again, other = (TrialRow(9, "asked", None, {**best, "n": n}, why) for n in (3, 4))
    reasons = [one.reason for one in next_trials([again, other], SPACE.names, SPACE, [], None, best)]
    assert reasons[0].startswith("The best trial again")
    assert reasons[1] == "a large improvement"


def test_of_many_variables_only_those_that_differ_are_listed():
    space = cas.Space({f"v{k}": cas.Integer(0, 9) for k in range(20)})
    best = dict.fromkeys(space.names, 1)
    (one,) = next_trials([TrialRow(3, "waiting", None, {**best, "v7": 2})], space.names, space, [], None, best)
    assert (one.title, one.pairs, one.alike) == ("trial 3", [("v7", "2", True)], 19)


def test_a_model_of_ranks_predicts_no_magnitudes(rows):
    ranks = replace(cas.DEFAULT, targets="copula")
    models = summarise_models(rows, SPACE, ranks, 0, PLAIN, rows[:1])
    assert (models[0].check, models[0].pair, models[0].slices) == (None, None, [])
    (one,) = next_trials([row(20, state="asked")], SPACE.names, SPACE, models, None, None)
    assert one.facts == []


def test_best_trials_outside_the_space_have_no_chance_of_success(rows, chances):
    outside = replace(rows[0], configuration={"kind": "gone"})
    assert best_table([outside], SPACE.names, PLAIN, SPACE, chances)[1][:2] == ["0", "0"]


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        (cas.Categorical([True, False]), "one of True, False"),
        (cas.Ordinal(["low", "high"]), "in order: low, high"),
        (cas.Integer(10, 50, 10), "whole number from 10 to 50 in steps of 10"),
        (cas.Real(0.05, 1, log=True), "number from 0.05 to 1, on a log scale"),
        (cas.Real(0, 1, 0.25), "number from 0 to 1 in steps of 0.25"),
        (cas.Real(0.1, 1, digits=2), "number from 0.1 to 1 with 2 significant digits"),
        (cas.Integer(1, 3, when={"kind": "svm"}), "whole number from 1 to 3; only if 'kind' is 'svm'"),
    ],
)
def test_variables_are_described_in_words(variable, text):
    assert variable_text(variable) == text


def test_values_have_six_digits():
    assert [value_text(value) for value in (39.9160065095, True, 3, "x")] == ["39.916", "True", "3", "x"]
