"""The Hamming region of a small discrete space, trial by trial, arranged around its centre.

The centre of the region is in the middle. Every other point lies on the ring of its Hamming distance, so that a region of
radius L^h is a disc.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from casmopolitan.core.points import Array, Codes
from casmopolitan.core.region.hamming import distance
from casmopolitan.errors import DataError
from casmopolitan.optimizer import Optimizer
from casmopolitan.space.variables import columns
from casmopolitan.trial import sign_of

LARGEST = 250
"""Points that can still be distinguished in a figure."""


@dataclass(frozen=True, eq=False)
class View:
    """The region and the values right after a trial was told: the content of one frame."""

    centre: Codes
    radius: float
    values: dict[int, float]
    """Values so far, by the row of the point; the sign is such that smaller is better."""
    newest: int
    best: int


def vertices(optimizer: Optimizer) -> Codes:
    """Return every point of a small, purely discrete space: (N, d_h)."""
    domain = optimizer.space.domain
    if domain.d_x or not domain.d_h or domain.size > LARGEST:
        raise DataError(f"this figure shows every point: it needs discrete variables only, and at most {LARGEST} points")
    return domain.every_point().h


def places(h: Codes, centre: Codes, codes: Codes) -> Array:
    """Return the position of each point: the ring is its Hamming distance, the angle shows which variables differ and how."""
    shift = (h - centre) % codes
    rings = distance(h, centre)
    xy = np.zeros((len(h), 2))
    for ring in range(1, int(rings.max()) + 1):
        on = np.flatnonzero(rings == ring)
        order = sorted(on, key=lambda i: (tuple(np.flatnonzero(shift[i])), tuple(shift[i])))
        for k, i in enumerate(order):
            angle = 2 * math.pi * (k + 0.5 * (ring % 2)) / len(order) + math.pi / 2
            xy[i] = ring * math.cos(angle), ring * math.sin(angle)
    return xy


def views(optimizer: Optimizer, h: Codes) -> list[View]:
    """Return one view per completed trial, from the explanations of the trials."""
    in_h, _ = columns(optimizer.space.variables)
    row = {tuple(code): i for i, code in enumerate(h.tolist())}
    sign = sign_of(optimizer.direction)
    found: list[View] = []
    values: dict[int, float] = {}
    for trial in optimizer.trials:
        if trial.value is None:
            continue
        code = optimizer.space.encode([trial.configuration]).h[0]
        newest = row[tuple(code.tolist())]
        values = {**values, newest: sign * trial.value}
        best = min(values, key=values.__getitem__)
        centre = trial.explanation.get("centre")
        middle = h[best] if centre is None else optimizer.space.encode([centre]).h[0]
        radius = trial.explanation.get("radius")
        found.append(View(middle, float(len(in_h) if radius is None else radius), values, newest, best))
    return found


def span_of(seen: Sequence[View]) -> tuple[float, float]:
    """Return the lowest and the highest value of a run."""
    values = seen[-1].values.values()
    return min(values), max(values)
