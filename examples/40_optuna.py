"""CASMOPOLITAN in an Optuna study on a database: stop and resume it, or run several workers at once.

python examples/40_optuna.py [trials] [database]     e.g. 60 sqlite:///tuning.db   or   60 postgresql://me@host/tuning
"""

import sys
import tempfile
from pathlib import Path

import optuna

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, explain, open_study, suggest

FLAGS = ["inline", "unroll", "vectorise", "fuse", "prefetch", "align"]
space = cas.Space(
    {flag: cas.Categorical(["off", "on", "auto"]) for flag in FLAGS}
    | {"level": cas.Ordinal([0, 1, 2, 3]), "tile": cas.Integer(8, 128, step=8), "threshold": cas.Real(1e-3, 1.0, log=True)}
)


def run_time(trial: optuna.Trial) -> float:
    """Return seconds. Stands for compiling and running a program."""
    setting = suggest(trial, space)
    seconds = 10.0 - setting["level"] - sum(setting[flag] == "on" for flag in FLAGS[:3])
    seconds += 1.5 * (setting["unroll"] == "on" and setting["fuse"] == "on")  # together they spill registers
    return seconds + abs(setting["tile"] - 48) / 40 + abs(setting["threshold"] - 0.05)


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    database = sys.argv[2] if len(sys.argv) > 2 else f"sqlite:///{Path(tempfile.mkdtemp()) / 'tuning.db'}"
    for part in ("first", "second"):  # the second half finds the first in the database
        study = open_study("compiler flags", database, sampler=CasmopolitanSampler(space, seed=0))
        study.optimize(run_time, n_trials=trials // 2)
        print(f"after the {part} half: {len(study.trials)} trials, best {study.best_value:.2f} s")
    for row in explain(study)[-3:]:
        expected = "" if row["mean"] is None else f", expected {row['mean']:.2f} ± {row['deviation']:.2f}"
        print(f"trial {row['number']}: {row['source']}, radius {row['radius']}{expected}; result {row['value']:.2f}")
    print(f"open it with: optuna-dashboard {database}")
