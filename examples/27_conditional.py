"""Variables that exist only sometimes: the settings of the chosen model.

python examples/27_conditional.py [budget]
"""

import sys

import casmopolitan as cas

space = cas.Space(
    {
        "model": cas.Categorical(["svm", "forest", "neighbours"]),
        "C": cas.Real(1e-3, 1e3, log=True, when={"model": "svm"}),
        "kernel": cas.Categorical(["rbf", "poly"], when={"model": "svm"}),
        "degree": cas.Integer(2, 5, when={"kernel": "poly"}),
        "trees": cas.Integer(10, 500, when={"model": "forest"}),
        "count": cas.Integer(1, 15, when={"model": "neighbours"}),
        "scaled": cas.Categorical([True, False]),
    }
)


def error(configuration: dict) -> float:
    """Return the error of a model. Stands for a cross-validation."""
    unscaled = 0.0 if configuration["scaled"] else 0.05
    if configuration["model"] == "svm":
        bend = abs(configuration["degree"] - 3) / 20 if configuration["kernel"] == "poly" else 0.04
        return 0.05 + bend + 0.1 * abs(configuration["C"] - 10) / (configuration["C"] + 10) + unscaled
    if configuration["model"] == "forest":
        return 0.08 + 1 / configuration["trees"]
    return 0.12 + abs(configuration["count"] - 7) / 50 + unscaled


def main(budget: int = 40) -> None:
    result = cas.minimize(error, space, budget, seed=0)
    print(result)
    for model in ("svm", "forest", "neighbours"):
        own = [trial for trial in result.trials if trial.configuration["model"] == model and trial.value is not None]
        if own:
            best = min(own, key=lambda trial: trial.value or 0.0)
            print(f"{model}: {len(own)} trials, best {best.value:.4f} with {best.configuration}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
