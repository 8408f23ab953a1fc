"""Eq. (2): TR_h(h*)_L = { h | Σ_i δ(h_i, h*_i) <= L }, where the text means Σ_i (1 - δ): up to L variables different."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Points
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.region.trust_region import TrustRegion

LEVELS = (2, 3, 2)
DOMAIN = Domain(np.array(LEVELS), (None,) * 3, ())
CENTRE = Points(np.array([[1, 2, 0]]), np.empty((1, 0)))


@pytest.mark.parametrize("radius", [0, 1, 2, 3])
def test_the_region_holds_the_points_with_at_most_l_differences(radius):
    every = np.array(list(itertools.product(*map(range, LEVELS))))
    inside = [sum(a != b for a, b in zip(h, CENTRE.h[0], strict=True)) <= radius for h in every]
    around = Neighbourhood.around(DOMAIN, CENTRE, TrustRegion(radius, None), np.ones(0))
    assert around.contains(Points(every, np.empty((len(every), 0)))).tolist() == inside


def test_radius_zero_is_the_centre_and_radius_d_h_the_whole_space():
    every = DOMAIN.every_point()
    sizes = [
        int(Neighbourhood.around(DOMAIN, CENTRE, TrustRegion(r, None), np.ones(0)).contains(every).sum()) for r in range(4)
    ]
    assert sizes == [1, 1 + 4, 1 + 4 + 5, 12]
