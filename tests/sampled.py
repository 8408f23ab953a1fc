"""Studies of one mixed space with quick settings, for tests of the sampler."""

import math
from dataclasses import replace

import optuna

import casmopolitan as cas
from casmopolitan.study import CasmopolitanSampler, suggest

QUICK = replace(cas.PAPER, n_initial=5, fit_steps=10, fit_starts=1, search_runs=1, search_steps=20)
MIXED = cas.Space(
    {
        "letter": cas.Categorical(["a", "b", "c"]),
        "size": cas.Ordinal([1, 2, 4, 8], log=True),
        "layers": cas.Integer(1, 6),
        "rate": cas.Real(1e-3, 1.0, log=True),
        "share": cas.Real(0.0, 1.0, step=0.1),
    }
)
NINE = cas.Space({"x": cas.Categorical([0, 1, 2]), "y": cas.Categorical(["a", "b", "c"])})


def value_of(configuration):
    return (configuration["letter"] != "b") + configuration["layers"] / 6 + abs(math.log10(configuration["rate"]) + 1)


def objective(trial):
    return value_of(suggest(trial, MIXED))


def made(space=MIXED, direction="minimize", storage=None, name=None, **options):
    options = {"seed": 0, "config": QUICK} | options
    return optuna.create_study(
        sampler=CasmopolitanSampler(space, **options),
        direction=direction,
        storage=storage,
        study_name=name,
        load_if_exists=True,
    )


def params(study):
    return [trial.params for trial in study.get_trials(deepcopy=False)]
