"""The methods by name: each runs a problem and returns the values of its trials. Every method chooses its own first points."""

from __future__ import annotations

import tempfile
from pathlib import Path

import casmopolitan as cas
from benchmarks.conditional.problems import Conditional

METHODS = {
    "default": "casmopolitan",
    "sampler": "casmopolitan in Optuna",
    "optuna-tpe": "Optuna TPE",
    "optuna-tpe-group": "Optuna TPE, groups",
    "optuna-gp": "Optuna GPSampler",
    "smac": "SMAC3",
    "random": "Random search",
}
"""The methods with their titles. Optuna's samplers are not told the space: they see the parameters that a script asks for.

The GPSampler needs torch, SMAC3 its package.
"""


def run(method: str, problem: Conditional, budget: int, seed: int) -> list[float]:
    if method == "default":
        optimizer, values = cas.Optimizer(problem.space, seed=seed), []
        for _ in range(budget):
            trial = optimizer.ask()
            values.append(problem.value(trial.configuration))
            optimizer.tell(trial, values[-1])
        return values
    if method == "random":
        return [problem.value(configuration) for configuration in problem.space.sample(budget, seed)]
    return run_smac(problem, budget, seed) if method == "smac" else run_optuna(problem, budget, seed, method)


def run_optuna(problem: Conditional, budget: int, seed: int, method: str) -> list[float]:
    import optuna

    from casmopolitan.study import CasmopolitanSampler, suggest

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    samplers = {
        "sampler": lambda: CasmopolitanSampler(seed=seed),
        "optuna-tpe": lambda: optuna.samplers.TPESampler(seed=seed),
        "optuna-tpe-group": lambda: optuna.samplers.TPESampler(seed=seed, multivariate=True, group=True),
        "optuna-gp": lambda: optuna.samplers.GPSampler(seed=seed, deterministic_objective=True),
    }
    study = optuna.create_study(sampler=samplers[method]())
    study.optimize(lambda trial: problem.value(suggest(trial, problem.space)), n_trials=budget)
    return [trial.value for trial in study.trials]


def run_smac(problem: Conditional, budget: int, seed: int) -> list[float]:
    """Run SMAC3 with its conditions; the model is fitted again after every evaluation."""
    import ConfigSpace
    from joblib import parallel_config
    from smac import HyperparameterOptimizationFacade as Facade
    from smac import Scenario
    from smac.runhistory.dataclasses import TrialValue

    whole = ConfigSpace.ConfigurationSpace(seed=seed)
    made = {name: hyperparameter(name, variable) for name, variable in problem.space.variables.items()}
    whole.add(list(made.values()))
    for name, variable in problem.space.variables.items():
        parts = [
            ConfigSpace.InCondition(made[name], made[parent], list(values)) for parent, values in (variable.when or {}).items()
        ]
        if parts:
            whole.add(parts[0] if len(parts) == 1 else ConfigSpace.AndConjunction(*parts))
    with tempfile.TemporaryDirectory() as folder, parallel_config("sequential"):
        scenario = Scenario(whole, deterministic=True, n_trials=budget, seed=seed, output_directory=Path(folder))
        facade = Facade(
            scenario,
            lambda config, seed=0: 0.0,
            config_selector=Facade.get_config_selector(scenario, retrain_after=1),
            logging_level=False,
        )
        values = []
        for _ in range(budget):
            info = facade.ask()
            values.append(problem.value({name: plain(value) for name, value in dict(info.config).items()}))
            facade.tell(info, TrialValue(cost=values[-1]), save=False)
    return values


def hyperparameter(name, variable):
    import ConfigSpace

    match variable:
        case cas.Categorical(choices=choices):
            return ConfigSpace.CategoricalHyperparameter(name, list(choices))
        case cas.Ordinal(values=values):
            return ConfigSpace.OrdinalHyperparameter(name, list(values))
        case cas.Integer(low, high):
            return ConfigSpace.UniformIntegerHyperparameter(name, low, high, log=variable.log)
    return ConfigSpace.UniformFloatHyperparameter(name, variable.low, variable.high, log=variable.log)


def plain(value):
    """Return NumPy's scalars as Python's."""
    return value.item() if hasattr(value, "item") else value
