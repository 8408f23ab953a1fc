"""Optuna: TPESampler, with its constant liar for batches; GPSampler, told that the objective is deterministic."""

from __future__ import annotations

import importlib

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from benchmarks.axes import axes_of, configuration_of, numbers_of


class OptunaStudy:
    def __init__(self, space, initial, sampler):
        self._axes = axes_of(space)
        self._distributions = {axis.name: distribution(axis) for axis in self._axes}
        self._study = optuna.create_study(sampler=sampler)
        for configuration, loss in initial:
            numbers = numbers_of(self._axes, configuration)
            trial = optuna.trial.create_trial(params=numbers, distributions=self._distributions, value=loss)
            self._study.add_trial(trial)

    def ask(self, count):
        self._pending = [self._study.ask(self._distributions) for _ in range(count)]
        return [configuration_of(self._axes, trial.params) for trial in self._pending]

    def tell(self, configurations, losses):
        for trial, loss in zip(self._pending, losses, strict=True):
            self._study.tell(trial, loss)


def distribution(axis):
    if axis.kind == "choice":
        return CategoricalDistribution(range(axis.size))
    kind = IntDistribution if axis.kind == "integer" else FloatDistribution
    return kind(axis.low, axis.high, log=axis.log)


def start(space, initial, seed, variant):
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    if variant != "gp":
        return OptunaStudy(space, initial, optuna.samplers.TPESampler(seed=seed, constant_liar=variant == "tpe-liar"))
    importlib.import_module("torch")  # else its first model would be timed with this import, which takes seconds
    return OptunaStudy(space, initial, optuna.samplers.GPSampler(seed=seed, deterministic_objective=True))
