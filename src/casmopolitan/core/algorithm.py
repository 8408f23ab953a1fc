"""Algorithm 1 (CASMOPOLITAN), readable against the paper line by line.

`ask` is a pure function of (domain, config, seed, state, number); the loop of line 4 is whoever calls it. `tell`, lines 12
and 13, is in `state.py`.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.acquisition.score import Score, compressed, rule_for
from casmopolitan.core.acquisition.thompson import thompson
from casmopolitan.core.gp.model import Model, modelled
from casmopolitan.core.gp.posterior import Breakdown, Posterior
from casmopolitan.core.gp.success import Success, success_model
from casmopolitan.core.points import Array, Domain, Points, no_points, stack
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.region.trust_region import initial
from casmopolitan.core.restart import Finished, next_centre
from casmopolitan.core.rng import Purpose, stream
from casmopolitan.core.search.admission import Admission, Candidate
from casmopolitan.core.search.believer import believing
from casmopolitan.core.search.fresh import anywhere, within
from casmopolitan.core.search.interleaved import interleaved_search
from casmopolitan.core.search.steepest import steepest_search
from casmopolitan.core.state import State, Suggestion

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
    admission: Admission

    def pending(self) -> Points:
        """The points of trials asked for and not yet told."""
        points = [s.point for s in self.state.pending.values()]
        return stack(points) if points else no_points(self.domain.d_h, self.domain.d_x)

    def rng(self, purpose: Purpose) -> np.random.Generator:
        """The random numbers of this trial for one purpose."""
        return stream(self.seed, self.number, purpose)


def ask(domain: Domain, config: Config, seed: int, state: State, number: int) -> Suggestion:
    """Lines 5 to 11: the next point for trial `number`. Raises ExhaustedError when a finite space has no point left."""
    this = Ask(domain, config, seed, state, number, admission(domain, config, state))
    region = state.regions[state.current]
    if state.current > 0 and region.centre is None:  # line 5: restart
        return restarted(this, state.current)  # line 6, at subsequent restarts: Eq. (3)
    if region.designed < design_size(config, state.current):
        return designed(this)  # line 6: #init random points
    if not any(o.region == state.current for o in state.observations) and not (config.data == "all" and state.observations):
        if state.current > 0 and not any(s.region == state.current for s in state.pending.values()):
            return restarted(this, state.current + 1)  # the whole design has failed
        return designed(this)  # it is still being evaluated
    return acquired(this)  # lines 8 to 10


def design_size(config: Config, region: int) -> int:
    """#init of line 6; in a later region the centre comes on top."""
    if region == 0:
        return config.n_initial
    return 1 + (config.n_initial if config.restart_initial is None else config.restart_initial)


def admission(domain: Domain, config: Config, state: State) -> Admission:
    """Never a duplicate: what is evaluated, pending or failed is taken; of a noisy objective only what has but failed."""
    live = [o.point for o in state.observations] + [s.point for s in state.pending.values()]
    taken = frozenset(stack(live).identities()) if live else frozenset()
    failed = Counter(point.identities()[0] for point in state.failures)
    spare = [p for p in state.failures if failed[key := p.identities()[0]] == 1 and key not in taken]
    if config.noisy:
        return Admission(domain, frozenset(failed.keys() - taken), tuple(spare), tuple(live))
    return Admission(domain, taken | failed.keys(), tuple(spare), tuple(live))


def designed(this: Ask) -> Suggestion:
    """Line 6: a random point of the space (at initialisation) or of the new region (at subsequent restarts)."""
    state, rng = this.state, this.rng(Purpose.INITIAL)
    centre = state.regions[state.current].centre
    if centre is None:
        return Suggestion(anywhere(this.admission, rng), state.current, "initial")
    success = succeeding(this)
    if this.config.restart_design == "scored":
        best = proposed(this, state.current, success)
        if best is not None:
            likely = hopeful(best, success)[1]
            return Suggestion(best, state.current, "initial", note="scored by Eq. (3) over the whole space", success=likely)
    around = Neighbourhood.around(this.domain, centre, state.lengths, np.ones(this.domain.d_x))
    drawn = [within(around, this.admission, rng) for _ in range(1 if success is None else DRAWN)]
    points = [point for point in drawn if point is not None]
    if not points:
        return restarted(this, state.current + 1)
    point, likely = hopeful(stack(points), success)
    return Suggestion(point, state.current, "initial", centre, state.lengths.radius, state.lengths.length, success=likely)


def restarted(this: Ask, region: int) -> Suggestion:
    """Line 6 with Eq. (3): the centre of region `region`, itself the first point evaluated there."""
    success = succeeding(this)
    found = proposed(this, region, success)
    point, likely = hopeful(anywhere(this.admission, this.rng(Purpose.FALLBACK)) if found is None else found, success)
    lengths = initial(this.domain, this.config)
    return Suggestion(point, region, "restart", point, lengths.radius, lengths.length, success=likely)


def proposed(this: Ask, region: int, success: Success | None) -> Points | None:
    """The point of Eq. (3), of those that will sooner succeed than fail if there are any; None where none is admitted."""
    finished, rng = finished_regions(this, region), this.rng(Purpose.RESTART)
    likely = None if success is None else success.probability
    return next_centre(this.domain, this.config, finished, this.admission, rng, likely)


def hopeful(points: Points, success: Success | None) -> tuple[Points, float | None]:
    """The first of the points that will sooner succeed than fail, or else the likeliest to, and how likely it is."""
    if success is None:
        return points[0], None
    P = success.probability(points)
    i = int(np.argmax(np.minimum(P, 0.5)))
    return points[i], float(P[i])


def finished_regions(this: Ask, before: int) -> list[Finished]:
    """The observations of every region below `before` that has any."""
    parts = (this.state.seen(this.domain, r) for r in range(min(before, len(this.state.regions))))
    return [Finished(points, y) for points, y in parts if len(y)]


def acquired(this: Ask) -> Suggestion:
    """Lines 8 to 10: the maximum of the acquisition function within the trust regions around the best point."""
    state, domain = this.state, this.domain
    model = local_model(this)
    centre = best_point(this, model if isinstance(model, Model) else None)
    lengthscales = model.lengthscales() if isinstance(model, Model) else np.ones(domain.d_x)
    around = Neighbourhood.around(domain, centre, state.lengths, lengthscales)  # lines 8 and 9
    about = Suggestion(centre, state.current, "acquisition", centre, state.lengths.radius, state.lengths.length)
    if looks_everywhere(this):
        around = Neighbourhood.everywhere(domain, centre)
        about = Suggestion(centre, state.current, "global", centre)
    if isinstance(model, Model):
        held, success = neglected(this) if about.source == "global" else None, succeeding(this)
        found = None if held is None else maximised(this, model, success, around.holding(*held))
        found = found or maximised(this, model, success, around)  # line 10
        about = replace(about, theta=recorded(model), note=model.note)
        if found is not None:
            mean, deviation = predicted(model, found.point)
            about = replace(about, success=None if success is None else float(success.probability(found.point)[0]))
            return replace(about, point=found.point, acquisition=found.value, mean=mean, deviation=deviation)
        about = replace(about, note="no candidate of the search may be suggested: random in the region")
    else:
        about = replace(about, note=f"{model.reason}: random in the region")
    point = within(around, this.admission, this.rng(Purpose.FALLBACK))
    if point is None:  # every point of the region is taken: it has nothing left to give
        return replace(restarted(this, state.current + 1), note="every point of the region was evaluated")
    return replace(about, point=point, source="fallback")


def looks_everywhere(this: Ask) -> bool:
    """Whether this trial searches the whole space: one in so many does, and twice as many among choices alone once L^h < L_0^h.

    A smaller box refines x, a smaller radius nothing that a search of the whole space would miss.
    """
    every, radius = this.config.global_every, this.state.lengths.radius
    if this.domain.d_x == 0 and radius is not None and radius < (initial(this.domain, this.config).radius or 0):
        every = (every + 1) // 2
    return every > 0 and this.number % every == 0


def neglected(this: Ask) -> tuple[int, int] | None:
    """The categorical variable and the level seen of it that have had the smallest part of the trials; None without x.

    What a level is worth depends on x: tried a few times where x does not suit it, a good one looks bad and is left alone. A
    trial that failed was a try.
    Of equal parts the one with the better best value, so that nothing depends on the names of levels.
    """
    domain, state = this.domain, this.state
    if domain.d_x == 0:
        return None
    points, y = state.seen(domain, state.current)
    tried = stack([points, this.pending(), *state.failures]).h
    parts = []
    for j, n in enumerate(map(int, domain.levels)):
        if n > 1 and domain.positions[j] is None:
            part, best = n * (np.bincount(tried[:, j], minlength=n) / len(tried)), np.full(n, np.inf)
            np.minimum.at(best, points.h[:, j], y)
            parts += [(part[level], best[level], j, int(level)) for level in np.unique(points.h[:, j])]
    return min(parts)[2:] if parts else None


def local_model(this: Ask) -> Model | Breakdown:
    """The Gaussian process of the current region (line 12)."""
    state, config = this.state, this.config
    region = None if config.data == "all" else state.current
    points, y = state.seen(this.domain, region)
    sample = state.sample(design_size(config, region or 0), region)
    points, y = nearest(points, y, config.capacity)
    theta = state.regions[state.current].theta
    start = None if theta is None else np.array(theta)
    return modelled(this.domain, config, points, y, sample, start, this.rng(Purpose.FIT))


def nearest(points: Points, y: Array, capacity: int) -> tuple[Points, Array]:
    """At most `capacity` of the data, in their order: the best fifth of that number, then those nearest the best point.

    The distance is the share of discrete variables that differ plus the mean squared difference in x.
    """
    if len(y) <= capacity:
        return points, y
    order = np.argsort(y, kind="stable")
    centre = points[int(order[0])]
    away = (points.h != centre.h).mean(axis=1) if points.h.shape[1] else np.zeros(len(y))
    if points.x.shape[1]:
        away = away + ((points.x - centre.x) ** 2).mean(axis=1)
    away[order[: capacity // 5]] = -1.0
    kept = np.sort(np.argsort(away, kind="stable")[:capacity])
    return points[kept], y[kept]


def predicted(model: Model, point: Points) -> tuple[float, float] | tuple[None, None]:
    """Mean and deviation at one point for the explanation; None where the targets are ranks, which have no magnitudes."""
    mean, deviation = (float(part[0]) for part in model.predict(point))
    return (mean, deviation) if math.isfinite(mean) and math.isfinite(deviation) else (None, None)


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


def maximised(this: Ask, model: Model, success: Success | None, around: Neighbourhood) -> Candidate | None:
    """argmax α(z) over the region, pending trials believed; None when nothing the search met may be suggested."""
    config, rng = this.config, this.rng(Purpose.SEARCH)
    if config.acquisition == "thompson":
        candidates = around.sample(THOMPSON_CANDIDATES, rng)
        candidates = candidates[this.admission.fresh(candidates)]
        if not len(candidates):
            return None
        draw = thompson(believing(model.posterior, this.pending()), candidates, this.rng(Purpose.THOMPSON))
        return Candidate(candidates[int(np.argmax(draw))], float(draw.max()))
    score = scored(this, model.posterior, success)
    if config.search == "steepest":
        order = np.argsort(model.posterior.moments(model.posterior.points)[0], kind="stable")[:OBSERVED_STARTS]
        observed = stack([around.centre, model.posterior.points[order]])
        return steepest_search(score, around, this.admission, observed, config.candidates, config.climbers, rng)
    starts = stack([around.centre] * config.search_runs)
    if config.search_start == "random":
        drawn = around.sample(config.search_runs, rng)
        starts = stack([drawn, starts])[: config.search_runs]
    how = (starts, around, this.admission, config.search_steps, config.search_rate)
    found = interleaved_search(score, *how, rng)
    if found is not None and found.value == 0.0 and config.acquisition == "ei":  # too small for a float: by its logarithm
        logarithm = scored(replace(this, config=replace(config, acquisition="log-ei")), model.posterior, success)
        found = interleaved_search(logarithm, *how, this.rng(Purpose.SEARCH))
        found = None if found is None else replace(found, value=0.0)
    return found


def scored(this: Ask, posterior: Posterior, success: Success | None) -> Score:
    """α under one model, pending trials taken as told: what is believed of them may be the value to beat.

    Where trials fail, EI is weighed by the probability of success: log EI + log P, where EI is at all.
    """
    believed = believing(posterior, this.pending())
    if this.config.incumbent == "mean" or this.config.noisy:
        best = float(believed.moments(believed.points)[0].min())
    else:
        best = float(believed.y.min())
    rule = rule_for(this.config, best, float(posterior.theta[-1]))
    if success is None:
        return Score(believed, rule)
    return Score(believed, partial(compressed, rule=rule), Score(success.posterior, success.log_weight))


def succeeding(this: Ask) -> Success | None:
    """The model of which trials succeed, of all regions; None where none has failed or failures are not learnt from.

    At most half the capacity goes to failures, the latest.
    """
    state, config = this.state, this.config
    if not state.failures or config.failures != "learnt" or config.acquisition != "log-ei":
        return None
    latest = state.failures[-max(1, config.capacity // 2) :]
    failed, (points, _) = stack(list(latest)), nearest(*state.seen(this.domain), max(1, config.capacity - len(latest)))
    return success_model(this.domain, config, points, failed, this.rng(Purpose.SUCCESS))


def recorded(model: Model) -> tuple[float, ...] | None:
    """The hyper-parameters as they are kept with the trial: four significant digits, and none at all beyond a few thousand."""
    theta = model.posterior.theta
    return tuple(float(f"{value:.4g}") for value in theta) if len(theta) <= 2000 and not model.note else None


def overall_model(domain: Domain, config: Config, seed: int, state: State) -> Model | None:
    """A model of everything observed, for predictions and for the best of noisy trials; None before any observation."""
    points, y = state.seen(domain)
    if not len(y):
        return None
    sample = state.sample(config.n_initial)
    points, y = nearest(points, y, config.capacity)
    theta = state.regions[state.current].theta
    rng = stream(seed, len(y), Purpose.FIT)
    model = modelled(domain, config, points, y, sample, None if theta is None else np.array(theta), rng)
    return model if isinstance(model, Model) else None
