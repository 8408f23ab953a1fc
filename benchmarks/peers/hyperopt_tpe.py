"""Hyperopt's TPE, asked one trial at a time; its 20 start-up trials are the initial points."""

from __future__ import annotations

from math import log

import numpy as np
from hyperopt import JOB_STATE_DONE, STATUS_OK, hp, tpe
from hyperopt.base import Domain
from hyperopt.fmin import generate_trials_to_calculate

from benchmarks.axes import axes_of, configuration_of, numbers_of


class HyperoptTPE:
    def __init__(self, space, initial, seed):
        self._axes, self._rng = axes_of(space), np.random.default_rng(seed)
        self._domain = Domain(lambda numbers: 0.0, {axis.name: expression(axis) for axis in self._axes})
        self._trials = generate_trials_to_calculate([numbers_of(self._axes, point) for point, _ in initial])
        self._trials.refresh()
        self._pending = list(self._trials.trials)
        self.tell([], [loss for _, loss in initial])

    def ask(self, count):
        self._pending = [document for _ in range(count) for document in self._suggested()]
        return [self._configuration(document) for document in self._pending]

    def tell(self, configurations, losses):
        for document, loss in zip(self._pending, losses, strict=True):
            document["state"], document["result"] = JOB_STATE_DONE, {"loss": loss, "status": STATUS_OK}
        self._trials.refresh()

    def _suggested(self):
        seed = int(self._rng.integers(2**31 - 1))
        documents = tpe.suggest(self._trials.new_trial_ids(1), self._domain, self._trials, seed, verbose=False)
        self._trials.insert_trial_docs(documents)
        self._trials.refresh()
        return self._trials.trials[-1:]

    def _configuration(self, document):
        return configuration_of(self._axes, {name: float(v[0]) for name, v in document["misc"]["vals"].items()})


def expression(axis):
    if axis.kind == "choice":
        return hp.choice(axis.name, range(axis.size))
    if axis.kind == "integer":
        if axis.log:
            return hp.qloguniform(axis.name, log(axis.low), log(axis.high), 1)
        return hp.uniformint(axis.name, axis.low, axis.high)
    return hp.loguniform(axis.name, log(axis.low), log(axis.high)) if axis.log else hp.uniform(axis.name, axis.low, axis.high)


def start(space, initial, seed, variant):
    return HyperoptTPE(space, initial, seed)
