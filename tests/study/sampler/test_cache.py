import logging
from dataclasses import replace

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

import casmopolitan as cas
from casmopolitan.study.sampler.cache import SamplerCache
from casmopolitan.study.sampler.outcomes import StudyGoals
from casmopolitan.study.sampler.search_space import translation_of
from casmopolitan.study.sampler.settings import Settings, SettingsWarning, load_or_record_settings

X, Y = FloatDistribution(0.0, 1.0), CategoricalDistribution(["a", "b"])


def finished(study, state=optuna.trial.TrialState.COMPLETE, **distributions):
    params = {
        name: one.choices[0] if isinstance(one, CategoricalDistribution) else one.low for name, one in distributions.items()
    }
    value = 1.0 if state == optuna.trial.TrialState.COMPLETE else None
    study.add_trial(optuna.create_trial(state=state, params=params, distributions=distributions, value=value))


def test_the_parameters_are_those_that_the_trials_share_or_have_had_since_they_were_added():
    study, cache = optuna.create_study(), SamplerCache()
    assert cache.search_space(study.trials) == ({}, {}, {})
    finished(study, y=Y, x=X)
    assert list(cache.search_space(study.trials).distributions.items()) == [("x", X), ("y", Y)]
    finished(study, optuna.trial.TrialState.FAIL, x=X)
    assert set(cache.search_space(study.trials).distributions) == {"x", "y"}
    for names, modelled in (("xz", "x"), ("xyz", "x"), ("xyz", "xz")):
        finished(study, **{name: Y if name == "y" else X for name in names})
        assert set(cache.search_space(study.trials).distributions) == set(modelled)
        assert "z" not in cache.unmodelled  # it is new
    assert cache.search_space(study.trials).added == {"z": 2}
    assert "no values of categorical or integer parameters explain" in cache.unmodelled["y"]
    wider = FloatDistribution(0.0, 2.0)
    finished(study, x=wider, z=X)
    assert cache.search_space(study.trials).distributions == {"x": wider, "z": X}


def test_a_default_is_that_of_every_trial_before_a_parameter_was_added():
    study, cache = optuna.create_study(), SamplerCache()
    finished(study, x=X)
    finished(study, x=X, z=X)
    assert set(cache.search_space(study.trials).distributions) == {"x"}
    assert cache.search_space(study.trials, {"z": 0.5}) == ({"x": X, "z": X}, {}, {"z": 1})


def test_a_parameter_that_no_space_represents_has_a_reason():
    study, cache = optuna.create_study(), SamplerCache()
    finished(study, x=X, n=IntDistribution(0, 2**60))
    assert cache.search_space(study.trials).distributions == {"x": X}
    assert "finer than floats can represent" in cache.unmodelled["n"]


def test_settings_are_read_once_per_trial_and_a_difference_is_warned_of_once():
    study, cache = optuna.create_study(), SamplerCache()
    load_or_record_settings(study, Settings(1, cas.PAPER))
    own = Settings(2, cas.PAPER)
    with pytest.warns(SettingsWarning, match="seed=2"):
        assert cache.settings(study, own, 0) == (Settings(1, cas.PAPER), 1)
    assert cache.settings(study, own, 1) == (Settings(1, cas.PAPER), 1)


def test_a_translation_is_created_again_only_for_another_search_space():
    cache, created = SamplerCache(), []

    def create(search_space, ordinal, conditions):
        created.append(set(search_space))
        return translation_of(search_space, ordinal, conditions=conditions)

    first = cache.translation({"x": X}, (), {}, {}, create)
    assert cache.translation({"x": X}, (), {}, {}, create) is first
    assert cache.translation({"x": X}, (), {}, {"x": 0.5}, create).defaults == {"x": 0.5}
    assert cache.translation({"x": X, "y": Y}, ("y",), {}, {}, create) is not first
    assert created == [{"x"}, {"x"}, {"x", "y"}]


def test_a_history_lasts_as_long_as_its_translation_and_settings():
    study, cache = optuna.create_study(direction="maximize"), SamplerCache()
    assert not cache.has_model
    translation, settings = translation_of({"x": X}), Settings(1, cas.PAPER)
    history = cache.history(study, [], translation, settings)
    assert cache.has_model
    assert history.goals == StudyGoals((-1.0,))
    assert cache.history(study, [], translation, Settings(1, cas.PAPER)) is history
    assert cache.history(study, [], translation, Settings(2, cas.PAPER)) is not history
    assert cache.history(study, [], translation_of({"x": X}), settings) is not history


def test_constraints_are_named_in_the_order_in_which_trials_first_set_them():
    study, cache = optuna.create_study(), SamplerCache()
    translation, settings = translation_of({"x": X}), Settings(1, cas.DEFAULT)

    def history():
        return cache.history(study, study.trials, translation, settings)

    def add(state, **constraints):
        value = 1.0 if state == optuna.trial.TrialState.COMPLETE else None
        study.add_trial(optuna.create_trial(state=state, value=value, constraints=constraints))

    plain = history()
    assert plain.goals == StudyGoals()
    add(optuna.trial.TrialState.COMPLETE, w=1.0, m=-1.0)
    add(optuna.trial.TrialState.FAIL, f=1.0)
    first = history()
    assert (first is plain, first.goals.constraints) == (False, ("m", "w"))
    add(optuna.trial.TrialState.COMPLETE, m=2.0)
    assert history() is first
    add(optuna.trial.TrialState.PRUNED, a=1.0, m=0.0)
    assert history().goals.constraints == ("m", "w", "a")


def test_an_acquisition_function_without_limits_is_logged_once_and_has_none(caplog):
    study, cache = optuna.create_study(), SamplerCache()
    study.add_trial(optuna.create_trial(value=1.0, constraints={"w": 1.0}))
    settings = Settings(1, replace(cas.DEFAULT, acquisition="ucb"))
    with caplog.at_level(logging.WARNING, logger="optuna.casmopolitan"):
        for _ in range(2):
            assert cache.history(study, study.trials, translation_of({"x": X}), settings).goals == StudyGoals()
    assert len(caplog.messages) == 1
    assert "infeasible trials count as failed: acquisition is 'ucb'" in caplog.messages[0]


def test_an_acquisition_function_for_one_objective_is_refused_with_several():
    study = optuna.create_study(directions=["minimize", "maximize"], study_name="s")
    settings = Settings(1, replace(cas.DEFAULT, acquisition="thompson"))
    with pytest.raises(cas.DataError, match="study 's' has 2 objectives: acquisition is 'thompson'"):
        SamplerCache().history(study, [], translation_of({"x": X}), settings)
