"""Pairs of variables around the best point."""

from __future__ import annotations

import pytest

import casmopolitan as cas
from casmopolitan.analysis.pairs import pair_around
from casmopolitan.analysis.slices import slice_around

SPACE = cas.Space(
    {
        "solvent": cas.Categorical(["water", "ethanol", "toluene"]),
        "base": cas.Categorical(["none", "NaOH"]),
        "amount": cas.Real(0.1, 10.0, log=True, when={"base": "NaOH"}),
        "time": cas.Integer(1, 60),
    },
    [cas.Forbid({"solvent": "toluene", "base": "none"})],
)


@pytest.fixture(scope="module")
def optimizer():
    made = cas.Optimizer(SPACE, seed=0)
    for k, configuration in enumerate(SPACE.sample(12, 0)):
        made.tell(configuration, configuration["time"] + (configuration["solvent"] != "ethanol") + k / 100)
    return made


def test_a_pair_predicts_every_allowed_combination_and_crosses_at_the_best_point(optimizer):
    best = {"solvent": "ethanol", "base": "none", "time": 7}
    found = pair_around(optimizer, best, ("solvent", "time"))
    assert found is not None
    assert found.at == ("ethanol", 7)
    assert found.values[0] == ["water", "ethanol"]  # toluene is forbidden without a base
    assert 7 in found.values[1]
    mean, deviation = optimizer.predict([{**best, "solvent": "water", "time": time} for time in found.values[1]])
    assert found.mean[0] == pytest.approx(mean.tolist())
    assert found.deviation[0] == pytest.approx(deviation.tolist())


def test_a_combination_that_the_space_forbids_is_none():
    space = cas.Space({"a": cas.Integer(1, 3), "b": cas.Integer(1, 3)}, [cas.Forbid({"a": 1, "b": 1})])
    optimizer = cas.Optimizer(space, seed=0)
    for configuration in space.sample(5, 0):
        optimizer.tell(configuration, float(configuration["a"] * configuration["b"]))
    found = pair_around(optimizer, {"a": 2, "b": 2}, ("a", "b"))
    assert found is not None
    assert [[mean is None for mean in row] for row in found.mean] == [[True, False, False], [False] * 3, [False] * 3]


@pytest.mark.parametrize("names", [("amount", "time"), ("time", "time"), ("solvent", "base")])
def test_there_is_no_pair_where_a_variable_cannot_vary(optimizer, names):
    """`amount` does not exist at this point, and `amount` depends on `base`."""
    assert pair_around(optimizer, {"solvent": "ethanol", "base": "none", "time": 7}, names) is None


def test_a_conditional_variable_varies_where_it_exists(optimizer):
    best = {"solvent": "ethanol", "base": "NaOH", "amount": 1.0, "time": 7}
    found = pair_around(optimizer, best, ("time", "amount"), steps=4)
    assert found is not None
    assert len(found.values[0]) == 6
    assert found.values[1] == pytest.approx([0.1, 10**-0.5, 1.0, 10**0.5, 10.0])


def test_with_several_objectives_one_is_named():
    space = cas.Space({"a": cas.Integer(1, 3), "b": cas.Integer(1, 3)})
    optimizer = cas.Optimizer(space, seed=0, objectives={"error": "minimize", "gain": "maximize"})
    for configuration in space.sample(4, 0):
        optimizer.tell(configuration, {"error": float(configuration["a"]), "gain": 100.0 + configuration["b"]})
    best = {"a": 2, "b": 2}
    with pytest.raises(cas.DataError, match=r"objective is None; give the name of one objective: 'error', 'gain'"):
        slice_around(optimizer, best, "a")
    found = pair_around(optimizer, best, ("a", "b"), objective="gain")
    assert found is not None
    assert all(mean is not None and mean > 50 for row in found.mean for mean in row)
