"""The model of a report, fitted to the trials of a study: relevance, and predictions around the best point."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

from casmopolitan.analysis.relevance import relevances_of
from casmopolitan.analysis.row import TrialRow, complete, ranked
from casmopolitan.analysis.slices import Slice, slice_around
from casmopolitan.config import Config
from casmopolitan.errors import CasmopolitanError, DataError
from casmopolitan.optimizer import Optimizer
from casmopolitan.space import Space
from casmopolitan.trial import Direction

MOST_TRIALS = 400
"""Maximum number of trials that the model is fitted to: half of them the best, half the latest."""
MOST_SLICES = 60


@dataclass(frozen=True)
class ModelSummary:
    """Relevance of each variable (0 to 1), and the slices, the most relevant variable first."""

    relevances: dict[str, float]
    slices: list[Slice]
    trials: int
    """The number of trials that the model was fitted to."""


def summarise_model(
    rows: Sequence[TrialRow], space: Space, config: Config, seed: int, direction: Direction, best_first: Sequence[TrialRow] = ()
) -> ModelSummary | None:
    """Fit the model to a study's trials; return None if they are too few.

    The model has one lengthscale per variable even if the search shares one, because it is fitted to compare variables.
    """
    usable = [row for row in complete(rows) if space.allows(row.configuration)]
    if len(usable) < 4 or space.domain.d_h + space.domain.d_x == 0:
        return None
    if len(usable) > MOST_TRIALS:
        chosen = {row.number for row in [*ranked(usable, direction)[: MOST_TRIALS // 2], *usable[-MOST_TRIALS // 2 :]]}
        usable = [row for row in usable if row.number in chosen]
    optimizer = Optimizer(space, seed=seed, config=replace(config, ard=True), direction=direction)
    for row in usable:
        with contextlib.suppress(DataError):  # a second value at the same configuration of a noise-free study
            optimizer.tell(row.configuration, row.result)
    best = next(row for row in [*best_first, *ranked(usable, direction)] if space.allows(row.configuration)).configuration
    try:
        with warnings.catch_warnings(action="ignore"):
            relevant = relevances_of(optimizer)
            names = sorted(relevant, key=lambda name: -relevant[name])[:MOST_SLICES]
            slices = [slice_around(optimizer, best, name) for name in names]
    except CasmopolitanError:
        return None
    return ModelSummary(relevant, [one for one in slices if one is not None], len(usable))
