"""A space as a cube: one coordinate in [0, 1] per variable, discrete ones first, for methods that search a box of numbers.

A discrete variable with n levels cuts its interval into n equal parts, one per level.
"""

from __future__ import annotations

import numpy as np

from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Array, Points


def points_in(domain: Domain, cube: Array) -> Points:
    """Return the points at these places of the cube.   cube: (n, d_h + d_x)"""
    levels = domain.levels
    h = np.minimum((cube[:, : domain.d_h] * levels).astype(np.int64), levels - 1)
    return domain.snapped(Points(h, cube[:, domain.d_h :]))
