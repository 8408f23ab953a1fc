"""Randomness has an address: a fresh generator for each (seed, trial number, purpose). None is stored or shared."""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class Purpose(IntEnum):
    """The purpose of a stream of random numbers. The values are part of every recorded run and never change."""

    INITIAL = 0
    FIT = 1
    SEARCH = 2
    RESTART = 3
    FALLBACK = 4
    THOMPSON = 5
    SUCCESS = 6
    WEIGHTS = 7
    ACTIVATION = 8


def stream(seed: int, *where: int) -> np.random.Generator:
    """Return the generator for one place in a run; equal addresses give equal numbers."""
    return np.random.default_rng([seed, *where])
