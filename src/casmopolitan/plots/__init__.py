"""Figures of a run: each function takes a Result or an Optimizer and returns a matplotlib Figure.

`convergence` and `trust_region` also accept a plain list of trials. The extra `plots` installs matplotlib, which is loaded
when the first figure is drawn.
"""

from __future__ import annotations

from casmopolitan.plots.acquisition import acquisition
from casmopolitan.plots.animation import animation
from casmopolitan.plots.contour import contour
from casmopolitan.plots.convergence import convergence
from casmopolitan.plots.lengths import trust_region
from casmopolitan.plots.outcomes import feasibility, front, hypervolume
from casmopolitan.plots.parallel import parallel_coordinates
from casmopolitan.plots.relevance import relevance, relevances
from casmopolitan.plots.rings import region
from casmopolitan.plots.slices import slices

__all__ = [
    "acquisition",
    "animation",
    "contour",
    "convergence",
    "feasibility",
    "front",
    "hypervolume",
    "parallel_coordinates",
    "region",
    "relevance",
    "relevances",
    "slices",
    "trust_region",
]
