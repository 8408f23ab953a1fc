"""The best point, and predictions around it by name or by relevance."""

from __future__ import annotations

from dataclasses import replace

import pytest

import casmopolitan as cas
from casmopolitan.analysis import around

SPACE = cas.Space(
    {
        "base": cas.Categorical(["none", "NaOH"]),
        "amount": cas.Real(0.1, 10.0, when={"base": "NaOH"}),
        "time": cas.Integer(1, 60),
        "light": cas.Ordinal([1, 2, 3]),
    }
)


@pytest.fixture(scope="module")
def optimizer():
    made = cas.Optimizer(SPACE, seed=0)
    rows = SPACE.sample(16, 0)
    made.tell_many(rows, [10.0 * row["light"] + row["time"] / 60 + 50 * (row["base"] == "none") for row in rows])
    return made


def test_the_best_point_of_several_objectives_is_the_one_that_the_front_would_miss_most():
    made = cas.Optimizer(SPACE, seed=0, objectives={"a": "minimize", "b": "minimize"}, reference={"a": 10.0, "b": 10.0})
    rows = [{"base": "none", "time": k, "light": 1} for k in (1, 2, 3, 4)]
    with pytest.raises(cas.DataError, match="no trial is on the front yet"):
        around.best_point(made)
    made.tell_many(rows, [{"a": a, "b": b} for a, b in [(0.0, 9.0), (2.0, 2.0), (9.0, 0.0), (9.0, 9.0)]])
    assert around.best_point(made).number == 1


def test_slices_come_by_relevance_or_as_named(optimizer):
    found = [one.name for one in around.slices(optimizer, None, 9)]
    assert found[0] == "light"
    assert sorted(found) == ["amount", "light", "time"], "a variable on which others depend cannot vary alone"
    assert [one.name for one in around.slices(optimizer, None, 2)] == found[:2]
    assert [one.name for one in around.slices(optimizer, ["time", "light"], 1)] == ["time", "light"]


def test_pairs_come_by_relevance_or_as_named(optimizer):
    best = [one.name for one in around.slices(optimizer, None, 2)]
    assert around.pair(optimizer, None, None).names == tuple(best)
    assert around.pair(optimizer, "time", "amount").names == ("time", "amount")
    assert around.pair(optimizer, None, "light").names[1] == "light"
    assert around.pair(optimizer, "amount", None).names == ("amount", "light")


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("tme", "light", r"'tme' is not a variable of the space\. Did you mean 'time'\?"),
        ("time", "time", "'time' is named twice"),
        ("base", "time", r"no predictions over 'base' and 'time'\. 'base': other variables depend on it: 'amount'"),
    ],
)
def test_a_pair_that_cannot_be_drawn_is_explained(optimizer, first, second, said):
    with pytest.raises(cas.DataError, match=said):
        around.pair(optimizer, first, second)


def test_a_slice_that_cannot_be_drawn_is_explained():
    made = cas.Optimizer(SPACE, seed=0)
    made.tell({"base": "none", "time": 1, "light": 1}, 1.0)
    with pytest.raises(cas.DataError, match="along 'amount': it does not exist at the best point, only if 'base' is 'NaOH'"):
        around.slices(made, ["amount"], 9)


def test_a_model_of_ranks_has_no_predictions_to_draw():
    made = cas.Optimizer(SPACE, seed=0, config=replace(cas.DEFAULT, targets="copula"))
    made.tell_many([{"base": "none", "time": k, "light": 1} for k in range(1, 6)], [1.0, 2.0, 3.0, 4.0, 5.0])
    with pytest.raises(cas.DataError, match="no predictions along any variable: no other value is allowed"):
        around.slices(made, None, 9)
