from __future__ import annotations

import math

import numpy as np
import optuna
import pytest

from casmopolitan import DataError
from casmopolitan.study import CasmopolitanSampler, explain
from tests.study.sampler.test_sampler import QUICK


def objective(trial):
    trial.set_user_attr("over", trial.suggest_float("x", 0.0, 1.0) - 0.5)
    return -trial.params["x"] + trial.suggest_categorical("c", ["a", "b", "c"]).count("b")


def over(trial):
    return [trial.user_attrs["over"]]


def test_constraints_func_limits_like_set_constraint():
    def limited(trial):
        value = objective(trial)
        trial.set_constraint("0", trial.user_attrs["over"])
        return value

    studies = [
        optuna.create_study(sampler=CasmopolitanSampler(seed=0, config=QUICK, constraints_func=function))
        for function in (over, None)
    ]
    studies[0].optimize(objective, n_trials=15)
    studies[1].optimize(limited, n_trials=15)
    assert [trial.params for trial in studies[0].trials] == [trial.params for trial in studies[1].trials]
    assert studies[0].trials[0].constraints == {"0": studies[0].trials[0].params["x"] - 0.5}
    assert 0.3 < studies[0].best_params["x"] <= 0.5
    assert explain(studies[0])[-1]["limits"].keys() == {"0"}


def test_a_study_of_another_sampler_with_a_constraints_func_goes_on():
    with pytest.warns(FutureWarning, match="constraints_func"):
        other = optuna.samplers.TPESampler(seed=0, constraints_func=over)
    study = optuna.create_study(sampler=other)
    study.optimize(objective, n_trials=6)
    study.sampler = CasmopolitanSampler(seed=0, config=QUICK, constraints_func=over)
    study.optimize(objective, n_trials=6)
    assert [list(trial.constraints) for trial in study.trials] == [["0"]] * 12
    assert 0 <= explain(study)[-1]["limits"]["0"] <= 1


@pytest.mark.parametrize("wrong", [[math.nan], 3.0, ["1"], "12", None])
def test_what_constraints_func_must_return(wrong):
    study = optuna.create_study(sampler=CasmopolitanSampler(seed=0, constraints_func=lambda _: wrong))
    with pytest.raises(
        DataError, match=r"constraints_func returned .* for trial 0; return a list with a number per constraint"
    ):
        study.optimize(objective, n_trials=1)


def test_numbers_of_numpy_are_stored_as_floats(tmp_path):
    sampler = CasmopolitanSampler(seed=0, constraints_func=lambda _: (np.float32(0.5), 2))
    study = optuna.create_study(storage=f"sqlite:///{tmp_path}/s.db", sampler=sampler)
    study.optimize(objective, n_trials=2)
    assert study.trials[1].constraints == {"0": 0.5, "1": 2.0}


def test_failed_trials_have_no_constraints():
    study = optuna.create_study(sampler=CasmopolitanSampler(seed=0, constraints_func=over))
    study.optimize(lambda trial: objective(trial) / 0, n_trials=1, catch=ZeroDivisionError)
    assert study.trials[0].constraints == {}


def test_constraints_func_must_be_a_function():
    with pytest.raises(DataError, match=r"constraints_func is \[0\]; pass a function of a trial"):
        CasmopolitanSampler(constraints_func=[0])
