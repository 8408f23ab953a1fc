"""Ax through its Client, which chooses model and acquisition itself; the initial points replace its Sobol start."""

from __future__ import annotations

import logging

from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig

from benchmarks.axes import axes_of, configuration_of, numbers_of


class AxClient:
    def __init__(self, space, initial, seed):
        self._axes = axes_of(space)
        self._client = Client(random_seed=seed)
        self._client.configure_experiment(parameters=[parameter(axis) for axis in self._axes])
        self._client.configure_optimization(objective="-loss")
        self._client.configure_generation_strategy(initialization_budget=0, initialize_with_center=False)
        points = [numbers_of(self._axes, configuration) for configuration, _ in initial]
        self._pending = [self._client.attach_trial(parameters=point) for point in points]
        self.tell([], [loss for _, loss in initial])

    def ask(self, count):
        trials = self._client.get_next_trials(max_trials=count)
        self._pending = list(trials)
        return [configuration_of(self._axes, numbers) for numbers in trials.values()]

    def tell(self, configurations, losses):
        for index, loss in zip(self._pending, losses, strict=True):
            self._client.complete_trial(index, raw_data={"loss": loss})


def parameter(axis):
    if axis.kind == "choice":
        values = list(range(axis.size))
        return ChoiceParameterConfig(name=axis.name, values=values, parameter_type="int", is_ordered=False)
    kind = "int" if axis.kind == "integer" else "float"
    scaling = "log" if axis.log else "linear"
    return RangeParameterConfig(name=axis.name, bounds=(axis.low, axis.high), parameter_type=kind, scaling=scaling)


def start(space, initial, seed, variant):
    logging.getLogger("ax").setLevel(logging.ERROR)
    return AxClient(space, initial, seed)
