"""Short runs of the algorithm on small domains."""

from __future__ import annotations

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.algorithm import ask as plain_ask
from casmopolitan.core.domain import Domain
from casmopolitan.core.extensions import extensions_for
from casmopolitan.core.points import Axis, Points
from casmopolitan.core.state import Asked, Provenance, Suggestion, Told, opening, tell

QUICK = Config(n_initial=4, fit_steps=5, fit_starts=1, search_steps=8, failure_tolerance=2)
MIXED = Domain(np.array([3, 4, 2]), (None, None, None), (Axis(0.0, 1.0), Axis(1.0, 50.0, 1.0)))
SMALL = Domain(np.array([3, 2, 2]), (None, None, None), ())


def ask(domain, config, seed, state, number):
    """The next suggestion, with the extensions that the config selects."""
    return plain_ask(domain, config, seed, state, number, extensions_for(config))


def objective(point):
    return float((point.h * np.arange(1, point.h.shape[1] + 1)).sum() + ((point.x - 0.3) ** 2).sum())


def run(domain, config, seed, n, value=objective, state=None, first=0):
    state = opening(domain, config) if state is None else state
    suggestions = []
    for number in range(first, first + n):
        suggestion = ask(domain, config, seed, state, number)
        state = tell(state, Asked(number, suggestion), domain, config)
        state = tell(state, Told(number, value(suggestion.point)), domain, config)
        suggestions.append(suggestion)
    return state, suggestions


def relabelled(points, permutations):
    return Points(np.stack([p[points.h[:, j]] for j, p in enumerate(permutations)], axis=1), points.x)


def heard(domain, config, points, values):
    """The state after these points were evaluated, asked for one by one."""
    state = opening(domain, config)
    for number, value in enumerate(values):
        state = tell(state, Asked(number, Suggestion(points[number], Provenance(0, "initial"))), domain, config)
        state = tell(state, Told(number, value), domain, config)
    return state
