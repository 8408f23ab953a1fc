"""The charts of a report's model."""

from __future__ import annotations

import re

import pytest

import casmopolitan as cas
from casmopolitan.analysis.check import ModelCheck
from casmopolitan.analysis.pairs import Pair
from casmopolitan.analysis.slices import Slice
from casmopolitan.report.predictions import checked, heat_map, prediction


def choices(*texts):
    count = len(texts)
    return Slice("kind", texts[0], list(texts), [1.0] * count, [0.1] * count), cas.Categorical(list(texts))


def test_a_wild_prediction_does_not_flatten_the_picture():
    drawn = prediction(Slice("n", 1, [1, 2, 3], [1.0, 5.0, 1e87], [0.1, 0.1, 1e88]), cas.Integer(1, 3), (0.0, 10.0))
    assert "e+8" not in drawn


def test_a_choice_that_is_likely_to_fail_is_marked_with_its_chance():
    along, variable = choices("a", "b", "c")
    drawn = prediction(along, variable, chances=[1.0, 0.12, 0.8])
    assert drawn.count('class="doubtful"') == 1
    assert ">12%<" in drawn
    assert ">80%<" in drawn
    assert drawn.count('class="risk"') == 2
    assert "chance of success 12%" in drawn
    sure = prediction(along, variable, chances=[1.0, 0.99, 0.97])
    assert 'class="risk"' not in sure
    assert "chance" not in sure


def test_a_number_that_is_likely_to_fail_is_marked_along_the_axis():
    along = Slice("n", 1, [1, 2, 3], [1.0, 2.0, 3.0], [0.1] * 3)
    drawn = prediction(along, cas.Integer(1, 3), chances=[1.0, 0.9, 0.1])
    assert [float(one) for one in re.findall(r'class="risk" opacity="([\d.]+)"', drawn)] == [0.1, 0.9]


@pytest.mark.parametrize(
    ("texts", "whole", "tilted"),
    [
        (("water", "toluene"), True, False),
        (("-fomit-frame-pointer", "-fno-omit-frame-pointer"), True, False),  # in two rows
        (("1,4-dioxane", "toluene", "2-methyl-THF", "acetonitrile", "DMSO"), True, True),
        (("a very long name of a choice, too long", "b", "c", "d", "e"), False, True),
    ],
)
def test_labels_are_whole_wherever_there_is_room(texts, whole, tilted):
    drawn = prediction(*choices(*texts))
    labels = re.findall(r'class="tick" text-anchor="\w+"[^>]*>([^<]*)</text>', drawn)
    assert set(texts) <= set(labels) if whole else texts[0] not in labels
    assert ("rotate(" in drawn) is tilted


def test_a_heat_map_is_strongest_at_the_best_cell_and_crosses_out_what_fails():
    pair = Pair(("a", "b"), (1, "x"), ([1, 2], ["x", "y"]), [[1.0, 2.0], [3.0, None]], [[0.1, 0.1], [0.1, None]])
    drawn = heat_map(pair, "maximize", chances={(0, 0): 1.0, (0, 1): 0.2, (1, 0): 1.0})
    assert [float(one) for one in re.findall(r'class="heat" opacity="([\d.]+)"', drawn)] == [0.08, 0.5, 0.92]
    assert drawn.count('class="failed"') == 1
    assert "chance of success 20%" in drawn
    assert drawn.count('class="here"') == 1
    assert "strong 3, faint 1" in drawn


def test_the_check_draws_one_prediction_per_trial_and_the_diagonal():
    check = ModelCheck([*map(float, range(1, 10)), 900.0], [1.1, 2.2, *map(float, range(3, 10)), 5.5], [0.1] * 10, 0.9)
    drawn = checked(check, "minimize")
    assert (drawn.count('class="level"'), drawn.count('class="off"')) == (9, 1)
    assert drawn.count('class="bound"') == 1
    assert "value 2, predicted 2.2 ± 0.2" in drawn
