"""The model of a report."""

from __future__ import annotations

from dataclasses import replace

import pytest

import casmopolitan as cas
from casmopolitan.analysis.row import TrialRow
from casmopolitan.core.gp.structure import Structure
from casmopolitan.goals import Goals
from casmopolitan.report.facts import Facts, Found
from casmopolitan.report.model import describe_structure, summarise_model
from casmopolitan.report.page import render


def test_the_model_finds_what_matters_and_predicts_around_the_best_point(model):
    assert model.structure.relevances["lr"] > model.structure.relevances["seeded"]
    assert "fixed" not in model.structure.relevances
    along = next(one for one in model.slices if one.name == "layers")
    assert (along.values, along.at) == ([2, 4, 8], 4)
    assert along.mean.index(min(along.mean)) == 1


def test_slices_show_nothing_that_the_space_forbids():
    space = cas.Space(
        {"kind": cas.Categorical(["a", "b", "c"]), "side": cas.Categorical(["l", "m", "r"]), "n": cas.Integer(2, 4)},
        cas.Forbid({"kind": "a", "side": ["m", "r"]}),
    )
    result = cas.minimize(lambda c: (c["kind"] != "a") + 0.1 * c["n"], space, 12, seed=0)
    rows = [TrialRow(t.number, t.status, t.value, t.configuration, t.explanation) for t in result.trials]
    model = summarise_model(rows, space, cas.DEFAULT, 0, "minimize")
    assert result.best_configuration["kind"] == "a"
    assert {one.name for one in model.slices} == {"kind", "n"}
    drawn = render(Facts("f", Goals.of("minimize"), 12, "today"), rows, space, Found([model]))
    assert ">2.5<" not in drawn, "an integer's axis has whole numbers"


@pytest.mark.parametrize(
    ("relevances", "single", "text"),
    [
        (
            [0.9, 0.1, 0.0],
            0.93,
            "2 of 3 variables matter to the objective: base, temperature. It is nearly additive: 93% of the",
        ),
        (
            [0.9, 0.5, 0.4],
            0.6,
            "All 3 variables matter to the objective: base, temperature, solvent. 60% of the variance comes",
        ),
        (
            [0.9, 0.8, 0.7],
            0.2,
            "All 3 variables matter to the objective: base, temperature, solvent. It is rugged: only 20% of the",
        ),
        ([1.0, 0.0, 0.0], 1.0, "1 of 3 variables matters to the objective: base."),
    ],
)
def test_the_structure_is_described_in_full_sentences(relevances, single, text):
    structure = Structure(dict(zip(["base", "temperature", "solvent"], relevances, strict=True)), single, 0.9, 30)
    assert describe_structure(structure).startswith(text)
    few = "After 6 trials the model cannot tell yet how many of the 3 variables matter."
    assert describe_structure(replace(structure, trials=6)) == few


def test_the_page_shows_the_structure_above_the_relevances(rows, space, model):
    page = render(Facts("f", Goals.of("minimize"), 40, "today"), rows, space, Found([model]))
    sentence = describe_structure(model.structure)
    assert 0 < page.index(sentence.partition(":")[0]) < page.index("relevance of each variable")
