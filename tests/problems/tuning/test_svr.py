import sys

import numpy as np
import pytest

from casmopolitan import problems
from casmopolitan.errors import MissingExtraError
from casmopolitan.problems.tuning.svr import data

MACHINE = {"epsilon": 0.1, "C": 1.0, "gamma": 0.02}


def test_choosing_no_feature_costs_one():
    problem = problems.get("svr-53")
    assert problem(dict.fromkeys(problem.space.names[:50], 0) | MACHINE) == 1.0


def test_the_true_features_beat_all_and_noise_alone():
    pytest.importorskip("sklearn", reason="scikit-learn (extra 'bench') is not installed")
    problem = problems.get("svr-53")
    names = problem.space.names[:50]
    true, every, noise = (
        {name: int(chosen(i)) for i, name in enumerate(names)} | MACHINE
        for chosen in (lambda i: i < 10, lambda i: True, lambda i: i >= 10)
    )
    assert problem(true) < problem(every) < problem(noise)
    assert problem(true) == problem(true)


def test_the_data_are_scaled_and_halved():
    pytest.importorskip("sklearn", reason="scikit-learn (extra 'bench') is not installed")
    X_train, y_train, X_test, y_test = data()
    assert X_train.shape == X_test.shape == (221, 50)
    X, y = np.vstack([X_train, X_test]), np.concatenate([y_train, y_test])
    assert X.min(axis=0) == pytest.approx(-1)
    assert X.max(axis=0) == pytest.approx(1)
    assert (y.mean(), y.std()) == (pytest.approx(0, abs=1e-12), pytest.approx(1))


def test_without_scikit_learn_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    data.cache_clear()
    problem = problems.get("svr-53")
    with pytest.raises(MissingExtraError, match="bench"):
        problem(dict.fromkeys(problem.space.names[:50], 1) | MACHINE)
