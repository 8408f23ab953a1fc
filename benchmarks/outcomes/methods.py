"""The methods by name: each runs a problem and returns the outcomes of its trials, None for failed ones.

Every method chooses its own first points.
"""

from __future__ import annotations

import casmopolitan as cas
from benchmarks.axes import axes_of, configuration_of
from benchmarks.outcomes.problem import OutcomeProblem, Row, excess
from benchmarks.peers.ours import config_named

Trials = list[Row | None]

METHODS = {
    "default": "casmopolitan default",
    "optuna-gp": "Optuna GPSampler",
    "botorch": "BoTorch",
    "optuna-tpe": "Optuna TPE",
    "optuna-nsga2": "Optuna NSGA-II",
    "random": "Random search",
}
"""The methods with their titles. The GPSampler and BoTorch need torch."""

FIRST = 10
"""Random points before the models of BoTorch, as many as the GPSampler and TPE draw."""


def run(method: str, problem: OutcomeProblem, budget: int, seed: int) -> Trials:
    """Run a method. `default:mean="zero"` is the default with a field changed; the table leaves such runs out."""
    if method.startswith("default"):
        return run_ours(problem, budget, seed, config_named(method))
    if method == "random":
        return [measured(problem, c) for c in problem.space.sample(budget, seed)]
    if method == "botorch":
        from benchmarks.outcomes.botorch_noisy import BotorchNoisy

        return run_botorch(BotorchNoisy(problem, seed), problem, budget, seed)
    return run_optuna(problem, budget, seed, method)


def measured(problem: OutcomeProblem, configuration: dict) -> Row | None:
    answer = problem.measure(configuration)
    return None if answer is cas.FAILED else answer


def run_ours(problem: OutcomeProblem, budget: int, seed: int, config: cas.Config) -> Trials:
    goals = {"objectives": problem.objectives, "limits": problem.limits}
    result = cas.optimize(problem.measure, problem.space, budget, **goals, seed=seed, progress=False, config=config)
    return [trial.outcomes for trial in result.trials]


def run_optuna(problem: OutcomeProblem, budget: int, seed: int, method: str) -> Trials:
    """Run an Optuna sampler. Limits are told by `set_constraint`; rows that a table lacks are failed trials."""
    import optuna

    from benchmarks.peers.optuna_study import distribution

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    samplers = {
        "optuna-tpe": lambda: optuna.samplers.TPESampler(seed=seed),
        "optuna-nsga2": lambda: optuna.samplers.NSGAIISampler(seed=seed, population_size=20),
        "optuna-gp": lambda: optuna.samplers.GPSampler(seed=seed, deterministic_objective=True),
    }
    study = optuna.create_study(directions=list(problem.objectives.values()), sampler=samplers[method]())
    axes, found = axes_of(problem.space), []
    for _ in range(budget):
        trial = study.ask({axis.name: distribution(axis) for axis in axes})
        row = measured(problem, configuration_of(axes, trial.params))
        found.append(row)
        if row is None:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
            continue
        for name, limit in problem.limits.items():
            trial.set_constraint(name, excess(row[name], limit))
        study.tell(trial, [row[name] for name in problem.objectives])
    return found


def run_botorch(method, problem: OutcomeProblem, budget: int, seed: int) -> Trials:
    found: Trials = []
    for first in problem.space.sample(FIRST, seed):
        found.append(measured(problem, first))
        method.tell(first, found[-1])
    while len(found) < budget:
        configuration = method.ask()
        found.append(measured(problem, configuration))
        method.tell(configuration, found[-1])
    return found[:budget]
