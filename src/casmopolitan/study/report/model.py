"""What the model has learnt from a study's trials: relevance of each variable, predictions around the best point."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from casmopolitan.config import Config
from casmopolitan.errors import CasmopolitanError, DataError
from casmopolitan.optimizer import Optimizer
from casmopolitan.plots.relevance import relevances
from casmopolitan.space import Space
from casmopolitan.study.report.pictures import slice_of
from casmopolitan.study.trials.row import TrialRow, complete, ranked
from casmopolitan.trial import Direction

MOST_TRIALS = 400
"""Trials that the report's model is fitted to: the best half of them and the latest half, where there are more."""
MOST_SLICES = 60


@dataclass(frozen=True)
class Slice:
    """Predictions when one variable changes and all others stay at the best point."""

    name: str
    at: Any
    values: list[Any]
    mean: list[float]
    deviation: list[float]


@dataclass(frozen=True)
class Learnt:
    """Relevance of each variable (0 to 1), and the slices, the most relevant variable first."""

    relevances: dict[str, float]
    slices: list[Slice]
    trials: int
    """How many trials the model saw."""


def learnt(
    rows: Sequence[TrialRow], space: Space, config: Config, seed: int, direction: Direction, best_first: Sequence[TrialRow] = ()
) -> Learnt | None:
    """The model of a study; None while there is too little to learn from.

    It has a lengthscale a variable, also where the search itself shares one: relevance is what it is fitted for.
    """
    usable = [row for row in complete(rows) if space.allows(row.configuration)]
    if len(usable) < 4 or space.domain.d_h + space.domain.d_x == 0:
        return None
    if len(usable) > MOST_TRIALS:
        chosen = {row.number for row in [*ranked(usable, direction)[: MOST_TRIALS // 2], *usable[-MOST_TRIALS // 2 :]]}
        usable = [row for row in usable if row.number in chosen]
    optimizer = Optimizer(space, seed=seed, config=replace(config, ard=True), direction=direction)
    for row in usable:
        with contextlib.suppress(DataError):  # another value at a configuration that cannot have two: the first is believed
            optimizer.tell(row.configuration, row.result)
    try:
        best = next(row for row in [*best_first, *ranked(usable, direction)] if space.allows(row.configuration)).configuration
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            relevant = relevances(optimizer)
            names = sorted(relevant, key=lambda name: -relevant[name])[:MOST_SLICES]
            slices = [_slice(optimizer, best, name) for name in names]
    except CasmopolitanError:
        return None
    return Learnt(relevant, [one for one in slices if one is not None], len(usable))


def _slice(optimizer: Optimizer, best: dict[str, Any], name: str) -> Slice | None:
    """The predictions along one variable, at values that the space allows; None where the model gives no magnitudes."""
    variable = optimizer.space[name]
    every = slice_of(variable, variable.read(best[name]))
    values = [value for value in every if optimizer.space.allows({**best, name: value})]
    if len(values) < 2:
        return None
    mean, deviation = optimizer.predict([{**best, name: value} for value in values])
    if not all(map(math.isfinite, [*mean, *deviation])):
        return None
    return Slice(name, variable.read(best[name]), values, mean.tolist(), deviation.tolist())
