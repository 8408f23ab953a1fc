"""The declared types are those that arrays have: what the core computes with needs no conversion."""

from typing import get_args

import numpy as np
import pytest

from casmopolitan.core.arrays import Array, Codes, Mask
from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.points import Axis


def scalar(alias):
    """The scalar type of an array alias."""
    return get_args(get_args(alias)[1])[0]


@pytest.mark.parametrize("levels", [[3, 2], [3], []])
def test_points_masks_and_coded_rows_have_the_declared_types(levels):
    domain = Domain(np.array(levels, dtype=np.int64), (None,) * len(levels), (Axis(0.0, 1.0), Axis(1.0, 9.0, 1.0)))
    points = domain.draw(5, np.random.default_rng(0))
    rows = coded(domain, points).rows
    assert points.h.dtype == scalar(Codes)
    assert {array.dtype for array in (points.x, rows.F, rows.e, rows.p, rows.x)} == {np.dtype(scalar(Array))}
    assert domain.allows(points).dtype == scalar(Mask)
