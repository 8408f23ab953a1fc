"""Predict the progress of diabetes within a year with a support-vector model, scored by cross-validation."""

import warnings
from typing import Any

from sklearn.datasets import load_diabetes
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, QuantileTransformer, StandardScaler
from sklearn.svm import SVR

SCALERS = {
    "none": "passthrough",
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
    machine = SVR(
        kernel=settings["kernel"],
        degree=settings["degree"],
        C=settings["C"],
        gamma=settings["gamma"],
        epsilon=settings["epsilon"],
        max_iter=20_000,
    )
    model = make_pipeline(SCALERS[settings["scaler"]], machine)
    folds = KFold(5, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = cross_val_score(model, data.data[:, used], data.target, cv=folds, scoring="neg_mean_absolute_error")
    return float(-scores.mean())
