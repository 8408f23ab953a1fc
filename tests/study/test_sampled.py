"""Studies of Optuna as this package sees them."""

from __future__ import annotations

import math

import optuna
import pytest

import casmopolitan as cas
from casmopolitan.study.sampled import sampled


def test_the_space_is_that_of_the_trials_and_choices_that_a_space_cannot_hold_are_labelled():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(lambda trial: trial.suggest_categorical("a", [1, math.inf]) == 1, n_trials=5)
    found = sampled(study)
    assert found.space["a"] == cas.Categorical(["choice 0", "choice 1"])
    assert {row.configuration["a"] for row in found.rows()} == {"choice 0", "choice 1"}
    assert (found.config, found.seed) == (cas.DEFAULT, 0)


def test_settings_are_those_recorded_and_the_space_is_the_declared_one():
    space = cas.Space({"n": cas.Integer(1, 9)})
    study = optuna.create_study(sampler=cas.study.CasmopolitanSampler(space, seed=7, config=cas.PAPER))
    study.optimize(lambda trial: trial.suggest_int("n", 1, 9), n_trials=1)
    found = sampled(study)
    assert (found.space, found.config, found.seed) == (space, cas.PAPER, 7)


def test_a_failed_trial_of_another_sampler_counts_as_failed():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1) / trial.number, n_trials=2, catch=(ZeroDivisionError,))
    assert [row.state for row in sampled(study).rows()] == ["failed", "complete"]


def test_a_study_without_parameters_is_refused():
    with pytest.raises(cas.DataError, match="'empty' has no completed trial with parameters"):
        sampled(optuna.create_study(study_name="empty"))


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
@pytest.mark.parametrize(
    ("names", "shown"), [(None, ["objective 0", "objective 1"]), (["speed", "cost"], ["0 speed", "1 cost"])]
)
def test_objectives_keep_the_order_of_the_study(names, shown):
    study = optuna.create_study(directions=["maximize", "minimize"], sampler=optuna.samplers.RandomSampler(seed=0))
    if names:
        study.set_metric_names(names)
    study.optimize(lambda trial: (trial.suggest_float("x", 1, 2), -1.0), n_trials=1)
    found = sampled(study)
    assert found.goals.objectives == dict(zip(shown, ["maximize", "minimize"], strict=True))
    (row,) = found.rows()
    assert row.outcomes[shown[0]] >= 1
    assert row.outcomes[shown[1]] == -1.0
