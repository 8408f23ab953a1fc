"""Ask and tell: run experiments in batches of four, and save and load in between.

python examples/20_ask_tell.py [batches]
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import casmopolitan as cas

space = cas.Space(
    {
        "solvent": cas.Categorical(["water", "ethanol", "toluene", "acetone"]),
        "catalyst": cas.Categorical(["none", "Pd", "Pt", "Ni"]),
        "equivalents": cas.Ordinal([1, 2, 4]),
        "temperature": cas.Real(20, 120),
    },
    constraint=lambda c: not (c["solvent"] == "acetone" and c["temperature"] > 56),  # above its boiling point
)


def experiment(configuration: dict) -> float:
    """Return the yield in per cent. Stands for an experiment in the laboratory."""
    solvent = {"water": 20, "ethanol": 45, "toluene": 60, "acetone": 50}[configuration["solvent"]]
    catalyst = {"none": 0, "Pd": 25, "Pt": 15, "Ni": 10}[configuration["catalyst"]]
    off = (configuration["temperature"] - 85) / 40
    return max(0.0, solvent + catalyst + 5 * configuration["equivalents"] ** 0.5 - 20 * off**2)


def main(batches: int = 8) -> None:
    opt = cas.Optimizer(space, seed=0, direction="maximize", config=replace(cas.DEFAULT, n_initial=8))
    known = {"solvent": "ethanol", "catalyst": "none", "equivalents": 1, "temperature": 60.0}
    opt.tell(known, experiment(known))  # a result from before

    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "experiments.json"
        for batch in range(batches):
            for trial in opt.ask(4):
                opt.tell(trial, experiment(trial.configuration))
            opt.to_json(record)
            opt = cas.Optimizer.from_json(record, constraint=space.constraint)  # the next morning
            print(f"after batch {batch + 1}: best yield {opt.best_value:.1f} %")

    best = opt.best_trial
    print(f"\ntrial {best.number}: {best.configuration}")
    print(f"suggested by: {best.explanation['source']}, region {best.explanation['region']}")
    mean, deviation = opt.predict([best.configuration])
    print(f"the model predicts {mean[0]:.1f} ± {deviation[0]:.1f} %")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
