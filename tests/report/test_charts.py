"""The charts of a report over the trials."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from casmopolitan.analysis.row import TrialRow
from casmopolitan.goals import Goals
from casmopolitan.report.charts import NARROW, Look, constant_lengths, convergence, trust_region

NAMES = [f"v{k:02}" for k in range(15)]


def values(*told, **more):
    return [TrialRow(k, "complete", value, {"a": k}, {"source": "initial"}, **more) for k, value in enumerate(told)]


def regions(sizes):
    explanations = [{"source": "acquisition", "region": 0, "radius": radius, "length": length} for radius, length in sizes]
    return [TrialRow(k, "complete", 1.0, {}, one) for k, one in enumerate(explanations)]


def test_the_strip_of_the_part_that_changed_is_marked_and_no_other():
    radius, length = trust_region(regions([(5, 0.8), (5, 1.2), (5, 1.2), (3, 0.8)])).split("<svg")[1:]
    assert (radius.count('class="grew"'), radius.count('class="shrank"')) == (0, 1)
    assert (length.count('class="grew"'), length.count('class="shrank"')) == (1, 1)


def test_lengths_that_never_changed_are_a_sentence_and_not_a_flat_line():
    flat = regions([(11, 0.8)] * 9)
    assert trust_region(flat) == ""
    assert constant_lengths(flat) == "Unchanged so far: the radius, 11 and the side, 0.8."
    assert constant_lengths(regions([(5, 0.8), (3, 0.8)])) == "Unchanged so far: the side, 0.8."
    assert constant_lengths([]) == ""


def level(drawn):
    """The height at which the line of the best so far ends, in pixels from the top."""
    return float(re.search(r'<path d="M[^"]* ([\d.]+)" class="best"', drawn)[1])


def test_in_a_noisy_run_the_best_so_far_is_the_models_and_not_the_luckiest_value():
    rows = values(5.0, 1.0, 4.0, 3.0)
    lucky = convergence(rows, Goals.of("minimize"))
    by_model = convergence(rows, Goals.of("minimize"), predicted={0: 4.5, 1: 4.0, 2: 3.5, 3: 3.0})
    dots = [float(y) for y in re.findall(r'cy="([\d.]+)"', by_model)]
    assert level(lucky) == pytest.approx(max(dots), abs=0.1)
    assert level(by_model) == pytest.approx(dots[3], abs=0.1)  # trial 3 has its predicted value
    assert len(dots) == 4


def test_the_value_axis_has_the_name_of_the_objective_and_the_baseline_a_line():
    drawn = convergence(values(3.0, 2.0), Goals.of(objectives={"yield": "maximize"}), baseline=2.5)
    assert "yield (larger is better)" in drawn
    assert "baseline: 2.5" in drawn


def test_a_tooltip_begins_with_the_variables_that_matter_and_says_how_many_it_leaves_out():
    row = TrialRow(3, "complete", 1.5, dict.fromkeys(NAMES, 1))
    lines = Look(["v14", "v07"]).tip(row).splitlines()
    assert lines[:4] == ["trial 3: 1.5", "v14 = 1", "v07 = 1", "v00 = 1"]
    assert (len(lines), lines[-1]) == (14, "… 3 more")
    assert Look(["a"]).tip(replace(row, configuration={"b": 2})).splitlines() == ["trial 3: 1.5", "b = 2"]


def test_the_chart_for_telephones_is_narrow_and_has_no_tooltips():
    rows = values(3.0, 2.0)
    wide, narrow = (convergence(rows, Goals.of("minimize"), look) for look in (Look(), Look(width=NARROW)))
    assert ('viewBox="0 0 620 ' in wide, 'viewBox="0 0 360 ' in narrow) == (True, True)
    assert ("<title>" in wide, "<title>" in narrow) == (True, False)
