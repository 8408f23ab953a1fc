"""The check of a model by predictions of trials that it has not seen."""

from __future__ import annotations

import numpy as np
import pytest

import casmopolitan as cas
from casmopolitan.analysis.check import ModelCheck, check_model

SPACE = cas.Space({f"v{k}": cas.Categorical([0, 1, 2]) for k in range(4)})


def told(function, direction="minimize", n=30):
    optimizer = cas.Optimizer(SPACE, seed=0, direction=direction)
    for configuration in SPACE.sample(n, 0):
        optimizer.tell(configuration, float(function(configuration)))
    return optimizer


def test_an_additive_function_is_predicted_well_and_noise_poorly():
    well = check_model(told(lambda c: 10 * c["v0"] + c["v1"]))
    assert well.verdict == "predicts well"
    assert well.covered >= 25
    assert check_model(told(lambda c: np.random.default_rng([*c.values()]).normal())).verdict == "predicts poorly"


def test_values_are_in_the_users_sign_and_units():
    check = check_model(told(lambda c: 100 + 10 * c["v0"], "maximize"))
    assert sorted(set(np.round(check.seen, 6))) == [100.0, 110.0, 120.0]
    assert np.corrcoef(check.seen, check.mean)[0, 1] > 0.9


def test_too_few_trials_are_not_checked():
    assert check_model(told(lambda c: c["v0"], n=4)) is None
    assert check_model(cas.Optimizer(SPACE, seed=0)) is None


def test_one_of_several_objectives_is_checked():
    optimizer = cas.Optimizer(SPACE, seed=0, objectives={"b": "minimize", "a": "maximize"})
    for configuration in SPACE.sample(12, 0):
        optimizer.tell(configuration, {"b": 1.0 + configuration["v0"], "a": 50.0 + configuration["v1"]})
    assert min(check_model(optimizer, "a").seen) == pytest.approx(50.0)
    assert min(check_model(optimizer, "b").seen) == pytest.approx(1.0)


@pytest.mark.parametrize(("share", "verdict"), [(0.9, "predicts well"), (0.5, "predicts roughly"), (-0.1, "predicts poorly")])
def test_the_verdict_is_in_words(share, verdict):
    check = ModelCheck([1.0, 2.0], [1.1, 4.0], [0.1, 0.5], share)
    assert check.verdict == verdict
    assert check.covered == 1
