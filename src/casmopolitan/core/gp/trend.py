"""The mean of the process where it is not zero: a bowl around the middle of the continuous ranges.

    m(z) = β φ(x),    φ(x) = ( Σ_k (x_k - ½)²  -  d_x / 12 ) / √( d_x / 180 ),    β >= 0,   β ~ N(0, 1) before any data.

φ has mean 0 and variance 1 under the uniform distribution. A stationary kernel cannot say that extremes are worse than middling
values, and with many continuous variables nearly all of the space is extreme: where it knows nothing, it would send the search
into corners. How steep the bowl is, if at all, is one number, which the initial sample tells well.
"""

from __future__ import annotations

import math

from casmopolitan.core.points import Array


def bowl(x: Array) -> Array:
    """φ at every row of x (n, d_x >= 1): zero on average over the cube, with unit variance."""
    d_x = x.shape[1]
    height: Array = (((x - 0.5) ** 2).sum(axis=1) - d_x / 12) / math.sqrt(d_x / 180)
    return height


def bowl_gradient(x: Array) -> Array:
    """∂φ/∂x: (n, d_x)."""
    gradient: Array = 2.0 * (x - 0.5) / math.sqrt(x.shape[1] / 180)
    return gradient


def steepness(by_y: float, by_bowl: float) -> float:
    """β of largest posterior density given φᵀK̃⁻¹y and φᵀK̃⁻¹φ; never a dome, which would praise the corners."""
    return max(0.0, by_y / (by_bowl + 1.0))
