"""The order of a run's trials: by value, or in a noisy run by the model's predictions."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from casmopolitan.analysis.row import TrialRow, by_means, complete, ranked
from casmopolitan.config import Config
from casmopolitan.errors import DataError
from casmopolitan.goals import Goals
from casmopolitan.optimizer import Optimizer
from casmopolitan.space import Space
from casmopolitan.trial import FAILED, sign_of


def told_again(
    rows: Sequence[TrialRow], space: Space, config: Config, seed: int, goals: Goals, past: Mapping[str, Any] | None = None
) -> Optimizer:
    """Return an optimiser that was told every finished trial of the space, by number."""
    optimizer = Optimizer(space, seed=seed, config=config, past=past, **goals.arguments)
    for row in sorted(rows, key=lambda row: row.number):
        if row.state in ("complete", "failed") and space.allows(row.configuration):
            with contextlib.suppress(DataError):  # a second value at the same configuration of a noise-free study
                optimizer.tell(row.configuration, FAILED if row.told is None else row.told)
    return optimizer


def best_by_model(
    rows: Sequence[TrialRow], space: Space, config: Config, seed: int, goals: Goals, past: Mapping[str, Any] | None = None
) -> list[TrialRow]:
    """Return the rows in the space that meet all limits, best first; in a noisy study by the model's predictions.

    With several objectives the front comes first; see `analysis.front.best_first`.
    """
    done = ranked(rows, goals)
    usable = [row for row in done if space.allows(row.configuration)] if config.noisy else []
    if not usable:
        return done
    optimizer = told_again(complete(rows), space, config, seed, goals, past)
    means = np.atleast_2d(optimizer.predict([row.configuration for row in usable])[0].T).T
    if not np.isfinite(means).all():  # ranks have no magnitudes
        return done
    if goals.single:
        sign, predicted = sign_of(goals.direction), zip(usable, means[:, 0].tolist(), strict=True)
        found = [replace(row, predicted=mean) for row, mean in predicted]
        return sorted(found, key=lambda row: (sign * (row.predicted or 0.0), row.number))
    named = [dict(zip(goals.objectives, line, strict=True)) for line in means.tolist()]
    return by_means([replace(row, means=line) for row, line in zip(usable, named, strict=True)], goals)
