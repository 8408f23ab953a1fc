"""Algorithm 1 (CASMOPOLITAN), readable against the paper line by line.

`ask` is a pure function of its arguments; the loop of line 4 is the caller's. `state.py` adds results to the history (lines
12 and 13); the model of line 12 is fitted to the history when it is first needed. Additions to the paper are in `extensions/`
and act through the methods of `Ask` (`ask.py`), which change nothing if there are no extensions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.acquisition.acquisition import Score, rule_for
from casmopolitan.core.ask import Ask, Extension
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.fit import SECOND_START
from casmopolitan.core.gp.model import ALIKE_NOTE, SPARSE_NOTE, Model, fit_history
from casmopolitan.core.gp.posterior import Breakdown, Posterior
from casmopolitan.core.gp.structure import structure_text
from casmopolitan.core.points import Points, stack
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.region.trust_region import initial
from casmopolitan.core.restart import finished_regions, next_centre
from casmopolitan.core.rng import Purpose
from casmopolitan.core.search.believer import kriging_believer
from casmopolitan.core.search.eligibility import Candidate
from casmopolitan.core.search.exhaustive import exhaustive_search, is_small
from casmopolitan.core.search.interleaved import interleaved_search, starts_of_walks
from casmopolitan.core.search.listed import listed_search
from casmopolitan.core.search.random_point import random_point_of_region, random_point_of_space
from casmopolitan.core.search.steepest import steepest_search
from casmopolitan.core.search.thompson import thompson_search
from casmopolitan.core.state import Prediction, Provenance, State, Suggestion, design_size

OBSERVED_STARTS = 4
"""How many of the best observed points the steepest search also climbs from."""


def ask(
    domain: Domain,
    config: Config,
    seed: int,
    state: State,
    number: int,
    extensions: tuple[Callable[[Ask], Extension], ...] = (),
) -> Suggestion:
    """Lines 5 to 11: return the next point, for trial `number`. Raises ExhaustedError if a finite space has no point left."""
    this = Ask(domain, config, seed, state, number, extensions)
    region = state.regions[state.current]
    if state.current > 0 and region.centre is None:  # line 5: restart
        return restart(this, state.current)  # line 6, at subsequent restarts: Eq. (3)
    if region.designed < design_size(config, state.current) and not this.replaces_design(lambda: local_model(this)):
        return design(this)  # line 6: #init random points
    if this.has_data:
        return search(this)  # lines 8 to 10
    if state.current > 0 and not any(s.provenance.region == state.current for s in state.pending.values()):
        return restart(this, state.current + 1)  # the whole design has failed
    return design(this)  # it is still being evaluated


def design(this: Ask) -> Suggestion:
    """Line 6: return a random point of the space (at initialisation) or of the new region (at subsequent restarts)."""
    state, rng = this.state, this.rng(Purpose.INITIAL)
    centre = state.regions[state.current].centre
    if centre is None:
        return Suggestion(this.initial_point(this.eligibility, this.used), Provenance(state.current, "initial"))
    if this.config.restart_design == "scored":
        best = maximise_ucb(this, state.current)
        if best is not None:
            point, prediction = this.choose(best, Prediction())
            note = "scored by Eq. (3) over the whole space"
            return Suggestion(point, Provenance(state.current, "initial", note=note), prediction)
    around = Neighbourhood.around(this.domain, centre, state.lengths, np.ones(this.domain.d_x))
    drawn = [random_point_of_region(around, this.eligibility, rng) for _ in range(this.design_draws())]
    points = [point for point in drawn if point is not None]
    if not points:
        return restart(this, state.current + 1)
    point, prediction = this.choose(stack(points), Prediction())
    provenance = Provenance(state.current, "initial", centre, state.lengths.radius, state.lengths.length)
    return Suggestion(point, provenance, prediction)


def restart(this: Ask, region: int) -> Suggestion:
    """Line 6: return the centre of region `region` by Eq. (3). It is also the first point evaluated there."""
    best = maximise_ucb(this, region) if this.config.restart_centre == "ucb" else None
    if best is None:  # no candidate is eligible, or centres are random (App. B.7)
        best = random_point_of_space(this.eligibility, this.rng(Purpose.FALLBACK))
    point, prediction = this.choose(best, Prediction())
    lengths = initial(this.domain, this.config)  # L^h = L_0^h and L^x = L_0^x
    return Suggestion(point, Provenance(region, "restart", point, lengths.radius, lengths.length), prediction)


def maximise_ucb(this: Ask, region: int) -> Points | None:
    """Return the point of Eq. (3) for region `region`; None if no candidate is eligible."""
    finished, rng = finished_regions(this.domain, this.state, region, this.merits), this.rng(Purpose.RESTART)
    return next_centre(this.domain, this.config, finished, this.eligibility, rng, this.last_resort)


def local_model(this: Ask) -> Model | Breakdown:
    """Line 12: fit the Gaussian process of the current region. A model with other settings than the usual ones has a note.

    Such a model starts cold, and no other fit starts from its hyperparameters.
    """
    replacement = this.model()
    if replacement is not None:
        return replacement
    region = None if this.config.data == "all" else this.state.current
    two_starts = this.number % SECOND_START == 0
    settings = this.settings()
    usual = settings == this.config
    fitted = fit_history(this.domain, settings, this.state, region, this.rng(Purpose.FIT), two_starts, warm=usual)
    if usual or isinstance(fitted, Breakdown) or fitted.note:
        return fitted
    return replace(fitted, note=SPARSE_NOTE if settings.rate_prior == "sparse" else ALIKE_NOTE)


def search(this: Ask) -> Suggestion:
    """Lines 8 to 10: return the maximum of the acquisition function within the trust regions around the best point."""
    domain, state = this.domain, this.state
    model = local_model(this)
    known = model if isinstance(model, Model) else None
    centre = search_centre(this, known)
    lengthscales = np.ones(domain.d_x) if known is None else this.lengthscales(known.lengthscales())
    region = Neighbourhood.around(domain, centre, state.lengths, lengthscales)  # lines 8 and 9
    provenance = Provenance(state.current, "acquisition", centre, state.lengths.radius, state.lengths.length)
    areas, provenance = this.areas((region,), provenance)
    if not isinstance(model, Model):
        return fall_back(this, areas[-1], provenance, Prediction(), model.reason)
    found = next(filter(None, (maximise(this, model.posterior, area) for area in areas)), None)  # line 10
    if found is None and (this.eligibility.crowds or domain.candidates is not None):
        # Pending trials fill the region, or no candidate of the list is in it.
        areas, provenance = (Neighbourhood.everywhere(domain, centre),), Provenance(state.current, "global", centre)
        found = maximise(this, model.posterior, areas[0])
        if found is None and this.eligibility.crowds:  # and the space
            return search(replace(this, config=replace(this.config, apart=0.0)))
    theta = model.recorded()
    if found is None:
        reason = "no candidate of the search may be suggested"
        return fall_back(this, areas[-1], provenance, Prediction(theta=theta), reason)
    mean, deviation = model.predicted_at(found.point)
    structure = None if model.note == ALIKE_NOTE else structure_text(model.posterior)
    prediction = Prediction(found.value, mean, deviation, theta=theta, structure=structure)
    point, prediction = this.choose(found.point, prediction)
    return Suggestion(point, replace(provenance, note=model.note), prediction)


def fall_back(this: Ask, area: Neighbourhood, provenance: Provenance, prediction: Prediction, reason: str) -> Suggestion:
    """Return a random point if there is no model or the search found nothing; restart if every point is taken."""
    point = random_point_of_region(area, this.eligibility, this.rng(Purpose.FALLBACK))
    if point is None:
        new = restart(this, this.state.current + 1)
        return replace(new, provenance=replace(new.provenance, note="every point of the region was evaluated"))
    where = "the region" if provenance.source == "acquisition" else "the whole space"
    return Suggestion(point, replace(provenance, source="fallback", note=f"{reason}: random in {where}"), prediction)


def search_centre(this: Ask, model: Model | None) -> Points:
    """z*: return the best observed point of the region; of noisy observations, the one with the best predicted mean."""
    state = this.state
    region = state.regions[state.current]
    if region.best is None:
        known = [o for o in state.observations if o.values[0] is not None]
        if region.centre is not None:
            best = region.centre
        elif known or state.past is None:
            best = min(known, key=lambda o: o.value).point
        else:  # nothing but earlier studies
            best = state.past.points[int(np.argmin(state.past.values))]
    elif not this.config.noisy or model is None:
        best = region.best.point
    else:
        points, _ = state.seen(this.domain, state.current)
        best = points[int(np.argmin(this.merits(points, model.posterior.moments(points)[0])))]
    return this.centre(best)


def maximise(this: Ask, posterior: Posterior, area: Neighbourhood) -> Candidate | None:
    """Line 10: return argmax α(z) over an area; None if the search found no eligible point."""
    config, rng = this.config, this.rng(Purpose.SEARCH)
    if config.acquisition == "thompson":
        believed = kriging_believer(posterior, this.pending)
        return thompson_search(believed, area, this.eligibility, rng, this.rng(Purpose.THOMPSON))
    alpha = acquisition_function(this, posterior)
    if this.domain.candidates is not None:
        return listed_search(alpha, area, this.eligibility, this.domain.candidates, rng)
    if config.search == "interleaved":
        found = walk(this, alpha, area)  # Secs. 3.1 and 3.2
        if found is None or found.value != 0.0 or config.acquisition != "ei":
            return found
        by_logarithm = replace(this, config=replace(config, acquisition="log-ei"))  # EI is too small for a float
        found = walk(this, acquisition_function(by_logarithm, posterior), area)
        return None if found is None else replace(found, value=0.0)
    if is_small(this.domain, len(posterior.points)):
        return exhaustive_search(alpha, area, this.eligibility, rng)
    merits = this.merits(posterior.points, posterior.moments(posterior.points)[0])
    order = np.argsort(merits, kind="stable")[:OBSERVED_STARTS]
    observed = stack([area.centre, posterior.points[order]])
    singly, limited = not this.state.outcomes.plain, bool(this.state.outcomes.limits)
    return steepest_search(
        alpha, area, this.eligibility, observed, config.candidates, config.climbers, rng, singly=singly, limited=limited
    )


def walk(this: Ask, alpha: Score, area: Neighbourhood) -> Candidate | None:
    """Return the best point of all runs of the interleaved search of an area."""
    config, rng = this.config, this.rng(Purpose.SEARCH)
    starts = starts_of_walks(alpha, area, this.eligibility, config, rng)
    return interleaved_search(alpha, starts, area, this.eligibility, config.search_steps, config.search_rate, rng)


def acquisition_function(this: Ask, posterior: Posterior) -> Score:
    """Return α under a model. Pending trials are assumed to come out as predicted, and may set the value to improve on."""
    believed = kriging_believer(posterior, this.pending)
    by_mean = this.config.incumbent == "mean" or this.config.noisy
    values = believed.moments(believed.points)[0] if by_mean else believed.y
    attainable = this.attainable(believed.points) & believed.present
    best = float(values[attainable].min() if attainable.any() else values.min())
    logarithm = not this.state.outcomes.plain
    rule = rule_for(this.config, this.to_beat(best), posterior.hyperparameters.noise, logarithm)
    return this.weigh(Score(believed, rule))
