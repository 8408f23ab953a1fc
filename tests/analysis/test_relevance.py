"""Which variables matter."""

from __future__ import annotations

import pytest

import casmopolitan as cas
from casmopolitan.analysis.relevance import relevances_of


@pytest.mark.parametrize("ard", [True, False])
def test_relevance_finds_the_variable_that_decides(ard):
    space = cas.Space({"idle": cas.Categorical(["a", "b", "c"]), "x": cas.Real(0, 1), "busy": cas.Categorical(["u", "v", "w"])})
    config = cas.Config(kernel="heat", priors="freed", fit="lbfgs", n_initial=25, ard=ard)
    optimizer = cas.Optimizer(space, seed=0, config=config)
    for _ in range(25):
        trial = optimizer.ask()
        optimizer.tell(trial, {"u": 0.0, "v": 2.0, "w": 5.0}[trial.configuration["busy"]])
    found = relevances_of(optimizer)
    assert list(found) == ["idle", "x", "busy"]
    assert found["busy"] > 3 * found["idle"]
    assert all(0 <= value <= 1 for value in found.values())


def test_relevance_is_a_part_of_the_variance_also_where_the_function_is_a_plain_sum():
    """Total effects: 16 / (16 + 4 + 1 + 1) of the variance and so on, whatever rates the smooth kernel needs for them."""
    weights = [4.0, 2.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    space = cas.Space({f"b{i}": cas.Categorical([0, 1]) for i in range(8)})
    optimizer = cas.Optimizer(space, seed=0)
    for configuration in space.sample(60, 1):
        optimizer.tell(configuration, sum(weight * configuration[f"b{i}"] for i, weight in enumerate(weights)))
    found = list(relevances_of(optimizer).values())
    assert found[:2] == pytest.approx([16 / 22, 4 / 22], abs=0.15)
    assert max(found[4:]) < 0.05


def test_numbers_that_decide_all_are_relevant_though_the_model_sees_a_bowl():
    space = cas.Space({"c": cas.Categorical(["a", "b"]), **{f"x{i}": cas.Real(0, 1) for i in range(6)}})
    optimizer = cas.Optimizer(space, seed=0)
    for configuration in space.sample(40, 1):
        value = sum((configuration[f"x{i}"] - 0.5) ** 2 for i in range(6)) + 0.02 * (configuration["c"] == "a")
        optimizer.tell(configuration, value)
    found = relevances_of(optimizer)
    assert max(found, key=found.get) != "c"
    assert 6 * found["c"] < sum(found[f"x{i}"] for i in range(6))


def test_nothing_is_relevant_while_all_values_are_equal():
    space = cas.Space({"kind": cas.Categorical(["a", "b", "c"]), "x": cas.Real(0.0, 1.0)})
    assert relevances_of(cas.minimize(lambda c: 5.0, space, 14, seed=0).optimizer) == {"kind": 0.0, "x": 0.0}
