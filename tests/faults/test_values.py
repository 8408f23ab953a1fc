"""Objectives that return what is no value, or no finite one: the study goes on, and the point is a failure."""

import math
import warnings
from dataclasses import replace

import optuna
import pytest
from optuna.trial import TrialState

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, distributions_of, explain, open_study, suggest
from casmopolitan.study.sampler.replay import History
from casmopolitan.study.sampler.search_space import translation_of

SPACE = cas.Space({"x": cas.Categorical(["a", "b", "c"]), "n": cas.Integer(1, 30), "r": cas.Real(0.0, 1.0)})
QUICK = replace(cas.PAPER, n_initial=4, fit_steps=5, fit_starts=1, search_runs=1, search_steps=10)


def study_in(url, name):
    return open_study(name, url, sampler=CasmopolitanSampler(SPACE, seed=0, config=QUICK), heartbeat=None)


def state_of(study):
    return History(translation_of(SPACE), QUICK).state(study.get_trials(deepcopy=False), -1)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "text", None, [1.0, 2.0]], ids=repr)
def test_a_value_that_is_none_is_a_failure(url, name, value):
    study = study_in(url, name)

    def objective(trial):
        configuration = suggest(trial, SPACE)
        return value if trial.number in (1, 6) else configuration["n"]

    study.optimize(objective, n_trials=9)
    state = state_of(study)
    assert len(state.failures) == 2
    assert len(state.observations) == 7
    assert explain(study)[-1]["source"] == "acquisition"


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_a_study_of_infinities_alone_goes_on(value):
    study = optuna.create_study(sampler=CasmopolitanSampler(SPACE, seed=0, config=QUICK))
    study.optimize(lambda trial: value if suggest(trial, SPACE) else 0.0, n_trials=12)
    assert {trial.state for trial in study.trials} == {TrialState.COMPLETE}
    assert len(state_of(study).failures) == 12


@pytest.mark.parametrize("scale", [1e300, 1e-300, 1.7e308])
def test_values_of_any_size_are_taken(scale):
    study = optuna.create_study(sampler=CasmopolitanSampler(SPACE, seed=0, config=QUICK))
    study.optimize(lambda trial: (suggest(trial, SPACE)["n"] - 15) / 30 * scale, n_trials=10)
    assert len(state_of(study).observations) == 10


def test_a_number_too_large_for_a_float_ends_the_call_but_not_the_study(url, name):
    study = study_in(url, name)
    trial = study.ask(distributions_of(SPACE))
    with pytest.raises(OverflowError):
        study.tell(trial, 10**400)
    assert study.trials[0].state == TrialState.RUNNING
    study.optimize(lambda trial: suggest(trial, SPACE)["n"], n_trials=6)
    assert len(state_of(study).pending) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study.tell(trial, math.nan)
    assert len(state_of(study).failures) == 1
