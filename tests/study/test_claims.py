import optuna
import pytest

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, attributes, distributions_of, sampler

NINE = cas.Space({"x": cas.Categorical([0, 1, 2]), "y": cas.Categorical([0, 1, 2])})


@pytest.fixture
def study():
    return optuna.create_study(sampler=CasmopolitanSampler(NINE, seed=0))


def new_trial(study):
    return study._storage.get_trial(study._storage.create_new_trial(study._study_id))


def rivalled(study, monkeypatch, finish, times):
    """Before a claim is written, a rival writes the same one: both had read before either wrote."""
    rivals, write = [], attributes.write

    def late(storage, trial_id, record, writing=0):
        if len(rivals) < times:
            rival = new_trial(study)
            rivals.append(rival)
            write(storage, rival._trial_id, record)
            if finish:
                for name, value in study.sampler._declared.params(
                    sampler.suggestion_of(study._storage.get_trial(rival._trial_id), study.sampler._declared).point
                ).items():
                    distribution = distributions_of(NINE)[name]
                    internal = distribution.to_internal_repr(value)
                    storage.set_trial_param(rival._trial_id, name, internal, distribution)
                storage.set_trial_state_values(rival._trial_id, optuna.trial.TrialState.COMPLETE, [1.0])
        write(storage, trial_id, record, writing)

    monkeypatch.setattr(attributes, "write", late)
    return rivals


@pytest.mark.parametrize("finish", [False, True])
@pytest.mark.parametrize("times", [1, 3])
def test_whoever_sees_an_equal_claim_chooses_again(study, monkeypatch, finish, times):
    rivals = rivalled(study, monkeypatch, finish, times)
    mine = study.ask(distributions_of(NINE)).params
    assert len(rivals) == times
    border = study.sampler._declared
    theirs = [border.params(sampler.suggestion_of(study._storage.get_trial(rival._trial_id), border).point) for rival in rivals]
    assert mine not in theirs
    assert len({tuple(one.values()) for one in theirs}) == times


def test_the_last_writing_is_the_one_recorded(study, monkeypatch):
    rivalled(study, monkeypatch, False, 2)
    trial = study.ask(distributions_of(NINE))
    kept = sampler.suggestion_of(study._storage.get_trial(trial._trial_id), study.sampler._declared)
    assert study.sampler._declared.params(kept.point) == trial.params


def test_a_noisy_objective_may_be_asked_the_same_twice(monkeypatch):
    study = optuna.create_study(sampler=CasmopolitanSampler(NINE, seed=0, noisy=True))
    rivals = rivalled(study, monkeypatch, False, 5)
    study.ask(distributions_of(NINE))
    assert len(rivals) == 1
