"""Trials with some values decided by the user: `Optimizer.ask(fixed=...)` and `best_for`."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casmopolitan as cas

SPACE = cas.Space(
    {
        "substrate": cas.Categorical(["A", "B", "C"]),
        "ligand": cas.Categorical(list("pqrstuvw")),
        "solvent": cas.Categorical(list("xyz")),
        "conc": cas.Real(0.0, 1.0),
    }
)
DISCRETE = cas.Space({name: variable for name, variable in SPACE.variables.items() if name != "conc"})


def value(c):
    """Best at the same ligand and solvent for every substrate."""
    height = {"A": 0.0, "B": 5.0, "C": 9.0}[c["substrate"]]
    return height + "pqrstuvw".index(c["ligand"]) + "zyx".index(c["solvent"]) + 4 * (c.get("conc", 0.5) - 0.5) ** 2


def told(optimizer, n, **fixed):
    return [
        optimizer.tell(trial, value(trial.configuration)) for trial in (optimizer.ask(fixed=fixed or None) for _ in range(n))
    ]


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000), fixed=st.sampled_from([{"substrate": "B"}, {"ligand": "q", "conc": 0.25}, {"conc": 1}]))
def test_every_suggestion_has_the_fixed_values_and_none_comes_twice(seed, fixed):
    opt = cas.Optimizer(SPACE, seed=seed)
    told(opt, 12)
    trials = opt.ask(4, fixed=fixed)
    assert all(trial.configuration[name] == v for trial in trials for name, v in fixed.items())
    assert len({json.dumps(trial.configuration) for trial in trials}) == 4
    assert trials[0].explanation["note"] == f"fixed in advance: {', '.join(fixed)}"


def test_the_model_uses_the_trials_with_other_values():
    opt = cas.Optimizer(SPACE, seed=0)
    told(opt, 40, substrate="A")
    first = told(opt, 3, substrate="B")
    assert min(trial.value for trial in first) < 5.3  # 5 is the smallest with B; at random it is 9.9 on average


def test_values_are_fixed_before_there_is_a_model_too():
    opt = cas.Optimizer(SPACE, seed=0)
    assert {trial.configuration["substrate"] for trial in opt.ask(12, fixed={"substrate": "C"})} == {"C"}


def test_a_saved_optimiser_goes_on_exactly():
    opt = cas.Optimizer(SPACE, seed=1)
    told(opt, 12)
    told(opt, 2, substrate="B")
    pending = opt.ask(2, fixed={"substrate": "B"})
    again = cas.Optimizer.from_json(opt.to_json())
    assert again.pending == pending
    assert again.ask(fixed={"substrate": "C"}) == opt.ask(fixed={"substrate": "C"})


def test_the_best_trial_is_found_for_each_fixed_value():
    opt = cas.Optimizer(SPACE, seed=0)
    told(opt, 8, substrate="A")
    told(opt, 8, substrate="B")
    for name in "AB":
        own = [trial for trial in opt.trials if trial.configuration["substrate"] == name]
        assert opt.best_for({"substrate": name}) == min(own, key=lambda trial: trial.value)
    assert opt.best_for({}) == opt.best_trial
    with pytest.raises(cas.DataError, match="no completed trial has these values"):
        opt.best_for({"substrate": "C"})
    result = cas.minimize(value, SPACE, 12, seed=0)
    assert result.best_for({"substrate": "A"}).configuration["substrate"] == "A"


def test_a_noisy_objective_compares_predicted_means():
    opt = cas.Optimizer(SPACE, seed=0, noisy=True)
    told(opt, 15)
    assert opt.best_for({"substrate": "A"}).configuration["substrate"] == "A"


def test_the_points_with_fixed_values_run_out():
    opt = cas.Optimizer(DISCRETE, seed=0)
    fixed = {"substrate": "A", "ligand": "p"}
    assert len(opt.ask(10, fixed=fixed)) == 3
    with pytest.raises(cas.ExhaustedError):
        opt.ask(fixed=fixed)


def test_every_value_may_be_fixed_once():
    opt = cas.Optimizer(DISCRETE, seed=0)
    whole = {"substrate": "A", "ligand": "p", "solvent": "x"}
    assert opt.ask(fixed=whole).configuration == whole
    with pytest.raises(cas.ExhaustedError):
        opt.ask(fixed=whole)


def test_an_initial_configuration_waits_for_an_ask_that_allows_it():
    initial = {"substrate": "A", "ligand": "p", "solvent": "x"}
    opt = cas.Optimizer(DISCRETE, seed=0, initial=[initial])
    assert opt.ask(fixed={"substrate": "B"}).configuration["substrate"] == "B"
    assert opt.ask(fixed={"substrate": "A"}).configuration == initial


def test_rules_hold_and_a_rule_against_the_fixed_values_is_an_error():
    space = cas.Space(dict(DISCRETE.variables), cas.Forbid({"substrate": "B", "ligand": list("pqrst")}))
    opt = cas.Optimizer(space, seed=0)
    assert {t.configuration["ligand"] for t in opt.ask(9, fixed={"substrate": "B"})} == set("uvw")
    with pytest.raises(cas.InfeasibleError):
        opt.ask(fixed={"substrate": "B", "ligand": "p"})


def test_a_value_of_a_variable_that_cannot_exist_is_refused():
    space = cas.Space(
        {
            "model": cas.Categorical(["svm", "forest"]),
            "kernel": cas.Categorical(["rbf", "poly"], when={"model": "svm"}),
            "degree": cas.Integer(2, 5, when={"kernel": "poly"}),
            "C": cas.Real(0.1, 10.0, when={"model": "svm"}),
            "trees": cas.Integer(10, 500, when={"model": "forest"}),
        }
    )
    opt = cas.Optimizer(space, seed=0)
    for fixed, name in (
        ({"model": "svm", "trees": 20}, "trees"),
        ({"model": "forest", "C": 1.0}, "C"),
        ({"model": "forest", "degree": 3}, "degree"),
        ({"kernel": "rbf", "degree": 3}, "degree"),
    ):
        with pytest.raises(cas.SpaceError) as error:
            opt.ask(fixed=fixed)
        assert f"'{name}' exists only when" in str(error.value)
    with pytest.raises(cas.SpaceError, match="exists only when"):
        opt.ask(fixed={"C": 1.0, "trees": 20})
    assert opt.trials == []
    assert set(opt.ask(fixed={"degree": 3}).configuration) == {"model", "kernel", "degree", "C"}


def test_a_fixed_value_leaves_the_choice_between_all_branches_that_have_it():
    space = cas.Space(
        {
            "model": cas.Categorical(["svm", "ridge", "forest"]),
            "C": cas.Integer(1, 15, when={"model": ["svm", "ridge"]}),
            "kernel": cas.Categorical(["rbf", "poly"], when={"model": "svm"}),
            "trees": cas.Ordinal([10, 20, 50], when={"model": "forest"}),
        }
    )

    def error(c):
        return {"svm": 5, "ridge": 1, "forest": 3}[c["model"]] + c.get("C", 0) / 10

    given = {name: space[name] for name in ("C", "kernel")}
    listed = cas.Space.of([{"model": "svm", "C": 1, "kernel": "rbf"}, {"model": "ridge", "C": 5}], variables=given)
    assert cas.Optimizer(listed, seed=0).ask(fixed={"C": 5}).configuration == {"model": "ridge", "C": 5}
    early = {cas.Optimizer(space, seed=seed).ask(fixed={"C": 2}).configuration["model"] for seed in range(8)}
    assert early == {"svm", "ridge"}
    opt = cas.Optimizer(space, seed=0)
    for _ in range(11):
        trial = opt.ask()
        opt.tell(trial, error(trial.configuration))
    tried = [trial.configuration["C"] for trial in opt.trials if trial.configuration["model"] == "ridge"]
    left = next(C for C in range(1, 16) if C not in tried)
    assert opt.ask(fixed={"C": left}).configuration == {"model": "ridge", "C": left}
    assert len(opt.ask(9, fixed={"C": left})) < 3
    with pytest.raises(cas.ExhaustedError):
        opt.ask(fixed={"C": left})


def test_a_branch_may_be_fixed_before_there_is_a_model_whatever_was_tried_in_other_branches():
    space = cas.Space(
        {
            "model": cas.Categorical(["svm", "forest"]),
            "depth": cas.Ordinal([1, 2, 3], when={"model": "forest"}),
            "kernel": cas.Categorical(["rbf", "poly"], when={"model": "svm"}),
        }
    )
    opt = cas.Optimizer(space, seed=0)
    opt.ask(2, fixed={"model": "forest"})
    assert [trial.configuration["kernel"] for trial in opt.ask(2, fixed={"model": "svm"})] in (["rbf", "poly"], ["poly", "rbf"])


def test_values_that_no_candidate_has_are_refused():
    rows = [{"model": "svm", "C": 1.0}, {"model": "svm", "C": 10.0}, {"model": "forest", "trees": 20}]
    when = {"C": cas.Real(0.1, 10.0, when={"model": "svm"}), "trees": cas.Integer(10, 30, when={"model": "forest"})}
    opt = cas.Optimizer(cas.Space.of(rows, variables=when), seed=0)
    for fixed in ({"trees": 30}, {"model": "svm", "C": 2.0}):
        with pytest.raises(cas.SpaceError, match=r"no candidate has .*; fix values that one of the candidates has"):
            opt.ask(fixed=fixed)
    assert opt.trials == []
    assert opt.ask(fixed={"trees": 20}).configuration == rows[2]
    middle = cas.Space.of([{"model": "svm", "C": 1.0}, {"model": "forest"}], variables={"C": replace(when["C"], low=0.0)})
    with pytest.raises(cas.SpaceError, match="no candidate has"):  # where C does not exist, its code is that of 5
        cas.Optimizer(middle, seed=0).ask(fixed={"C": 5.0})


def test_of_many_combinations_of_parents_those_of_the_candidates_are_found():
    letters = list("abcdefgh")
    child = cas.Integer(1, 5, when={"p": letters[:7], "q": letters[:7]})
    rows = [{"p": "g", "q": "f", "n": 3}, *({"p": p, "q": "h"} for p in letters), *({"p": "h", "q": q} for q in letters[:7])]
    space = cas.Space.of(rows, variables={"p": cas.Categorical(letters), "q": cas.Categorical(letters), "n": child})
    assert cas.Optimizer(space, seed=0).ask(fixed={"n": 3}).configuration == rows[0]


def test_unknown_names_and_values_are_all_reported():
    opt = cas.Optimizer(SPACE, seed=0)
    with pytest.raises(cas.SpaceError) as error:
        opt.ask(2, fixed={"Substrate": "A", "ligand": "P", "conc": 3})
    text = str(error.value)
    assert "'Substrate' is not a variable of the space. Did you mean 'substrate'?" in text
    assert "Categorical 'ligand' got 'P'" in text
    assert "Real 'conc' got 3" in text
    with pytest.raises(cas.SpaceError, match="give a dict"):
        opt.ask(fixed=["substrate"])
    assert opt.trials == []
