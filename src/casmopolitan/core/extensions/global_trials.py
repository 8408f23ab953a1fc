"""Beyond the paper: every n-th trial leaves the trust region and searches the whole space.

In discrete spaces such a trial also explores: it doubles the deviations that the model predicts. A fit to few points is often
too sure of itself. It tries one ligand once, in the wrong solvent, and never again. With few variables the trial also asks a
second model, the paper's, which has one rate for all choices and ignores their descriptions. Rates and descriptions can mislead
a model of few points; the second model makes other errors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.ask import Areas, Extension
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.posterior import Rule
from casmopolitan.core.partial import Fixed
from casmopolitan.core.points import Array, Points, stack
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.region.trust_region import initial
from casmopolitan.core.state import Provenance, State

WIDER = 4.0
"""The factor of the predicted variance in global trials of discrete spaces."""

WIDEST = 59
"""The largest number of variables with wider predictions. With more, sparse trials explore (`sparse_trials.py`)."""

MOST_SHARED, LAST_SHARED = 25, 63
"""The largest number of variables and the last trial with a second model. LABS-50 got worse with it. With more trials, separate
rates are known well enough."""


@dataclass(frozen=True, eq=False)
class GlobalTrials(Extension):
    """If a global trial is due: search the whole space, in mixed spaces first at the least tried level."""

    @cached_property
    def due(self) -> bool:
        """Whether this trial searches the whole space."""
        return is_due(self.this.domain, self.this.config, self.this.state, self.this.number)

    @property
    def explores(self) -> bool:
        """Whether this trial also explores: one objective of discrete variables, not too many of them.

        With earlier studies the first `n_initial` trials do not: the model knows the points of those studies.
        """
        domain, state = self.this.domain, self.this.state
        if state.past is not None and self.this.number < self.this.config.n_initial:
            return False
        return self.due and not domain.d_x and domain.d_h <= WIDEST and state.outcomes.plain

    def settings(self, config: Config) -> Config:
        """Return the settings of the second model if the trial explores and the usual model is that of DEFAULT."""
        few = self.this.domain.d_h <= MOST_SHARED and self.this.number <= LAST_SHARED
        usual = config.kernel == "heat" and config.ard is True and not config.noisy
        return shared(config) if self.explores and few and usual else config

    def areas(self, areas: Areas, provenance: Provenance) -> tuple[Areas, Provenance]:
        """Return the least tried level, then the whole space; if no global trial is due, return `areas` unchanged."""
        domain, state, centre = self.this.domain, self.this.state, areas[0].centre
        if not self.due:
            return areas, provenance
        everywhere, level = Neighbourhood.everywhere(domain, centre), least_tried(domain, state, self.this.pending)
        first = () if level is None else (everywhere.fixing(Fixed(dict([level])).implied(domain, self.this.spare)),)
        return (*first, everywhere), Provenance(state.current, "global", centre)

    def weigh(self, score: Score) -> Score:
        """Return the acquisition function, with wider predictions if the trial explores."""
        return replace(score, rule=partial(widened, rule=score.rule)) if self.explores else score


def shared(config: Config) -> Config:
    """Return the settings of the second model: the paper's kernel of choices with one rate."""
    return replace(config, kernel="categorical", ard="continuous", priors="bounds", rate_level=3.0)


def widened(mean: Array, variance: Array, rule: Rule) -> tuple[Array, Array, Array]:
    """Return a rule at WIDER times the variance, and its derivatives by the mean and by the variance."""
    value, by_mean, by_variance = rule(mean, WIDER * variance)
    return value, by_mean, WIDER * by_variance


def is_due(domain: Domain, config: Config, state: State, number: int) -> bool:
    """Return whether trial `number` searches the whole space.

    One trial in `global_every` does. Without continuous variables, twice as many do once L^h < L_0^h: a smaller
    box refines x, but a smaller radius finds nothing that a search of the whole space would miss.
    """
    every, radius = config.global_every, state.lengths.radius
    if domain.d_x == 0 and radius is not None and radius < (initial(domain, config).radius or 0):
        every = (every + 1) // 2
    return every > 0 and number % every == 0


def least_tried(domain: Domain, state: State, pending: Points) -> tuple[int, int] | None:
    """Return the categorical variable and its observed level with the smallest share of trials; None without x.

    The value of a level depends on x: a good level that was tried a few times with unsuitable x looks bad and is then
    avoided. Failed trials count as tries. Ties go to the level whose best value is better, so that the result depends on the
    order of levels only if these values are equal too. A variable counts the trials in which it is active.
    """
    points, y = state.seen(domain, state.current)
    if domain.d_x == 0 or not len(points):
        return None
    tried = stack([points, pending, *state.failures]).h
    shares = []
    for j, n in enumerate(map(int, domain.levels)):
        if n > 1 and domain.positions[j] is None:
            active, best = tried[:, j] < n, np.full(n + 1, np.inf)
            share = n * (np.bincount(tried[active, j], minlength=n) / max(1, int(active.sum())))
            np.minimum.at(best, points.h[:, j], y)
            shares += [(share[level], best[level], j, int(level)) for level in np.unique(points.h[:, j]) if level < n]
    return min(shares)[2:] if shares else None
