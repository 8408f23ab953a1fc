"""The authors' released code (github.com/xingchenwan/Casmopolitan), run from a checkout; none of it is part of this repository.

A cell is a process of its own in the second environment, so the checkout's package `bo` is imported there. The settings
are the defaults of its main.py: EI, no ARD, known noise of 1e-6 in mixed spaces, and the radii that it has for Pest and
Ackley-53. Choices, ordinal values and integers are categories, counted from 0; real variables lie in [0, 1].

The shared first points take the place of its own first design.
"""

from __future__ import annotations

import collections
import collections.abc
import os
import random
import sys
from importlib import import_module
from pathlib import Path

import numpy as np

from benchmarks.axes import axes_of, configuration_of

FOLDER = "CASMOPOLITAN_RELEASED_CODE"
"""The environment variable with the folder of the checkout."""
FIRST_RADIUS = {25: 20, 50: 30}
"""The first radius by the number of discrete variables, where main.py sets one: Pest, Ackley-53."""
LARGEST_RADII = (25, 50, 60)
"""The numbers of discrete variables that main.py takes as the largest radius; elsewhere its default of 30 holds."""


class ReleasedCode:
    def __init__(self, space, initial, seed):
        if space.constraint:
            raise SystemExit("The released code supports no constraints.")
        axes = axes_of(space)
        self._axes, self._choices = axes, [axis for axis in axes if axis.kind != "real"]
        self._numbers = [axis for axis in axes if axis.kind == "real"]
        if not self._choices:
            raise SystemExit("The released code needs at least one categorical variable.")
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002  (the released code draws from the global generator)
        import_module("torch").manual_seed(seed)
        self._optimizer = self._made(checkout(), max(1, len(initial)))
        if initial:
            self._optimizer.suggest(1)  # sets the state up; the design that it draws is replaced
            self._optimizer.X_init = np.empty((0, len(axes)))
            self.tell([configuration for configuration, _ in initial], [loss for _, loss in initial])

    def ask(self, count):
        self._optimizer.batch_size = self._optimizer.casmopolitan.batch_size = count  # the code reads both
        rows = self._optimizer.suggest(count)
        return [self._configuration(row) for row in rows]

    def tell(self, configurations, losses):
        X = np.array([self._row(configuration) for configuration in configurations], dtype=float)
        self._optimizer.observe(X, np.asarray(losses, dtype=float))

    def _made(self, folder, first):
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
        d_h, d_x = len(self._choices), len(self._numbers)
        sizes = np.array([axis.size for axis in self._choices])
        settings = {"n_init": first, "use_ard": False, "acq": "ei"}
        settings |= {"length_max_discrete": d_h} if d_h in LARGEST_RADII else {}
        settings |= {"length_init_discrete": FIRST_RADIUS[d_h]} if d_h in FIRST_RADIUS else {}
        collections.Callable = collections.abc.Callable  # the code uses the name that Python 3.10 took away
        if not d_x:
            made = import_module("bo.optimizer").Optimizer
            return made(sizes, kernel_type="transformed_overlap", noise_variance=None, **settings)
        dims = list(range(d_h, d_h + d_x)), list(range(d_h))
        made = import_module("bo.optimizer_mixed").MixedOptimizer
        return made(sizes, np.zeros(d_x), np.ones(d_x), *dims, kernel_type="mixed", noise_variance=1e-6, **settings)

    def _row(self, configuration):
        whole = [axis.number(configuration[axis.name]) - axis.low for axis in self._choices]
        return [*whole, *(unit(axis, configuration[axis.name]) for axis in self._numbers)]

    def _configuration(self, row):
        numbers = {axis.name: axis.low + round(float(x)) for axis, x in zip(self._choices, row, strict=False)}
        reals = row[len(self._choices) :]
        numbers |= {axis.name: scaled(axis, float(x)) for axis, x in zip(self._numbers, reals, strict=True)}
        return configuration_of(self._axes, numbers)


def unit(axis, value):
    """Return a real value on [0, 1], by logarithms if its axis is logarithmic."""
    low, high, value = np.log([axis.low, axis.high, value]) if axis.log else (axis.low, axis.high, value)
    return float((value - low) / (high - low))


def scaled(axis, x):
    """Return the value at x in [0, 1]: the inverse of `unit`."""
    if axis.log:
        return float(np.exp(np.log(axis.low) + x * np.log(axis.high / axis.low)))
    return axis.low + x * (axis.high - axis.low)


def checkout():
    """Return the folder of the released code; say how to get it if it is not there."""
    if not has_checkout():
        raise SystemExit(
            f"The method released-code needs a checkout of the authors' code: `git clone "
            f"https://github.com/xingchenwan/Casmopolitan FOLDER`, then set {FOLDER}=FOLDER or give --released FOLDER."
        )
    return Path(os.environ[FOLDER]).resolve()


def has_checkout() -> bool:
    """Return whether the folder of the released code is known and holds it."""
    return FOLDER in os.environ and (Path(os.environ[FOLDER]) / "bo" / "optimizer.py").is_file()


def start(space, initial, seed, variant):
    return ReleasedCode(space, initial, seed)
