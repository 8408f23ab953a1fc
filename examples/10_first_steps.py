"""Tune a nearest-neighbour classifier and select its features: 34 variables, sixty evaluations.

pip install scikit-learn
python examples/10_first_steps.py [evaluations]
"""

import sys

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PowerTransformer, RobustScaler, StandardScaler

import casmopolitan as cas

SCALERS = {
    "none": "passthrough",
    "standard": StandardScaler(),
    "min-max": MinMaxScaler(),
    "robust": RobustScaler(),
    "power": PowerTransformer(),
}
DATA = load_breast_cancer()
FEATURES = [str(name) for name in DATA.feature_names]

space = cas.Space(
    {
        **{name: cas.Categorical([True, False]) for name in FEATURES},
        "scaler": cas.Categorical(list(SCALERS)),
        "weights": cas.Categorical(["uniform", "distance"]),
        "neighbours": cas.Integer(1, 15),
        "p": cas.Real(1.0, 4.0),
    },
    constraint=lambda c: any(c[name] for name in FEATURES),  # at least one feature
)
DEFAULT = {**dict.fromkeys(FEATURES, True), "scaler": "none", "weights": "uniform", "neighbours": 5, "p": 2.0}


def errors(configuration: dict) -> int:
    """Return the number of wrong diagnoses in five-fold cross-validation."""
    used = [configuration[name] for name in FEATURES]
    model = make_pipeline(
        SCALERS[configuration["scaler"]],
        KNeighborsClassifier(configuration["neighbours"], weights=configuration["weights"], p=configuration["p"]),
    )
    return int((cross_val_predict(model, DATA.data[:, used], DATA.target, cv=5) != DATA.target).sum())


def sparkline(values: list[float]) -> str:
    low, high = min(values), max(values)
    return "".join("▁▂▃▄▅▆▇█"[round(7 * (value - low) / ((high - low) or 1))] for value in values)


def main(budget: int = 60) -> None:
    patients, start = len(DATA.target), errors(DEFAULT)
    print(f"Which of {len(FEATURES)} measurements tell a benign tumour from a malignant one? {patients} patients,")
    print(f"{len(space)} variables, {budget} evaluations; the default settings with all features make {start} errors.\n")
    result = cas.minimize(errors, space, budget, seed=0, initial=[DEFAULT], progress=True)

    best = result.best_configuration
    chosen = [name for name in FEATURES if best[name]]
    print(f"\nBest configuration (trial {result.best_trial.number}): {len(chosen)} of {len(FEATURES)} features,")
    print(f"    scaler {best['scaler']}, weights {best['weights']}, {best['neighbours']} neighbours, p = {best['p']:.2f}")
    print(f"    {', '.join(chosen)}")
    print(f"\nErrors in cross-validation: {start} with the defaults, {result.best_value:.0f} tuned, of {patients}.")
    print("(The tuned figure is the best of many trials on the same folds, so it is optimistic.)")
    line = np.minimum.accumulate([trial.value for trial in result.trials]).tolist()
    print(f"Best so far: {line[0]:.0f} {sparkline(line)} {line[-1]:.0f}   ({result.seconds:.0f} s)")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
