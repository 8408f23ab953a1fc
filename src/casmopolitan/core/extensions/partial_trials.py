"""Beyond the paper: complete a configuration with some coordinates fixed in advance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.algorithm import local_model, maximise, search_centre
from casmopolitan.core.append_only import AppendOnly
from casmopolitan.core.ask import Ask, Extension
from casmopolitan.core.domain import Domain
from casmopolitan.core.extensions import extensions_for
from casmopolitan.core.gp.model import Model
from casmopolitan.core.partial import Fixed
from casmopolitan.core.points import Mask, Points
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.rng import Purpose
from casmopolitan.core.search.eligibility import Eligibility
from casmopolitan.core.state import Prediction, Provenance, State, Suggestion, design_size
from casmopolitan.errors import ExhaustedError, InfeasibleError


@dataclass(frozen=True, eq=False)
class FixedPart(Extension):
    """Only points with the fixed coordinates count as the centre or set the value to improve on."""

    fixed: Fixed

    def centre(self, best: Points) -> Points:
        """Return the best point observed with the fixed coordinates, or the best of all if there is none."""
        points, values = self.this.state.seen(self.this.domain)
        own = self.fixed.agrees(points)
        if not own.any():
            return best
        merits = self.this.merits(points[own], values[own])
        return points[own][int(np.argmin(merits))]

    def attainable(self, points: Points) -> Mask:
        """Return which points have the fixed coordinates."""
        return self.fixed.agrees(points)


def complete(domain: Domain, config: Config, seed: int, state: State, number: int, fixed: Fixed) -> Suggestion:
    """Return the most promising point with the fixed coordinates, over the whole space; a random one until there is a model.

    If the parents of the fixed variables may have several levels, the points of all of these are compared. Raises
    ExhaustedError if no point is left, and InfeasibleError if no candidate has the fixed values or the constraint allows none.
    """
    usual = Ask(domain, config, seed, state, number)
    ways = fixed.ways(domain, usual.spare)
    if not ways:
        raise InfeasibleError("no candidate has the fixed values")
    kinds = extensions_for(config, state.outcomes)
    asks = [(Ask(domain, config, seed, state, number, (*kinds, partial(FixedPart, fixed=way))), way) for way in ways]
    if has_model(usual):
        found = [s for this, way in asks if (s := maximise_rest(this, way)) is not None]
        if found:
            return max(found, key=lambda s: -math.inf if s.prediction.acquisition is None else s.prediction.acquisition)
    if len(asks) > 1:
        asks = [asks[i] for i in usual.rng(Purpose.ACTIVATION).permutation(len(asks))]
    return Suggestion(first_random_rest(asks), Provenance(state.current, "given"))


def first_random_rest(asks: Sequence[tuple[Ask, Fixed]]) -> Points:
    """Return a point of the first of these asks that has one left; raise the error of the last if none has."""
    for this, fixed in asks[:-1]:
        try:
            return random_rest(this, fixed)
        except (ExhaustedError, InfeasibleError):
            continue
    return random_rest(*asks[-1])


def has_model(this: Ask) -> bool:
    """Return whether the first design is complete and there are data to fit a model to."""
    first = this.state.current == 0
    return this.has_data and not (first and this.state.regions[0].designed < design_size(this.config, 0))


def maximise_rest(this: Ask, fixed: Fixed) -> Suggestion | None:
    """Maximise the acquisition function over the free coordinates; None if the search finds no eligible point."""
    model = local_model(this)
    if not isinstance(model, Model):
        return None
    area = Neighbourhood.everywhere(this.domain, search_centre(this, model)).fixing(fixed)
    found = maximise(this, model.posterior, area)
    if found is None:
        return None
    point, prediction = this.choose(found.point, Prediction(found.value, *model.predicted_at(found.point)))
    return Suggestion(point, Provenance(this.state.current, "given"), prediction)


def random_rest(this: Ask, fixed: Fixed) -> Points:
    """Draw an eligible point with the fixed coordinates, as in the first design."""
    eligibility = Eligibility.of(fixed.part(this.domain), this.config, free_part(this.state, fixed))
    # Only points with the fixed values count: in others, the free variables may be inactive.
    used = this.used if this.domain.conditions is None else this.used[fixed.agrees(this.used)]
    return fixed.whole(this.initial_point(eligibility, fixed.free(used)))


def free_part(state: State, fixed: Fixed) -> State:
    """Return the trials that have the fixed coordinates, as points of the free part of the domain."""
    observations = [replace(o, point=fixed.free(o.point)) for o in state.observations if fixed.agrees(o.point)[0]]
    pending = {n: replace(s, point=fixed.free(s.point)) for n, s in state.pending.items() if fixed.agrees(s.point)[0]}
    failures = [fixed.free(point) for point in state.failures if fixed.agrees(point)[0]]
    return replace(state, observations=AppendOnly(observations), pending=pending, failures=AppendOnly(failures))
