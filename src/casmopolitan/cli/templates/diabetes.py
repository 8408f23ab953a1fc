"""Predict the progress of diabetes within a year with a support-vector model, scored by cross-validation."""

import warnings
from statistics import mean
from typing import Any

from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.model_selection import KFold
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, QuantileTransformer, StandardScaler
from sklearn.svm import SVR

SCALERS = {
    "none": FunctionTransformer(),
    "standard": StandardScaler(),
    "min-max": MinMaxScaler(),
    "quantile": QuantileTransformer(n_quantiles=100),
}


def mean_error(settings: dict[str, Any]) -> float:
    """Return the mean absolute error over five folds; the targets range from 25 to 346."""
    data = load_diabetes()
    used = [settings[name] for name in data.feature_names]
    if not any(used):
        raise ValueError("no measurement is selected")
    chosen = data.data[:, used]
    folds = KFold(5, shuffle=True, random_state=0).split(chosen)
    return mean(fold_error(settings, chosen, data.target, train, test) for train, test in folds)


def fold_error(settings: dict[str, Any], data: Any, target: Any, train: Any, test: Any) -> float:
    """Return the mean absolute error on the rows `test` of a model fitted to the rows `train`."""
    scaler = clone(SCALERS[settings["scaler"]]).fit(data[train])
    scaled = scaler.transform(data[train])
    machine = SVR(
        kernel=settings["kernel"],
        degree=settings["degree"],
        C=settings["C"],
        gamma=settings["gamma"] / (scaled.shape[1] * scaled.var()),  # 1 is scikit-learn's default, "scale"
        epsilon=settings["epsilon"],
        max_iter=20_000,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine.fit(scaled, target[train])
    return float(abs(machine.predict(scaler.transform(data[test])) - target[test]).mean())
