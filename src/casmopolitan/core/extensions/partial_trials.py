"""Beyond the paper: a trial of which a part is decided beforehand, and the best there is for the rest."""

from __future__ import annotations

from dataclasses import replace

from casmopolitan.config import Config
from casmopolitan.core.algorithm import Ask, best_point, design_size, has_data, local_model, maximised
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.model import Model
from casmopolitan.core.partial import Fixed
from casmopolitan.core.points import Points
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.rng import Purpose
from casmopolitan.core.search.eligibility import Eligibility
from casmopolitan.core.search.random_point import anywhere
from casmopolitan.core.state import Prediction, Provenance, State, Suggestion


def completion(domain: Domain, config: Config, seed: int, state: State, number: int, held: Fixed) -> Suggestion:
    """The most promising point with what is held, over the whole space; a random one until there is a model.

    It is allowed and new like any suggestion. ExhaustedError when no such point is left, InfeasibleError when the constraint
    allows none; not everything may be held.
    """
    this = Ask(domain, config, seed, state, number, held)
    found = promising(this, held) if begun(this) else None
    return found or Suggestion(at_random(this, held), Provenance(state.current, "given"))


def begun(this: Ask) -> bool:
    """Whether the first design is complete and there is something to fit a model to."""
    first = this.state.current == 0
    return has_data(this) and not (first and this.state.regions[0].designed < design_size(this.config, 0))


def promising(this: Ask, held: Fixed) -> Suggestion | None:
    """Where the acquisition function is largest among the points with what is held; None when the search finds nothing."""
    model = local_model(this)
    if not isinstance(model, Model):
        return None
    around = Neighbourhood.everywhere(this.domain, start(this, model, held)).fixing(held)
    found = maximised(this, model.posterior, around)
    if found is None:
        return None
    mean, deviation = model.predicted_at(found.point)
    likely = None if this.success is None else float(this.success.probability(found.point)[0])
    prediction = Prediction(found.value, mean, deviation, likely)
    return Suggestion(found.point, Provenance(this.state.current, "given"), prediction)


def start(this: Ask, model: Model, held: Fixed) -> Points:
    """The best point observed with what is held, or else the best observed at all."""
    own = [o for o in this.state.observations if held.agrees(o.point)[0]]
    return min(own, key=lambda o: o.value).point if own else best_point(this, model)


def at_random(this: Ask, held: Fixed) -> Points:
    """A random point with what is held that may be suggested."""
    part = held.part(this.domain)
    eligibility = Eligibility.of(part, this.config, known(this.state, held))
    return held.whole(anywhere(eligibility, this.rng(Purpose.INITIAL)))


def known(state: State, held: Fixed) -> State:
    """What is known of the points with what is held, as points of the part that is left open."""
    observations = [replace(o, point=held.free(o.point)) for o in state.observations if held.agrees(o.point)[0]]
    pending = {n: replace(s, point=held.free(s.point)) for n, s in state.pending.items() if held.agrees(s.point)[0]}
    failures = [held.free(point) for point in state.failures if held.agrees(point)[0]]
    return replace(state, observations=tuple(observations), pending=pending, failures=tuple(failures))
