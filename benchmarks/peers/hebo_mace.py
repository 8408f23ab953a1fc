"""HEBO with its default model and acquisition; the initial points take the place of its random start."""

from __future__ import annotations

import numpy as np
import pandas as pd
import torch
from hebo.design_space.design_space import DesignSpace
from hebo.optimizers.hebo import HEBO

from benchmarks.axes import axes_of, configuration_of, numbers_of


class HeboMace:
    def __init__(self, space, initial, seed):
        np.random.seed(seed)  # noqa: NPY002 - HEBO draws from the global generators
        torch.manual_seed(seed)
        self._axes = axes_of(space)
        parameters = [parameter(axis) for axis in self._axes]
        self._hebo = HEBO(DesignSpace().parse(parameters), rand_sample=len(initial), scramble_seed=seed)
        self._pending = pd.DataFrame([numbers_of(self._axes, configuration) for configuration, _ in initial])
        self.tell([], [loss for _, loss in initial])

    def ask(self, count):
        self._pending = self._hebo.suggest(count)
        return [configuration_of(self._axes, numbers) for numbers in self._pending.to_dict("records")]

    def tell(self, configurations, losses):
        self._hebo.observe(self._pending, np.array(losses, dtype=float)[:, None])


def parameter(axis):
    if axis.kind == "choice":
        return {"name": axis.name, "type": "cat", "categories": list(range(axis.size))}
    kind = {("integer", False): "int", ("integer", True): "pow_int", ("real", False): "num", ("real", True): "pow"}
    return {"name": axis.name, "type": kind[axis.kind, axis.log], "lb": axis.low, "ub": axis.high}


def start(space, initial, seed, variant):
    return HeboMace(space, initial, seed)
