"""Randomness has an address: a fresh generator from (seed, trial number, purpose), none stored or shared."""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class Purpose(IntEnum):
    """What a stream of random numbers is for; the values are part of every recorded run and never change."""

    INITIAL = 0
    FIT = 1
    SEARCH = 2
    RESTART = 3
    FALLBACK = 4
    THOMPSON = 5
    SUCCESS = 6


def stream(seed: int, *where: int) -> np.random.Generator:
    """The generator for one place in a run: equal addresses draw equal numbers."""
    return np.random.default_rng([seed, *where])
