"""SMAC3: the hyper-parameter facade (random forest) or the black-box facade (Gaussian process).

Both refit after every evaluation; the random-forest facade alone would do so after every eighth. The forest's trees are
asked one after the other: a cell has one core, and starting threads for every prediction takes most of the time.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from ConfigSpace import (
    CategoricalHyperparameter,
    Configuration,
    ConfigurationSpace,
    UniformFloatHyperparameter,
    UniformIntegerHyperparameter,
)
from joblib import parallel_config
from smac import BlackBoxFacade, HyperparameterOptimizationFacade, Scenario
from smac.runhistory.dataclasses import TrialInfo, TrialValue

from benchmarks.axes import axes_of, configuration_of, numbers_of

UNBOUNDED = 100_000


class SmacFacade:
    def __init__(self, space, initial, seed, facade, folder):
        self._axes = axes_of(space)
        configspace = ConfigurationSpace(seed=seed)
        configspace.add([hyperparameter(axis) for axis in self._axes])
        scenario = Scenario(configspace, deterministic=True, n_trials=UNBOUNDED, seed=seed, output_directory=Path(folder))
        self._smac = facade(
            scenario,
            initial_design=facade.get_initial_design(scenario, n_configs=0),
            config_selector=facade.get_config_selector(scenario, retrain_after=1),
            logging_level=False,
        )
        points = [numbers_of(self._axes, configuration) for configuration, _ in initial]
        self._pending = [TrialInfo(Configuration(configspace, values=point), seed=0) for point in points]
        self.tell([], [loss for _, loss in initial])

    def ask(self, count):
        with parallel_config("sequential"):
            self._pending = [self._smac.ask() for _ in range(count)]
        return [configuration_of(self._axes, dict(info.config)) for info in self._pending]

    def tell(self, configurations, losses):
        for info, loss in zip(self._pending, losses, strict=True):
            self._smac.tell(info, TrialValue(cost=loss), save=False)


def hyperparameter(axis):
    if axis.kind == "choice":
        return CategoricalHyperparameter(axis.name, list(range(axis.size)))
    kind = UniformIntegerHyperparameter if axis.kind == "integer" else UniformFloatHyperparameter
    return kind(axis.name, axis.low, axis.high, log=axis.log)


def start(space, initial, seed, variant):
    facade = HyperparameterOptimizationFacade if variant == "forest" else BlackBoxFacade
    with tempfile.TemporaryDirectory() as folder:
        return SmacFacade(space, initial, seed, facade, folder)
