"""TR_x (Sec. 3.2): a box around x*, its sides L^x weighted by the lengthscales, cut at the unit cube."""

from __future__ import annotations

import numpy as np

from casmopolitan.core.points import Array, Axis


def weights(lengthscales: Array) -> Array:
    """Return ℓ_k over their geometric mean. The product is one, so the box keeps its volume L^d."""
    logs = np.log(lengthscales)
    relative: Array = np.exp(logs - logs.mean()) if len(logs) else lengthscales
    return relative


def bounds(centre: Array, length: float, lengthscales: Array) -> tuple[Array, Array]:
    """Return the lower and the upper corner of the box.   centre, lengthscales: (d_x,)"""
    half = 0.5 * length * weights(lengthscales)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


def snapped(axis: Axis, x: Array, low: float, high: float) -> Array:
    """Return coordinates moved to the nearest grid value in [low, high], which must contain one.

    Without a grid, they are only cut off at the ends.
    """
    x = np.clip(x, low, high)
    if not axis.gridded:
        return x
    index = axis.index(x)
    index -= axis.at(index) > high
    index += axis.at(index) < low
    return axis.at(index)
