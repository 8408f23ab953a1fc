"""Thompson sampling as a search: the best of many random points under one draw of the posterior."""

from __future__ import annotations

import numpy as np

from casmopolitan.core.acquisition.thompson import thompson
from casmopolitan.core.gp.posterior import Posterior
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search.eligibility import Candidate, Eligibility

CANDIDATES = 1000
"""Random points of the region that one draw of the posterior compares."""


def thompson_search(
    posterior: Posterior,
    around: Neighbourhood,
    eligibility: Eligibility,
    rng: np.random.Generator,
    rng_of_draw: np.random.Generator,
) -> Candidate | None:
    """Return the best of the random points under one draw; None if none of them is eligible."""
    candidates = around.sample(CANDIDATES, rng)
    candidates = candidates[eligibility.fresh(candidates)]
    if not len(candidates):
        return None
    draw = thompson(posterior, candidates, rng_of_draw)
    return Candidate(candidates[int(np.argmax(draw))], float(draw.max()))
