"""Enlarging an image: nearest, bilinear and bicubic, each as one matrix per side of the image."""

from __future__ import annotations

from functools import cache

import numpy as np

from casmopolitan.problems.problem import Array

KINDS = ("bilinear", "nearest", "bicubic")


def tent(distance: Array) -> Array:
    """max(0, 1 − |t|): linear interpolation; at whole numbers, the pixel itself."""
    weight: Array = np.maximum(0.0, 1 - np.abs(distance))
    return weight


def keys(distance: Array) -> Array:
    """Keys' cubic with a = −1/2: it interpolates, and reproduces quadratics."""
    t = np.abs(distance)
    near = 1.5 * t**3 - 2.5 * t**2 + 1
    far = -0.5 * t**3 + 2.5 * t**2 - 4 * t + 2
    return np.where(t <= 1, near, np.where(t < 2, far, 0.0))


@cache
def matrix(kind: str, small: int, large: int) -> Array:
    """Return (large, small): the weights of the small pixels in each large one; every row sums to one.

    Pixel centres are at halves: large pixel i is at (i + ½) small / large − ½ among the small ones. Beyond the edge, the
    edge pixel is repeated.
    """
    centres = (np.arange(large) + 0.5) * small / large - 0.5
    if kind == "nearest":
        centres = np.floor(centres + 0.5)
    reach, weigh = (2, keys) if kind == "bicubic" else (1, tent)
    weights = np.zeros((large, small))
    first = np.floor(centres).astype(int)
    for offset in range(1 - reach, reach + 1):
        neighbour = first + offset
        weights[np.arange(large), np.clip(neighbour, 0, small - 1)] += weigh(centres - neighbour)
    weights.setflags(write=False)
    return weights


def enlarge(image: Array, height: int, width: int, kind: str) -> Array:
    """Return the image (h, w, channels) at the size (height, width, channels)."""
    rows, columns = matrix(kind, image.shape[0], height), matrix(kind, image.shape[1], width)
    larger: Array = np.einsum("yi,ijc,xj->yxc", rows, image, columns)
    return larger
