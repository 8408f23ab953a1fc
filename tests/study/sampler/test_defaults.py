import optuna
import pytest

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, SettingsWarning, suggest
from casmopolitan.study.sampler.defaults import load_or_record_defaults, read_defaults
from casmopolitan.study.sampler.search_space import translation_of

SPACE = cas.Space({"x": cas.Real(0, 1), "stirring": cas.Categorical(["slow", "fast"])})


def test_defaults_are_recorded_once_and_others_are_warned_of():
    study = optuna.create_study()
    assert load_or_record_defaults(study, {}) == {}
    assert load_or_record_defaults(study, {"a": 1}) == {"a": 1}
    assert load_or_record_defaults(study, {"b": "x"}) == {"a": 1, "b": "x"}
    with pytest.warns(SettingsWarning, match=r"not used: a=2 \(recorded: 1\)"):
        assert load_or_record_defaults(study, {"a": 2}) == {"a": 1, "b": "x"}
    assert load_or_record_defaults(study, {}) == {"a": 1, "b": "x"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([1], r"defaults is \[1\]; give a dict"),
        ({"x": [1]}, r"the default of 'x' is \[1\]; it must be a number"),
        ({"y": 1}, "defaults names 'y', which is not in the search space"),
        ({"stirring": "off"}, "the default 'off' of 'stirring' does not fit Categorical"),
    ],
)
def test_a_default_that_does_not_fit_is_an_error(given, words):
    with pytest.raises(cas.CasmopolitanError, match=words):
        read_defaults(given, translation_of(SPACE))


def test_trials_count_with_the_default_of_a_variable_that_a_declared_space_has_gained():
    before = cas.Space({"x": SPACE["x"]})
    study = optuna.create_study(sampler=CasmopolitanSampler(before, seed=0))
    study.optimize(lambda trial: suggest(trial, before)["x"], n_trials=4)
    study.enqueue_trial({"x": 0.5})
    study.sampler = CasmopolitanSampler(SPACE, seed=0, defaults={"stirring": "slow"})
    study.optimize(lambda trial: suggest(trial, SPACE)["x"], n_trials=2)
    assert set(study.trials[4].params) == set(SPACE)  # a waiting trial has no default: its value is suggested
    state = study.sampler._cache(study)._history.state(study.trials, -1)
    found = SPACE.decode(state.observations[0].point)[0]
    assert found == {"x": pytest.approx(study.trials[0].params["x"]), "stirring": "slow"}
    assert len(state.observations) == 6
