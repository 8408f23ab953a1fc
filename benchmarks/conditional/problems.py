"""Problems with conditional variables, all minimised.

- jenatton: the synthetic tree of Jenatton et al. (2017), two levels of choices above six numbers; its minimum is 0.1.
- branches: the example of Optuna's issue 5299. A number that always exists must match one of two that do not; minimum 0.
- pipeline: the cross-validated error of a scikit-learn pipeline with three families of models, on 300 of its digits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from casmopolitan import Categorical, Integer, Ordinal, Real, Space


@dataclass(frozen=True)
class Conditional:
    space: Space
    value: Callable[[dict[str, Any]], float]
    budget: int


def jenatton() -> Conditional:
    binary = [0, 1]
    space = Space(
        {
            "x1": Categorical(binary),
            "x2": Categorical(binary, when={"x1": 0}),
            "x3": Categorical(binary, when={"x1": 1}),
            "x4": Real(0.0, 1.0, when={"x2": 0}),
            "x5": Real(0.0, 1.0, when={"x2": 1}),
            "x6": Real(0.0, 1.0, when={"x3": 0}),
            "x7": Real(0.0, 1.0, when={"x3": 1}),
            "r8": Real(0.0, 1.0, when={"x1": 0}),
            "r9": Real(0.0, 1.0, when={"x1": 1}),
        }
    )

    def value(c: dict[str, Any]) -> float:
        name, constant = {(0, 0): ("x4", 0.1), (0, 1): ("x5", 0.2), (1, 0): ("x6", 0.3), (1, 1): ("x7", 0.4)}[
            c["x1"], c["x3"] if c["x1"] else c["x2"]
        ]
        return c[name] ** 2 + constant + (c["r9"] if c["x1"] else c["r8"])

    return Conditional(space, value, 50)


def branches() -> Conditional:
    space = Space(
        {
            "x": Categorical(["A", "B"]),
            "t": Real(-2.0, 2.0),
            "y": Real(1.0, 2.0, when={"x": "A"}),
            "z": Real(-2.0, 1.0, when={"x": "B"}),
        }
    )
    return Conditional(space, lambda c: (c["y" if c["x"] == "A" else "z"] - c["t"]) ** 2, 50)


def pipeline() -> Conditional:
    space = Space(
        {
            "scaler": Categorical(["none", "standard", "range"]),
            "components": Ordinal([8, 16, 32, 64]),
            "model": Categorical(["svc", "forest", "logistic"]),
            "C": Real(1e-2, 1e3, log=True, when={"model": "svc"}),
            "kernel": Categorical(["rbf", "poly"], when={"model": "svc"}),
            "gamma": Real(1e-4, 1e1, log=True, when={"model": "svc"}),
            "degree": Integer(2, 5, when={"kernel": "poly"}),
            "trees": Integer(10, 50, when={"model": "forest"}),
            "depth": Integer(2, 20, when={"model": "forest"}),
            "penalty": Real(1e-4, 1e3, log=True, when={"model": "logistic"}),
        }
    )
    return Conditional(space, digits_error, 50)


@cache
def digits():
    from sklearn.datasets import load_digits
    from sklearn.utils import shuffle

    return tuple(part[:300] for part in shuffle(*load_digits(return_X_y=True), random_state=0))


def digits_error(c: dict[str, Any]) -> float:
    """Return the mean error of three-fold cross-validation."""
    from sklearn.decomposition import PCA
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, StandardScaler
    from sklearn.svm import SVC

    scalers = {"none": "passthrough", "standard": StandardScaler(), "range": MinMaxScaler()}
    if c["model"] == "svc":
        model = SVC(C=c["C"], kernel=c["kernel"], gamma=c["gamma"], degree=c.get("degree", 3), max_iter=2000)
    elif c["model"] == "forest":
        model = RandomForestClassifier(c["trees"], max_depth=c["depth"], random_state=0)
    else:
        model = LogisticRegression(C=c["penalty"], max_iter=50)
    whole = make_pipeline(scalers[c["scaler"]], PCA(c["components"], random_state=0), model)
    return 1.0 - float(cross_val_score(whole, *digits(), cv=3).mean())


PROBLEMS: dict[str, Callable[[], Conditional]] = {"jenatton": jenatton, "branches": branches, "pipeline": pipeline}
