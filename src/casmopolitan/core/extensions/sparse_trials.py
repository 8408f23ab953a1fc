"""Beyond the paper: with many discrete variables, some trials assume that only a few of them matter.

The usual prior expects most rates to be alike. Until the variables that matter are known, the acquisition function then changes
variables that have no effect, keeps those that may have one, and learns little. A prior under which nearly all rates are tiny
finds single variables early, but is wrong for functions of all variables. So both priors are used. The success rates of the
trials decide how often, and so do trials that change many variables without any effect on the value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from casmopolitan.config import Config
from casmopolitan.core.ask import Areas, Extension
from casmopolitan.core.domain import Domain
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.state import Observation, Provenance, State

FEWEST, MOST, FIRST = 60, 400, 24
"""The smallest and the largest number of discrete variables, and the number of the first sparse trial. With fewer variables
sparse trials are not needed: sparse functions of 40 are solved without them, and LABS-50 got worse by 0.24 ± 0.09 after 100
evaluations. With more variables the fit would be slow. Before FIRST, the data cannot tell which variables matter."""

MARGIN = 0.1
"""By how much sparse trials must improve on the best target. Without it they would change variables that have almost no effect:
a nearly certain prediction equal to the best has a larger EI than a risky one."""

SMOOTHING = 8
"""Success rates are (successes + 1) / (trials + SMOOTHING), so that the first few trials do not decide."""

LAST, TIES, CHANGES = 8, 3, 8
"""Few variables matter if TIES of the region's LAST trials equal its best value although they change CHANGES variables or more.
Where all variables matter, that does not happen even if values are whole numbers: with 70 switches, ties had 1 to 4 changes."""


@dataclass(frozen=True, eq=False)
class SparseTrials(Extension):
    """If a sparse trial is due: search the whole space under a prior that expects few variables to matter."""

    @cached_property
    def due(self) -> bool:
        """Whether this trial assumes that few variables matter."""
        return is_due(self.this.domain, self.this.config, self.this.state, self.this.number)

    def settings(self, config: Config) -> Config:
        """Return the settings with the sparse prior of the rates."""
        return replace(config, rate_prior="sparse") if self.due else config

    def areas(self, areas: Areas, provenance: Provenance) -> tuple[Areas, Provenance]:
        """Return the whole space."""
        if not self.due:
            return areas, provenance
        centre = areas[0].centre
        return (Neighbourhood.everywhere(self.this.domain, centre),), Provenance(provenance.region, "global", centre)

    def to_beat(self, best: float) -> float:
        """Return the best target minus the margin."""
        return best - MARGIN if self.due else best


def is_due(domain: Domain, config: Config, state: State, number: int) -> bool:
    """Return whether trial `number` assumes that few variables matter.

    Every `sparse_every`-th trial from FIRST on does. All but one of `sparse_every` trials do while trials of the region tie
    (before FIRST too), or while trials over the whole space succeed more often than those of the region.
    """
    if domain.d_x or not FEWEST <= domain.d_h <= MOST:
        return False
    turn, tie = number % config.sparse_every, trials_tie(state)
    if number < FIRST and not tie:
        return False
    usual = 1 if tie else config.sparse_every // 2  # global trials have even numbers, so that trial 1 of 4 stays in the region
    return turn == 0 or (turn != usual and (tie or global_trials_lead(state)))


def trials_tie(state: State) -> bool:
    """Return whether many of the region's last trials equal its best value, although they change many variables."""
    ties: list[bool] = []
    best: Observation | None = None
    for o in state.observations:
        if o.region != state.current:
            continue
        if o.source == "acquisition" and best is not None:
            ties.append(o.value == best.value and int((o.point.h != best.point.h).sum()) >= CHANGES)
        if best is None or o.value < best.value:
            best = o
    return sum(ties[-LAST:]) >= TIES


def global_trials_lead(state: State) -> bool:
    """Return whether trials over the whole space improved on the best value of the region more often than those within it."""
    successes, trials = {"global": 0, "acquisition": 0}, {"global": 0, "acquisition": 0}
    best = math.inf
    for o in state.observations:
        if o.region != state.current:
            continue
        if o.source in trials:
            trials[o.source] += 1
            successes[o.source] += o.value < best
        best = min(best, o.value)
    rate = {source: (successes[source] + 1) / (trials[source] + SMOOTHING) for source in trials}
    return rate["global"] > rate["acquisition"]
