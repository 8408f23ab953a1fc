"""Pictures of a run: each function takes a Result or an Optimizer (where it can, a list of trials) and returns a Figure.

They need matplotlib, the extra `plots`; it is loaded when the first picture is drawn. `python -m casmopolitan.plots FOLDER`
draws the pictures of the documentation again.
"""

from __future__ import annotations

from casmopolitan.plots.acquisition import acquisition
from casmopolitan.plots.animation import animation
from casmopolitan.plots.convergence import convergence
from casmopolitan.plots.lengths import trust_region
from casmopolitan.plots.relevance import relevance, relevances
from casmopolitan.plots.rings import region

__all__ = ["acquisition", "animation", "convergence", "region", "relevance", "relevances", "trust_region"]
