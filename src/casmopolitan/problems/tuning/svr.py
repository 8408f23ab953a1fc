"""Support-vector regression with feature selection (after Eriksson & Jankowiak 2021), on data that scikit-learn bundles.

The original uses the UCI slice-localisation data. Here forty columns of noise are added to the ten features of the diabetes
data, so that nothing has to be downloaded and a good mask is known to be sparse. Extra `bench`: scikit-learn.
"""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from casmopolitan.errors import DataError, MissingExtraError
from casmopolitan.problems.problem import Array, Configuration, Problem, numbered, vector
from casmopolitan.space import Categorical, Real, Space, Variable

FEATURES = 50
WITHOUT_FEATURES = 1.0
"""The value if no feature is chosen: about the error of predicting the mean."""


def svr(n: int = 53) -> Problem:
    """f = root mean square error on the test half; 50 bits choose features, three reals on log scales are SVR's settings."""
    if n != FEATURES + 3:
        raise DataError(f"svr-{n}: the problem has 50 features and 3 reals; take svr-53")
    names = numbered("f", FEATURES)
    machine: dict[str, Variable] = {
        "epsilon": Real(0.01, 1.0, log=True),
        "C": Real(0.01, 100.0, log=True),
        "gamma": Real(0.002, 0.2, log=True),
    }
    return Problem(
        name="svr-53",
        space=Space({name: Categorical([0, 1]) for name in names} | machine),
        function=partial(_error, names=names),
        source="Eriksson & Jankowiak 2021; Deshwal et al. 2023 (BODi); data: Efron et al. 2004",
    )


@cache
def data() -> tuple[Array, Array, Array, Array]:
    """Return (X_train, y_train, X_test, y_test): columns scaled to [−1, 1], y standardised, rows shuffled, split in halves."""
    try:
        from sklearn.datasets import load_diabetes
    except ImportError as error:
        raise MissingExtraError("svr-53", "scikit-learn", "bench") from error
    X, y = load_diabetes(return_X_y=True)
    rng = np.random.RandomState(0)
    X = np.hstack([X, rng.standard_normal((len(X), FEATURES - X.shape[1]))])
    X = 2 * (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)) - 1
    y = (y - y.mean()) / y.std()
    order = rng.permutation(len(X))
    train, test = order[: len(X) // 2], order[len(X) // 2 :]
    return X[train], y[train], X[test], y[test]


def _error(configuration: Configuration, names: tuple[str, ...]) -> float:
    """Return the test error of SVR with this configuration."""
    chosen = vector(configuration, names) == 1
    if not chosen.any():
        return WITHOUT_FEATURES
    X_train, y_train, X_test, y_test = data()
    from sklearn.svm import SVR

    machine = SVR(epsilon=configuration["epsilon"], C=configuration["C"], gamma=configuration["gamma"])
    predicted = machine.fit(X_train[:, chosen], y_train).predict(X_test[:, chosen])
    return float(np.sqrt(np.mean((predicted - y_test) ** 2)))
