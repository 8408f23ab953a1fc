"""Which variables matter, and how they act together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import casmopolitan as cas
from casmopolitan.core.gp.model import ALIKE_NOTE, fit_model
from casmopolitan.core.gp.structure import Structure, bowl_split, structure_of

UNKNOWN = "cannot tell yet which variables matter"


def told(space, values, n=60, seed=1, config=cas.DEFAULT):
    """An optimiser that was told random points of a space."""
    optimizer = cas.Optimizer(space, seed=0, config=config)
    for configuration in space.sample(n, seed):
        optimizer.tell(configuration, values(configuration))
    return optimizer


def switches(n):
    return cas.Space({f"b{i}": cas.Categorical([0, 1]) for i in range(n)})


def model_of(space, values, n=40, config=cas.DEFAULT):
    """The posterior of the search's own model."""
    sample = space.sample(n, 1)
    y = np.array([float(values(configuration)) for configuration in sample])
    points = space.encode(sample)
    return fit_model(space.domain, config, points, y, y[:10], None, np.random.default_rng(0)).posterior


def bits(configuration):
    return np.array(list(configuration.values()))


# --- what is found ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("config", [cas.DEFAULT, cas.PAPER, cas.ABLATIONS["Naive"]])
def test_relevance_finds_the_variable_that_decides(config):
    space = cas.Space({"idle": cas.Categorical(["a", "b", "c"]), "x": cas.Real(0, 1), "busy": cas.Categorical(["u", "v", "w"])})
    found = told(space, lambda c: {"u": 0.0, "v": 2.0, "w": 5.0}[c["busy"]], n=25, config=config).structure()
    assert list(found.relevances) == ["idle", "x", "busy"]
    assert found.relevances["busy"] > 3 * found.relevances["idle"]
    assert all(0 <= value <= 1 for value in found.relevances.values())
    assert found.matter[0] == "busy"


def test_relevance_is_a_part_of_the_variance_also_where_the_function_is_a_plain_sum():
    """Total effects: 16 / (16 + 4 + 1 + 1) of the variance and so on, whatever rates the smooth kernel needs for them."""
    weights = [4.0, 2.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    structure = told(switches(8), lambda c: weights @ bits(c)).structure()
    found = list(structure.relevances.values())
    assert found[:2] == pytest.approx([16 / 22, 4 / 22], abs=0.15)
    assert max(found[4:]) < 0.05
    assert set(structure.matter) == {"b0", "b1", "b2", "b3"}
    assert structure.matter[:2] == ("b0", "b1")
    assert str(structure) == "4 of 8 variables matter; nearly additive"


def test_numbers_that_decide_all_are_relevant_though_the_model_sees_a_bowl():
    space = cas.Space({"c": cas.Categorical(["a", "b"]), **{f"x{i}": cas.Real(0, 1) for i in range(6)}})
    found = told(space, lambda c: sum((c[f"x{i}"] - 0.5) ** 2 for i in range(6)) + 0.02 * (c["c"] == "a"), 40).structure()
    assert found.matter[0] != "c"
    assert 6 * found.relevances["c"] < sum(found.relevances[f"x{i}"] for i in range(6))


def test_few_of_many_variables_are_counted():
    structure = told(switches(40), lambda c: bits(c)[:6] @ [5, 4, 3, 3, 2, 2], n=90).structure()
    assert set(structure.matter) == {f"b{i}" for i in range(6)}
    assert str(structure) == "6 of 40 variables matter; nearly additive"


def test_products_are_not_additive_and_products_of_four_are_rugged():
    signs = np.array([-1.0, 1.0])
    pairs = told(switches(6), lambda c: np.prod(signs[bits(c)].reshape(3, 2), axis=1).sum() + 2.0 * bits(c).sum()).structure()
    four = told(switches(5), lambda c: float(np.prod(signs[bits(c)[:4]])) + 0.3 * bits(c)[4]).structure()
    assert str(pairs) == "all 6 variables matter; mostly single variables and pairs"
    assert four.additivity == "rugged: many variables act together"


def test_the_data_count_as_much_as_the_kernel():
    """Pure products of two: the kernel alone would call them nearly additive."""
    signs = np.array([-1.0, 1.0])
    found = told(switches(6), lambda c: np.prod(signs[bits(c)].reshape(3, 2), axis=1).sum()).structure()
    assert found.predicted > 0.9
    assert found.single < 0.3
    assert sum(found.relevances.values()) == pytest.approx(2.0, abs=0.3)


def test_the_search_keeps_the_text_with_each_suggestion_of_its_model():
    optimizer = told(switches(6), lambda c: bits(c) @ [5, 4, 3, 3, 2, 2])
    before = cas.Optimizer(switches(6), seed=0).ask()
    alike, after = optimizer.ask(), optimizer.ask()
    assert before.explanation["structure"] is None
    assert (alike.explanation["structure"], alike.explanation["note"]) == (None, ALIKE_NOTE)  # trial 60, a global one
    assert after.explanation["structure"] == "nearly additive"
    loaded = cas.Optimizer.from_json(optimizer.to_json())
    assert loaded.trials[-1].explanation == after.explanation
    assert told(switches(6), lambda c: float(bits(c).sum()), config=cas.PAPER).ask().explanation["structure"] is None


# --- honesty ---------------------------------------------------------------------------------------------------------


def test_nothing_is_relevant_while_all_values_are_equal():
    space = cas.Space({"kind": cas.Categorical(["a", "b", "c"]), "x": cas.Real(0.0, 1.0)})
    structure = told(space, lambda c: 5.0, 14).structure()
    assert structure.relevances == {"kind": 0.0, "x": 0.0}
    assert (structure.matter, str(structure)) == ((), UNKNOWN)


@pytest.mark.parametrize("seed", range(4))
def test_a_model_that_predicts_nothing_tells_nothing(seed):
    rng = np.random.default_rng(seed)
    optimizer = told(switches(12), lambda c: float(rng.normal()), 60, seed, replace(cas.DEFAULT, noisy=True))
    assert str(optimizer.structure()) == optimizer.ask().explanation["structure"] == UNKNOWN


@pytest.mark.parametrize("seed", range(4))
def test_few_trials_of_many_variables_tell_nothing(seed):
    assert str(told(switches(60), lambda c: bits(c)[:6] @ [5, 4, 3, 3, 2, 2], n=25, seed=seed).structure()) == UNKNOWN


def test_without_values_or_variables_there_is_no_structure():
    with pytest.raises(cas.DataError, match="no trial has been completed"):
        cas.Optimizer(switches(3), seed=0).structure()
    fixed = cas.Optimizer(cas.Space({"only": cas.Categorical(["a"])}), seed=0)
    fixed.tell({"only": "a"}, 1.0)
    with pytest.raises(cas.DataError, match="no relevance"):
        fixed.structure()


@pytest.mark.parametrize("name", ["choices", "mixed"])
def test_the_update_is_the_analysis_of_variance_of_functions_drawn_from_the_posterior(name):
    choices = {"a": cas.Categorical([0, 1]), "b": cas.Categorical([0, 1, 2]), "c": cas.Ordinal([0, 1, 3])}
    space = cas.Space(choices | ({"x": cas.Real(0, 1, step=0.25)} if name == "mixed" else {}))
    posterior = model_of(space, lambda c: c["a"] * (c["b"] - 1) + c.get("x", 0.0) + 0.3 * c["c"], n=8)
    points, names = space.domain.every_point(), space.names
    sizes = [space[one].count for one in names]
    drawn = posterior.sample(points, 1500, np.random.default_rng(0)).reshape(-1, *sizes)
    axes = tuple(range(1, 1 + len(sizes)))
    whole = drawn.var(axis=axes).mean()
    single = sum(drawn.mean(axis=tuple(k for k in axes if k != axis)).var(axis=1).mean() for axis in axes)
    involving = [drawn.var(axis=axis).mean() / whole for axis in axes]
    found = structure_of(replace(posterior, bowl=None), names)
    assert list(found.relevances.values()) == pytest.approx(involving, abs=0.12)
    assert found.single == pytest.approx(single / whole, abs=0.12)


# --- its parts -------------------------------------------------------------------------------------------------------


def test_the_prior_mean_counts_as_effects_of_single_variables():
    space = cas.Space(
        {"c": cas.Categorical(["a", "b"]), "o": cas.Ordinal([1, 2, 5]), "x": cas.Real(0, 1), "n": cas.Integer(0, 40)}
    )
    posterior = model_of(space, lambda c: (c["x"] - 0.5) ** 2 + ((c["n"] - 20) / 40) ** 2)
    found, bowl = bowl_split(posterior), posterior.bowl
    sample = space.domain.draw(20_000, np.random.default_rng(0))
    assert found.whole == found.single == pytest.approx(found.involving.sum())
    assert found.whole == pytest.approx(posterior.steepness**2 * bowl(sample).var(), rel=0.05)
    assert found.involving[0] == 0.0
    assert not bowl_split(replace(posterior, bowl=None)).whole


@pytest.mark.parametrize(
    ("relevances", "single", "text"),
    [
        ([1.0, 0.0, 0.0], 1.0, "1 of 3 variables matters"),
        ([0.5, 0.5, 0.0], 0.9, "2 of 3 variables matter; nearly additive"),
        ([0.5, 0.5, 0.3], 0.6, "all 3 variables matter; mostly single variables and pairs"),
        ([0.9, 0.9, 0.9], 0.3, "all 3 variables matter; rugged: many variables act together"),
    ],
)
def test_the_text_says_how_many_matter_and_how_they_act_together(relevances, single, text):
    structure = Structure(dict(zip("abc", relevances, strict=True)), single, 0.9, 30)
    assert str(structure) == text
    assert str(replace(structure, trials=9)) == str(replace(structure, predicted=0.1)) == UNKNOWN
    assert str(replace(structure, counted=False)) == structure.additivity
