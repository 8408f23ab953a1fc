from dataclasses import replace

import optuna

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, explain, suggest
from casmopolitan.study.sampler import records
from casmopolitan.study.sampler.explain import COLUMNS

SPACE = cas.Space({f"c{i}": cas.Categorical(["a", "b", "c"]) for i in range(5)})
QUICK = replace(cas.PAPER, n_initial=3, fit_steps=5, fit_starts=1)


def explained(direction="minimize"):
    study = optuna.create_study(sampler=CasmopolitanSampler(SPACE, seed=0, config=QUICK), direction=direction)
    study.optimize(lambda trial: sum(v == "a" for v in suggest(trial, SPACE).values()), n_trials=7)
    return study, explain(study)


def test_every_trial_has_a_row_and_every_row_the_same_columns():
    _, rows = explained()
    assert [row["number"] for row in rows] == list(range(7))
    assert all(tuple(row) == COLUMNS for row in rows)


def test_a_row_says_where_the_point_came_from_and_what_was_expected():
    study, rows = explained()
    assert [row["source"] for row in rows] == ["initial"] * 3 + ["acquisition"] * 4
    last = rows[-1]
    assert last["region"] == 0
    assert last["radius"] == 4
    assert last["length"] is None
    assert last["deviation"] > 0
    best = min(study.trials[:6], key=lambda trial: (trial.value, trial.number))
    assert last["centre"] == best.number
    assert last["params"] == study.trials[-1].params
    assert (last["state"], last["value"]) == ("complete", study.trials[-1].value)


def test_predictions_have_the_studys_own_sign():
    assert all(row["mean"] > 0 for row in explained("maximize")[1][3:])


def test_a_study_without_our_records_is_explained_as_given():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
    (row,) = explain(study)
    assert row["source"] == "given"
    assert row["region"] is row["mean"] is None


def test_damaged_records_are_explained_as_given():
    study, _ = explained()
    trial = study.ask()
    records.write(study._storage, trial._trial_id, {"space": 1, "suggestion": [1]})
    study.tell(trial, 1.0)
    trial = study.ask()
    records.write(study._storage, trial._trial_id, {"suggestion": {"mean": "high", "h": {}, "centre": 3}})
    assert [row["source"] for row in explain(study)[-2:]] == ["given", "given"]


def test_a_row_says_how_probably_the_trial_would_succeed_once_others_have_failed():
    study = optuna.create_study(sampler=CasmopolitanSampler(seed=0, config=replace(cas.DEFAULT, n_initial=4)))

    def objective(trial):
        choices = [trial.suggest_categorical(f"c{i}", ["a", "b", "c"]) for i in range(4)]
        if choices[0] == "c":
            raise ValueError("burnt")
        return float(choices.count("b"))

    study.optimize(objective, n_trials=9, catch=(ValueError,))
    rows = explain(study)
    assert {row["state"] for row in rows[:8]} == {"complete", "fail"}
    assert [row["success"] for row in rows[:4]] == [None] * 4
    assert 0 <= rows[-1]["success"] <= 1
