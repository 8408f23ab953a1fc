"""A check of the model: the value of each trial, and its prediction by a model that has not seen it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from casmopolitan.core.gp.leave_one_out import leave_one_out, predicted_share
from casmopolitan.optimizer import Optimizer

Verdict = Literal["predicts well", "predicts roughly", "predicts poorly"]

WELL, ROUGHLY = 0.7, 0.25
"""Shares of the variance that leave-one-out predictions explain. Below ROUGHLY nothing is said about structure either."""
FEWEST = 5
"""Trials needed for a check."""


@dataclass(frozen=True)
class ModelCheck:
    """One entry per trial, in the user's units; the hyperparameters are those of all trials."""

    seen: list[float]
    mean: list[float]
    deviation: list[float]
    """Of the value, noise included."""
    share: float
    """How well each trial is predicted from the others: 1 is perfect, 0 is as good as the mean of the others."""

    @property
    def verdict(self) -> Verdict:
        """How well the model predicts, for a reader."""
        return "predicts well" if self.share >= WELL else "predicts roughly" if self.share >= ROUGHLY else "predicts poorly"

    @property
    def covered(self) -> int:
        """How many values lie within two standard deviations of their prediction."""
        triples = zip(self.seen, self.mean, self.deviation, strict=True)
        return sum(abs(seen - mean) <= 2 * deviation for seen, mean, deviation in triples)


def check_model(optimizer: Optimizer, objective: str | None = None) -> ModelCheck | None:
    """Return the leave-one-out predictions of an objective; None if there are too few, or the model has no magnitudes."""
    goals, models = optimizer.goals, optimizer.models
    if models is None:
        return None
    place = 0 if objective is None else goals.names.index(objective)
    model, sign = models[place], goals.signs[place]
    present = model.posterior.present
    left_out = leave_one_out(model.posterior)
    seen, _ = model.targets.invert(model.posterior.y, np.zeros_like(model.posterior.y))
    mean, deviation = model.targets.invert(left_out.mean, np.sqrt(left_out.variance))
    columns = np.stack([sign * seen[present], sign * mean[present], deviation[present]])
    if present.sum() < FEWEST or not np.isfinite(columns).all():
        return None
    values, means, deviations = columns.tolist()
    return ModelCheck(values, means, deviations, predicted_share(model.posterior))
