"""Uniform random points."""

from __future__ import annotations

import numpy as np


class RandomSearch:
    def __init__(self, space, seed):
        self._space, self._rng = space, np.random.default_rng(seed)

    def ask(self, count):
        return self._space.sample(count, self._rng)

    def tell(self, configurations, losses):
        pass


def start(space, initial, seed, variant):
    return RandomSearch(space, seed)
