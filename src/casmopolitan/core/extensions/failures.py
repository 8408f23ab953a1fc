"""Beyond the paper: avoid points that are likely to fail, once trials have failed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from casmopolitan.core.acquisition.acquisition import Score, compressed
from casmopolitan.core.ask import Extension
from casmopolitan.core.gp.feasibility import SuccessModel, fit_success_model
from casmopolitan.core.gp.model import nearest
from casmopolitan.core.points import Mask, Points, stack
from casmopolitan.core.rng import Purpose
from casmopolitan.core.state import Prediction

DRAWS = 30
"""Random points from which one point of a new region's design is chosen."""


@dataclass(frozen=True, eq=False)
class Failures(Extension):
    """log EI + log P(success), and designs and restarts that prefer points with P(success) >= 1/2."""

    @cached_property
    def success(self) -> SuccessModel | None:
        """The model of success over all regions; None if no trial has failed, or if it breaks down.

        At most half of the capacity is used for failures: the latest ones.
        """
        domain, config, state = self.this.domain, self.this.config, self.this.state
        if not state.failures:
            return None
        latest = state.failures[-max(1, config.capacity // 2) :]
        failed, (points, _) = stack(list(latest)), nearest(*state.seen(domain), max(1, config.capacity - len(latest)))
        return fit_success_model(domain, config, points, failed, self.this.rng(Purpose.SUCCESS))

    def design_draws(self) -> int:
        """Draw several points once there is a model to choose by."""
        return 1 if self.success is None else DRAWS

    def choose(self, points: Points, prediction: Prediction) -> tuple[Points, Prediction]:
        """Return the first point with P(success) >= 1/2, or else the one with the largest P."""
        if self.success is None:
            return points, prediction
        P = self.success.probability(points)
        i = int(np.argmax(np.minimum(P, 0.5)))
        return points[i], replace(prediction, success=float(P[i]))

    def last_resort(self, points: Points) -> Mask:
        """Return which points are more likely to fail than to succeed."""
        if self.success is None or not len(points):
            return super().last_resort(points)
        unlikely: Mask = self.success.probability(points) < 0.5
        return unlikely

    def weigh(self, score: Score) -> Score:
        """Return log EI + log P(success), with log EI compressed so that it never outweighs a sure failure."""
        if self.success is None:
            return score
        weight = Score(self.success.posterior, self.success.log_weight, score.added)
        return Score(score.posterior, partial(compressed, rule=score.rule), weight)
