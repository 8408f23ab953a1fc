"""The arguments of one ask, and the named points at which an extension may change it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.model import Model
from casmopolitan.core.gp.posterior import Breakdown
from casmopolitan.core.points import Array, Mask, Points, no_points, stack
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.rng import Purpose, stream
from casmopolitan.core.search.eligibility import Eligibility
from casmopolitan.core.search.random_point import random_point_of_space
from casmopolitan.core.state import Prediction, Provenance, State

Areas = tuple[Neighbourhood, ...]
"""Sets of points to search one after the other, until one of them yields a point."""


@dataclass(frozen=True, eq=False)
class Ask:
    """The arguments of one ask and values derived from them. The methods from `initial_point` on ask the extensions."""

    domain: Domain
    config: Config
    seed: int
    state: State
    number: int
    kinds: tuple[Callable[[Ask], Extension], ...] = ()

    @cached_property
    def extensions(self) -> tuple[Extension, ...]:
        """The extensions, made for this ask; none for the paper."""
        return tuple(kind(self) for kind in self.kinds)

    @cached_property
    def eligibility(self) -> Eligibility:
        """Which points may be suggested."""
        return Eligibility.of(self.domain, self.config, self.state)

    @cached_property
    def pending(self) -> Points:
        """The points of pending trials."""
        points = [s.point for s in self.state.pending.values()]
        return stack(points) if points else no_points(self.domain.d_h, self.domain.d_x)

    @cached_property
    def used(self) -> Points:
        """The points of all trials: completed, pending or failed."""
        return stack([no_points(self.domain.d_h, self.domain.d_x), *self.eligibility.known, *self.state.failures])

    @cached_property
    def spare(self) -> Points:
        """Values of variables that become active: those of the best trial in which they are active, random ones if none is."""
        random = self.domain.draw_values(1, self.rng(Purpose.ACTIVATION))
        if self.domain.conditions is None:
            return random
        points, y = self.state.seen(self.domain)
        return self.domain.conditions.best_known(points, np.argsort(y, kind="stable"), random)

    @property
    def has_data(self) -> bool:
        """Whether there is an observation to fit the model of the current region to."""
        if self.state.past is not None:
            return True
        observations = [o for o in self.state.observations if o.values[0] is not None]
        return any(o.region == self.state.current for o in observations) or (self.config.data == "all" and bool(observations))

    def replaces_design(self, fit: Callable[[], Model | Breakdown]) -> bool:
        """Return whether earlier studies take the place of the first design: they do if any is related to the present task."""
        if self.state.past is None or self.state.current > 0:
            return False
        if len(self.state.observations) + len(self.state.pending) >= self.config.n_initial:
            return True
        model = fit()
        return isinstance(model, Model) and model.has_related_studies

    def rng(self, purpose: Purpose) -> np.random.Generator:
        """Return the random generator of this trial for one purpose."""
        return stream(self.seed, self.number, purpose)

    def observed_at(self, points: Points, values: Array) -> Array:
        """Return the smallest value observed at each point, or inf. `values` has one value per observation, in their order."""
        least: dict[bytes, float] = {}
        for observation, value in zip(self.state.observations, values.tolist(), strict=True):
            key = observation.point.identities()[0]
            least[key] = min(value, least.get(key, np.inf))
        return np.array([least.get(key, np.inf) for key in points.identities()])

    def initial_point(self, eligibility: Eligibility, used: Points) -> Points:
        """Return an eligible point of the first design, by default a random one; `used` are the points so far."""
        chosen = (extension.initial_point(eligibility, used) for extension in self.extensions)
        first = next((point for point in chosen if point is not None), None)
        return random_point_of_space(eligibility, self.rng(Purpose.INITIAL)) if first is None else first

    def design_draws(self) -> int:
        """Return how many random points to draw for one point of a new region's design."""
        return max((extension.design_draws() for extension in self.extensions), default=1)

    def choose(self, points: Points, prediction: Prediction) -> tuple[Points, Prediction]:
        """Return one of the points, by default the first, and the prediction there."""
        for extension in self.extensions:
            points, prediction = extension.choose(points, prediction)
        return points[0], prediction

    def last_resort(self, points: Points) -> Mask:
        """Return which points to take as a new centre only if there are no others."""
        last = np.zeros(len(points), dtype=bool)
        for extension in self.extensions:
            last |= extension.last_resort(points)
        return last

    def centre(self, best: Points) -> Points:
        """Return the centre of the search."""
        for extension in self.extensions:
            best = extension.centre(best)
        return best

    def model(self) -> Model | Breakdown | None:
        """Return the model to search with; None for the usual one, that of the first objective."""
        found = (extension.model() for extension in self.extensions)
        return next((model for model in found if model is not None), None)

    def lengthscales(self, own: Array) -> Array:
        """Return the lengthscales that weight the sides of the trust region, by default the `own` ones of the model."""
        for extension in self.extensions:
            own = extension.lengthscales(own)
        return own

    def merits(self, points: Points, means: Array) -> Array:
        """Return a score of each observed point, smaller is better: by default the posterior mean."""
        for extension in self.extensions:
            means = extension.merits(points, means)
        return means

    def areas(self, areas: Areas, provenance: Provenance) -> tuple[Areas, Provenance]:
        """Return the areas to search, and the provenance of points found there."""
        for extension in self.extensions:
            areas, provenance = extension.areas(areas, provenance)
        return areas, provenance

    def settings(self) -> Config:
        """Return the settings of the model."""
        config = self.config
        for extension in self.extensions:
            config = extension.settings(config)
        return config

    def attainable(self, points: Points) -> Mask:
        """Return which points may set the value to improve on."""
        attainable = np.ones(len(points), dtype=bool)
        for extension in self.extensions:
            attainable &= extension.attainable(points)
        return attainable

    def to_beat(self, best: float) -> float:
        """Return the target to improve on, by default the `best` one so far."""
        for extension in self.extensions:
            best = extension.to_beat(best)
        return best

    def weigh(self, score: Score) -> Score:
        """Return the acquisition function to maximise."""
        for extension in self.extensions:
            score = extension.weigh(score)
        return score


@dataclass(frozen=True, eq=False)
class Extension:
    """An addition to Algorithm 1, made for one ask. Each method is a named point of the algorithm; by default it is a no-op."""

    this: Ask

    def initial_point(self, eligibility: Eligibility, used: Points) -> Points | None:
        """At the first design (line 6): an eligible point; None for a random one."""
        return None

    def design_draws(self) -> int:
        """At the design (line 6): how many random points to choose one from."""
        return 1

    def choose(self, points: Points, prediction: Prediction) -> tuple[Points, Prediction]:
        """At every choice: the preferred points, best first, and the prediction at the first of them."""
        return points, prediction

    def last_resort(self, points: Points) -> Mask:
        """At a restart (Eq. 3): which points to take only if there are no others."""
        return np.zeros(len(points), dtype=bool)

    def centre(self, best: Points) -> Points:
        """Before the search (line 8): the point to search around."""
        return best

    def model(self) -> Model | Breakdown | None:
        """Before the search (line 12): the model to search with instead; None for that of the first objective."""
        return None

    def lengthscales(self, own: Array) -> Array:
        """Before the search (line 9): the lengthscales that weight the sides of the box."""
        return own

    def merits(self, points: Points, means: Array) -> Array:
        """Before the search and at a restart: a score of each observed point, smaller is better."""
        return means

    def areas(self, areas: Areas, provenance: Provenance) -> tuple[Areas, Provenance]:
        """Before the search (lines 8 and 9): the areas to search, and the provenance of points found there."""
        return areas, provenance

    def settings(self, config: Config) -> Config:
        """Before the fit (line 12): the settings of the model."""
        return config

    def attainable(self, points: Points) -> Mask:
        """On the acquisition function: which observed points may set the value to improve on."""
        return np.ones(len(points), dtype=bool)

    def to_beat(self, best: float) -> float:
        """On the acquisition function: the target to improve on."""
        return best

    def weigh(self, score: Score) -> Score:
        """On the acquisition function: the function to maximise instead."""
        return score
