"""The model of a report."""

from __future__ import annotations

import casmopolitan as cas
from casmopolitan.analysis.row import TrialRow
from casmopolitan.report.model import summarise_model
from casmopolitan.report.page import Facts, render


def test_the_model_finds_what_matters_and_predicts_around_the_best_point(model):
    assert model.relevances["lr"] > model.relevances["seeded"]
    assert "fixed" not in model.relevances
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
    drawn = render(Facts("f", "minimize", 12, "today"), rows, space, model)
    assert ">2.5<" not in drawn, "an integer's axis has whole numbers"
