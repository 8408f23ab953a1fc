"""Beyond the paper: four objectives or more, combined into one with new weights in every ask (ParEGO; Knowles, 2006).

y = max_j w_j f_j + ρ Σ_j w_j f_j,      f scaled to [0, 1] over the front, w uniform on the simplex
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from casmopolitan.core.ask import Extension
from casmopolitan.core.front import non_dominated
from casmopolitan.core.gp.fit import SECOND_START
from casmopolitan.core.gp.model import Model, fit_model, nearest
from casmopolitan.core.gp.posterior import Breakdown
from casmopolitan.core.points import Array, Points
from casmopolitan.core.rng import Purpose
from casmopolitan.core.state import Prediction, design_size

RHO = 0.05
"""The weight of the sum (Knowles, 2006). Without it y would ignore all objectives but the one that attains the maximum."""


@dataclass(frozen=True, eq=False)
class Scalarised(Extension):
    """The augmented Tchebycheff scalarisation of all objectives, with weights drawn for this ask."""

    @property
    def region(self) -> int | None:
        """The region whose observations are modelled; None for all."""
        return None if self.this.config.data == "all" else self.this.state.current

    @cached_property
    def weights(self) -> Array:
        """The weights of this ask, uniform on the simplex."""
        return self.this.rng(Purpose.WEIGHTS).dirichlet(np.ones(self.this.state.outcomes.objectives))

    def scalars(self, values: Array) -> Array:
        """Return y for each trial; nan if an objective is unknown.   values of all outcomes: (n, count) -> (n,)"""
        state, count = self.this.state, self.this.state.outcomes.objectives
        _, seen = state.measured(self.this.domain)
        known = seen[state.outcomes.candidates(seen)][:, :count]
        known = known if len(known) else seen[np.all(np.isfinite(seen[:, :count]), axis=1)][:, :count]
        if not len(known):
            return np.full(len(values), np.nan)
        front = known[non_dominated(known)]
        low, span = front.min(axis=0), np.ptp(front, axis=0)
        return scalarised((values[:, :count] - low) / np.where(span > 0.0, span, 1.0), self.weights)

    def model(self) -> Model | Breakdown:
        """Return a model of the scalarised values."""
        this, state = self.this, self.this.state
        points, values = state.measured(this.domain, self.region)
        y, sample = self.scalars(values), self.scalars(state.measured_sample(design_size(this.config, 0), self.region))
        known = np.isfinite(y)
        if not known.any():
            return Breakdown("no trial has a value in every objective yet")
        points, y = nearest(points[known], y[known], this.config.capacity)
        two_starts, rng = this.number % SECOND_START == 0, this.rng(Purpose.FIT)
        return fit_model(this.domain, this.config, points, y, sample[np.isfinite(sample)], None, rng, two_starts)

    def merits(self, points: Points, means: Array) -> Array:
        """Return y of the observed points, inf where an objective is unknown."""
        _, values = self.this.state.measured(self.this.domain)
        return self.this.observed_at(points, np.nan_to_num(self.scalars(values), nan=np.inf))

    def centre(self, best: Points) -> Points:
        """Return the point of the region with the smallest y, among the feasible ones if there are any."""
        points, values = self.this.state.measured(self.this.domain, self.region)
        y = np.nan_to_num(self.scalars(values), nan=np.inf)
        allowed = self.this.attainable(points)
        y = np.where(allowed, y, np.inf) if (allowed & np.isfinite(y)).any() else y
        return points[int(np.argmin(y))] if np.isfinite(y).any() else best

    def choose(self, points: Points, prediction: Prediction) -> tuple[Points, Prediction]:
        """Remove mean, deviation and structure, which describe y and no objective."""
        return points, replace(prediction, mean=None, deviation=None, structure=None)


def scalarised(values: Array, weights: Array, rho: float = RHO) -> Array:
    """Return max_j w_j f_j + ρ Σ_j w_j f_j.   values: (n, m)   weights: (m,)   ->   (n,)"""
    weighted = values * weights
    y: Array = weighted.max(axis=1) + rho * weighted.sum(axis=1)
    return y
