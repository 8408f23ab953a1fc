"""Figures of a run: each function takes a Result or an Optimizer and returns a matplotlib Figure.

`convergence` and `trust_region` also accept a plain list of trials. The extra `plots` installs matplotlib, which is loaded
when the first figure is drawn.
"""

from __future__ import annotations

from casmopolitan.plots.acquisition import acquisition
from casmopolitan.plots.animation import animation
from casmopolitan.plots.convergence import convergence
from casmopolitan.plots.lengths import trust_region
from casmopolitan.plots.outcomes import feasibility, front, hypervolume
from casmopolitan.plots.relevance import relevance, relevances
from casmopolitan.plots.rings import region

__all__ = [
    "acquisition",
    "animation",
    "convergence",
    "feasibility",
    "front",
    "hypervolume",
    "region",
    "relevance",
    "relevances",
    "trust_region",
]
