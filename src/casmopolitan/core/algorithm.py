"""Algorithm 1 (CASMOPOLITAN), readable against the paper line by line.

`ask` is a pure function of (domain, config, seed, state, number); the loop of line 4 is whoever calls it. What is told (lines
12 and 13) joins the history in `state.py`; the model of line 12 is fitted to that history here, when it is first needed.
What the paper does not have is in `global_trials.py`, `failures.py` and `completion.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.acquisition.acquisition import Score, compressed, rule_for
from casmopolitan.core.acquisition.thompson import thompson
from casmopolitan.core.domain import Domain
from casmopolitan.core.extensions import global_trials
from casmopolitan.core.extensions.failures import hopeful, succeeding
from casmopolitan.core.gp.feasibility import SuccessModel
from casmopolitan.core.gp.model import Model, fit_model, nearest
from casmopolitan.core.gp.posterior import Breakdown, Posterior
from casmopolitan.core.partial import Fixed
from casmopolitan.core.points import Points, no_points, stack
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.region.trust_region import initial
from casmopolitan.core.restart import Finished, next_centre
from casmopolitan.core.rng import Purpose, stream
from casmopolitan.core.search.believer import believing
from casmopolitan.core.search.eligibility import Candidate, Eligibility
from casmopolitan.core.search.interleaved import interleaved_search
from casmopolitan.core.search.random_point import anywhere, within
from casmopolitan.core.search.steepest import steepest_search
from casmopolitan.core.state import Prediction, Provenance, State, Suggestion

THOMPSON_CANDIDATES = 1000
"""Points of the region over which one posterior draw is compared, where Thompson sampling is asked for."""

DRAWN = 30
"""Where trials fail: random points of a new region from which one of its design is taken."""

OBSERVED_STARTS = 4
"""How many of the best points observed the steepest search also climbs from."""


@dataclass(frozen=True, eq=False)
class Ask:
    """The arguments of one ask, and what follows from them at once."""

    domain: Domain
    config: Config
    seed: int
    state: State
    number: int
    held: Fixed | None = None
    """What is decided beforehand (`completion.py`)."""

    @cached_property
    def eligibility(self) -> Eligibility:
        """What may be suggested."""
        return Eligibility.of(self.domain, self.config, self.state)

    @cached_property
    def pending(self) -> Points:
        """The points of trials asked for and not yet told."""
        points = [s.point for s in self.state.pending.values()]
        return stack(points) if points else no_points(self.domain.d_h, self.domain.d_x)

    @cached_property
    def success(self) -> SuccessModel | None:
        """The model of which trials succeed, where trials fail."""
        return succeeding(self.domain, self.config, self.state, self.rng(Purpose.SUCCESS))

    def rng(self, purpose: Purpose) -> np.random.Generator:
        """The random numbers of this trial for one purpose."""
        return stream(self.seed, self.number, purpose)


def ask(domain: Domain, config: Config, seed: int, state: State, number: int) -> Suggestion:
    """Lines 5 to 11: the next point for trial `number`. Raises ExhaustedError when a finite space has no point left."""
    this = Ask(domain, config, seed, state, number)
    region = state.regions[state.current]
    if state.current > 0 and region.centre is None:  # line 5: restart
        return restarted(this, state.current)  # line 6, at subsequent restarts: Eq. (3)
    if region.designed < design_size(config, state.current):
        return designed(this)  # line 6: #init random points
    if has_data(this):
        return acquired(this)  # lines 8 to 10
    if state.current > 0 and not any(s.provenance.region == state.current for s in state.pending.values()):
        return restarted(this, state.current + 1)  # the whole design has failed
    return designed(this)  # it is still being evaluated


def design_size(config: Config, region: int) -> int:
    """#init of line 6; in a later region the centre comes on top."""
    if region == 0:
        return config.n_initial
    return 1 + (config.n_initial if config.restart_initial is None else config.restart_initial)


def has_data(this: Ask) -> bool:
    """Whether there is anything to fit the region's model to."""
    observations = this.state.observations
    return any(o.region == this.state.current for o in observations) or (this.config.data == "all" and bool(observations))


def designed(this: Ask) -> Suggestion:
    """Line 6: a random point of the space (at initialisation) or of the new region (at subsequent restarts)."""
    state, rng = this.state, this.rng(Purpose.INITIAL)
    centre = state.regions[state.current].centre
    if centre is None:
        return Suggestion(anywhere(this.eligibility, rng), Provenance(state.current, "initial"))
    if this.config.restart_design == "scored":
        best = proposed(this, state.current)
        if best is not None:
            likely = hopeful(best, this.success)[1]
            scored_by = Provenance(state.current, "initial", note="scored by Eq. (3) over the whole space")
            return Suggestion(best, scored_by, Prediction(success=likely))
    around = Neighbourhood.around(this.domain, centre, state.lengths, np.ones(this.domain.d_x))
    drawn = [within(around, this.eligibility, rng) for _ in range(1 if this.success is None else DRAWN)]
    points = [point for point in drawn if point is not None]
    if not points:
        return restarted(this, state.current + 1)
    point, likely = hopeful(stack(points), this.success)
    provenance = Provenance(state.current, "initial", centre, state.lengths.radius, state.lengths.length)
    return Suggestion(point, provenance, Prediction(success=likely))


def restarted(this: Ask, region: int) -> Suggestion:
    """Line 6 with Eq. (3): the centre of region `region`, itself the first point evaluated there."""
    found = proposed(this, region)
    point, likely = hopeful(anywhere(this.eligibility, this.rng(Purpose.FALLBACK)) if found is None else found, this.success)
    lengths = initial(this.domain, this.config)
    provenance = Provenance(region, "restart", point, lengths.radius, lengths.length)
    return Suggestion(point, provenance, Prediction(success=likely))


def proposed(this: Ask, region: int) -> Points | None:
    """The point of Eq. (3), of those that will sooner succeed than fail if there are any; None where none is admitted."""
    finished, rng = finished_regions(this, region), this.rng(Purpose.RESTART)
    likely = None if this.success is None else this.success.probability
    return next_centre(this.domain, this.config, finished, this.eligibility, rng, likely)


def finished_regions(this: Ask, before: int) -> list[Finished]:
    """The observations of every region below `before` that has any."""
    parts = (this.state.seen(this.domain, r) for r in range(min(before, len(this.state.regions))))
    return [Finished(points, y) for points, y in parts if len(y)]


def acquired(this: Ask) -> Suggestion:
    """Lines 8 to 10: the maximum of the acquisition function within the trust regions around the best point."""
    model = local_model(this)
    around, provenance = surroundings(this, model)  # lines 8 and 9
    if isinstance(model, Breakdown):
        return at_random(this, around, provenance, model.reason)
    held = global_trials.neglected(this.domain, this.state, this.pending) if provenance.source == "global" else None
    found = None if held is None else maximised(this, model.posterior, around.fixing(Fixed(dict([held]))))
    found = found or maximised(this, model.posterior, around)  # line 10
    if found is None:
        return at_random(this, around, provenance, "no candidate of the search may be suggested", model.recorded())
    mean, deviation = model.predicted_at(found.point)
    likely = None if this.success is None else float(this.success.probability(found.point)[0])
    prediction = Prediction(found.value, mean, deviation, likely, model.recorded())
    return Suggestion(found.point, replace(provenance, note=model.note), prediction)


def surroundings(this: Ask, model: Model | Breakdown) -> tuple[Neighbourhood, Provenance]:
    """Lines 8 and 9: the trust regions around the best point, or the whole space; and what a suggestion from there records."""
    domain, state = this.domain, this.state
    known = model if isinstance(model, Model) else None
    centre = best_point(this, known)
    if global_trials.due(domain, this.config, state, this.number):
        return Neighbourhood.everywhere(domain, centre), Provenance(state.current, "global", centre)
    lengthscales = np.ones(domain.d_x) if known is None else known.lengthscales()
    around = Neighbourhood.around(domain, centre, state.lengths, lengthscales)
    return around, Provenance(state.current, "acquisition", centre, state.lengths.radius, state.lengths.length)


def at_random(
    this: Ask, around: Neighbourhood, provenance: Provenance, reason: str, theta: tuple[float, ...] | None = None
) -> Suggestion:
    """Where numerics or the search gave nothing: a random point, recorded as such; a restart where there is none left."""
    point = within(around, this.eligibility, this.rng(Purpose.FALLBACK))
    if point is None:  # every point of the region is taken: it has nothing left to give
        found = restarted(this, this.state.current + 1)
        return replace(found, provenance=replace(found.provenance, note="every point of the region was evaluated"))
    where = "the whole space" if provenance.source == "global" else "the region"
    provenance = replace(provenance, source="fallback", note=f"{reason}: random in {where}")
    return Suggestion(point, provenance, Prediction(theta=theta))


def local_model(this: Ask) -> Model | Breakdown:
    """The Gaussian process of the current region (line 12)."""
    region = None if this.config.data == "all" else this.state.current
    return model_of(this.domain, this.config, this.state, region, this.rng(Purpose.FIT))


def overall_model(domain: Domain, config: Config, seed: int, state: State) -> Model | None:
    """A model of everything observed, for predictions and for the best of noisy trials; None before any observation."""
    n = len(state.observations)
    model = model_of(domain, config, state, None, stream(seed, n, Purpose.FIT)) if n else None
    return model if isinstance(model, Model) else None


def model_of(domain: Domain, config: Config, state: State, region: int | None, rng: np.random.Generator) -> Model | Breakdown:
    """The Gaussian process of one region's observations, or of all, begun from the last fit's hyper-parameters."""
    points, y = nearest(*state.seen(domain, region), config.capacity)
    sample = state.sample(design_size(config, region or 0), region)
    theta = state.regions[state.current].theta
    return fit_model(domain, config, points, y, sample, None if theta is None else np.array(theta), rng)


def best_point(this: Ask, model: Model | None) -> Points:
    """z*, the centre: the region's best observed point, by the model's mean where observations are noisy."""
    state = this.state
    region = state.regions[state.current]
    if region.best is None:
        return region.centre if region.centre is not None else min(state.observations, key=lambda o: o.value).point
    if not this.config.noisy or model is None:
        return region.best.point
    points, _ = state.seen(this.domain, state.current)
    return points[int(np.argmin(model.posterior.moments(points)[0]))]


def maximised(this: Ask, posterior: Posterior, around: Neighbourhood) -> Candidate | None:
    """argmax α(z) over the region, pending trials believed; None when nothing the search met may be suggested."""
    if this.config.acquisition == "thompson":
        return thompson_search(this, posterior, around)
    if this.config.search == "interleaved":
        return walked(this, posterior, around)
    order = np.argsort(posterior.moments(posterior.points)[0], kind="stable")[:OBSERVED_STARTS]
    observed, how = stack([around.centre, posterior.points[order]]), (this.config.candidates, this.config.climbers)
    return steepest_search(scored(this, posterior), around, this.eligibility, observed, *how, this.rng(Purpose.SEARCH))


def thompson_search(this: Ask, posterior: Posterior, around: Neighbourhood) -> Candidate | None:
    """The best of many random points under one draw of the posterior."""
    candidates = around.sample(THOMPSON_CANDIDATES, this.rng(Purpose.SEARCH))
    candidates = candidates[this.eligibility.fresh(candidates)]
    if not len(candidates):
        return None
    draw = thompson(believing(posterior, this.pending), candidates, this.rng(Purpose.THOMPSON))
    return Candidate(candidates[int(np.argmax(draw))], float(draw.max()))


def walked(this: Ask, posterior: Posterior, around: Neighbourhood) -> Candidate | None:
    """Secs. 3.1 and 3.2: interleaved search from the centre, or from random points of the region."""
    config, rng = this.config, this.rng(Purpose.SEARCH)
    starts = stack([around.centre] * config.search_runs)
    if config.search_start == "random":
        drawn = around.sample(config.search_runs, rng)
        starts = stack([drawn, starts])[: config.search_runs]
    how = (starts, around, this.eligibility, config.search_steps, config.search_rate)
    found = interleaved_search(scored(this, posterior), *how, rng)
    if found is not None and found.value == 0.0 and config.acquisition == "ei":  # too small for a float: by its logarithm
        logarithm = replace(this, config=replace(config, acquisition="log-ei", failures="avoided"))
        found = interleaved_search(scored(logarithm, posterior), *how, this.rng(Purpose.SEARCH))
        found = None if found is None else replace(found, value=0.0)
    return found


def scored(this: Ask, posterior: Posterior) -> Score:
    """α under one model, pending trials taken as told: what is believed of them may be the value to beat.

    Where a part is held, the value to beat is the best seen there, if any was: the best elsewhere is out of reach.
    Where trials fail, EI is weighed by the probability of success: log EI + log P, where EI is at all.
    """
    believed = believing(posterior, this.pending)
    predicted = this.config.incumbent == "mean" or this.config.noisy
    reached = believed.moments(believed.points)[0] if predicted else believed.y
    inside = np.zeros(len(reached), dtype=bool) if this.held is None else this.held.agrees(believed.points)
    best = float(reached[inside].min() if inside.any() else reached.min())
    rule = rule_for(this.config, best, posterior.hyperparameters.noise)
    if this.success is None:
        return Score(believed, rule)
    return Score(believed, partial(compressed, rule=rule), Score(this.success.posterior, this.success.log_weight))
