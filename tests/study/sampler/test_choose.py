import math
from dataclasses import replace

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, distributions_of, exhausted, explain, stop_when_exhausted, suggest
from sampled import NINE, made, objective, params

FURNACE = cas.Space(
    {
        "gas": cas.Categorical(["argon", "air"]),
        "lining": cas.Categorical(["steel", "graphite", "alumina"]),
        "heat": cas.Real(0.0, 1.0),
    }
)


def furnace(configuration):
    """With air the optimum is another: steel at 0.9."""
    if configuration["gas"] == "air":
        return 5.0 + (configuration["lining"] != "steel") + (configuration["heat"] - 0.9) ** 2
    return (configuration["lining"] != "graphite") + (configuration["heat"] - 0.1) ** 2


def no_burning(configuration):
    return configuration["gas"] != "air" or configuration["lining"] != "graphite"


def test_an_exhausted_space_is_said_and_points_repeat():
    study = made(NINE)
    study.optimize(lambda trial: suggest(trial, NINE)["x"], n_trials=11)
    assert exhausted(study)
    rows = explain(study)
    assert [row["note"] for row in rows if "repetition" in row["note"]] == [rows[9]["note"]] * 2


def test_a_partly_fixed_trial_is_recorded_as_it_runs():
    study = made()
    study.enqueue_trial({"letter": "c", "layers": 6})
    study.optimize(objective, n_trials=1)
    row = explain(study)[0]
    assert row["source"] == "given"
    assert row["note"] == "fixed in advance: letter, layers"
    assert (row["params"]["letter"], row["params"]["layers"]) == ("c", 6)


@pytest.mark.parametrize("rule", [cas.Forbid({"gas": "air", "lining": "graphite"}), no_burning], ids=["clause", "predicate"])
def test_the_rest_of_a_partly_fixed_trial_keeps_to_the_constraint(rule):
    study = made(FURNACE, constraint=rule)
    for number in range(12):
        if number % 2:
            study.enqueue_trial({"gas": "air"})
        trial = study.ask(distributions_of(FURNACE))
        study.tell(trial, furnace(trial.params))
    fixed = params(study)[1::2]
    assert {one["gas"] for one in fixed} == {"air"}
    assert {one["lining"] for one in fixed} == {"steel", "alumina"}
    assert {row["source"] for row in explain(study)[1::2]} == {"given"}


def test_partly_fixed_trials_repeat_no_point_until_none_is_left(caplog):
    study = made(NINE)
    with caplog.at_level("WARNING", logger="optuna.casmopolitan"):
        for _ in range(4):
            study.enqueue_trial({"y": "b"})
            study.ask(distributions_of(NINE))
    assert [one["y"] for one in params(study)] == ["b"] * 4
    assert {one["x"] for one in params(study)[:3]} == {0, 1, 2}
    assert "fixed in advance: y: every point with these values has been suggested; one is repeated" in caplog.text
    assert not exhausted(study)


def test_the_rest_of_a_partly_fixed_trial_is_the_best_there_and_not_elsewhere():
    study = made(FURNACE, config=replace(cas.DEFAULT, n_initial=5))
    study.optimize(lambda trial: furnace(suggest(trial, FURNACE)), n_trials=10)
    for _ in range(8):
        study.enqueue_trial({"gas": "air"})
    study.optimize(lambda trial: furnace(suggest(trial, FURNACE)), n_trials=8)
    assert min(trial.value for trial in study.trials[10:]) < 5.01  # the optimum with air; the other gases' is 0, far from it


def test_what_no_constraint_would_allow_is_said_and_evaluated_all_the_same(caplog):
    study = made(FURNACE, constraint=cas.Forbid({"gas": "air"}))
    with caplog.at_level("WARNING", logger="optuna.casmopolitan"):
        for fixed in ({"gas": "air"}, {"gas": "air", "lining": "steel", "heat": 0.5}):
            study.enqueue_trial(fixed)
            asked = study.ask(distributions_of(FURNACE) | {"beyond the space": FloatDistribution(0, 1)})
            assert asked.params.items() >= fixed.items()
    assert "fixed in advance: gas: no allowed point has these values" in caplog.text
    assert "fixed in advance: gas, lining, heat: the constraint forbids this point" in caplog.text


@pytest.mark.parametrize("when", [None, {"m": "a"}])
def test_values_that_no_candidate_has_are_said_and_evaluated_all_the_same(when, caplog):
    rest = {} if when else {"k": "p"}
    rows = [{"m": "a", "k": k, "n": n} for k in "pq" for n in (1, 2)] + [{"m": "b", "n": 3, **rest}, {"m": "c", "n": 1, **rest}]
    space = cas.Space.of(rows, variables={"k": cas.Categorical(["p", "q"], when=when)})
    study = made(space)
    study.enqueue_trial({"k": "q", "n": 3})
    with caplog.at_level("WARNING", logger="optuna.casmopolitan"):
        study.optimize(lambda trial: suggest(trial, space)["n"], n_trials=1)
    assert study.trials[0].value == 3
    assert "fixed in advance: k, n: no allowed point has these values" in caplog.text


def test_a_trial_fixed_in_all_that_is_modelled_stays_as_it_was_enqueued_in_an_exhausted_space_too():
    study = made(NINE)
    study.optimize(lambda trial: suggest(trial, NINE)["x"], n_trials=9)
    study.enqueue_trial({"x": 1, "y": "b"})
    asked = study.ask(distributions_of(NINE) | {"beyond the space": FloatDistribution(0, 1)})
    assert not exhausted(study)
    assert asked.params.items() >= {"x": 1, "y": "b"}.items()
    assert explain(study)[-1]["note"] == "fixed in advance: x, y"


def test_a_small_part_that_all_trials_share_is_not_used_up():
    def objective(trial):
        kind = trial.suggest_categorical("kind", ["svm", "forest", "net"])
        if kind == "svm":
            return abs(math.log10(trial.suggest_float("c", 1e-3, 1e3, log=True)) - 1)
        return 2.0 + trial.suggest_float("rate" if kind == "net" else "share", 0.0, 1.0)

    study = optuna.create_study(sampler=CasmopolitanSampler(seed=0))
    study.optimize(objective, n_trials=30, callbacks=[stop_when_exhausted])
    assert len(study.trials) == 30
    assert not exhausted(study)
    kinds = [trial.params["kind"] for trial in study.trials[10:]]
    assert kinds.count("svm") > 10


def test_a_constraint_that_lets_next_to_nothing_through_repeats_points_with_a_warning():
    names = [f"v{k}" for k in range(7)]
    space = cas.Space(
        {name: cas.Categorical(list(range(10))) for name in names}, lambda c: all(c[name] == 0 for name in names[:6])
    )
    study = optuna.create_study(sampler=CasmopolitanSampler(space, seed=0))
    study.enqueue_trial(dict.fromkeys(names, 0))
    study.optimize(lambda trial: sum(trial.suggest_categorical(name, list(range(10))) for name in names), n_trials=3)
    assert [trial.state.name for trial in study.trials] == ["COMPLETE"] * 3


def test_a_study_whose_every_trial_fails_repeats_points_and_does_not_end():
    def objective(trial):
        trial.suggest_categorical("k", ["a", "b"])
        trial.suggest_float("x", 0.0, 1.0)
        raise RuntimeError

    study = optuna.create_study(sampler=CasmopolitanSampler({"k": CategoricalDistribution(["a", "b"])}, seed=0))
    study.optimize(objective, n_trials=8, catch=(RuntimeError,))
    assert len(study.trials) == 8


def test_a_constant_beside_the_space_hides_no_exhaustion():
    study = optuna.create_study(sampler=CasmopolitanSampler({"a": IntDistribution(0, 3)}, seed=0))
    study.optimize(lambda t: t.suggest_int("a", 0, 3) + t.suggest_float("z", 1.0, 1.0), 30, callbacks=[stop_when_exhausted])
    assert len(study.trials) == 5
