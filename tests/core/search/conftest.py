"""Acquisition functions that are known exactly, and the regions they are climbed in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Axis, Points
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.region.trust_region import TrustRegion
from casmopolitan.core.search.eligibility import Eligibility


@dataclass(frozen=True)
class Bowl:
    """-Σ_j w_j [h_j ≠ a_j] - Σ_k (x_k - b_k)²: one summit, at (a, b); remembers every point it was asked about."""

    a: np.ndarray
    w: np.ndarray
    b: np.ndarray
    met: list

    def __call__(self, points):
        self.met.append(points)
        return -((points.h != self.a) * self.w).sum(1) - ((points.x - self.b) ** 2).sum(1)

    def with_gradient(self, points):
        return self(points), -2 * (points.x - self.b)


@dataclass(frozen=True)
class Scene:
    domain: Domain
    score: Bowl
    around: Neighbourhood
    eligibility: Eligibility
    start: Points


def scene(d_h=5, d_x=2, radius=3, length=0.6, step=None, feasible=None, summit=0.55, runs=3):
    axes = (Axis(0.0, 1.0, step),) * d_x
    domain = Domain(np.full(d_h, 3), (None,) * d_h, axes, feasible)
    score = Bowl(np.full(d_h, 2), np.linspace(1, 2, d_h), np.full(d_x, summit), [])
    centre = domain.snapped(Points(np.zeros((1, d_h), dtype=np.int64), np.full((1, d_x), 0.5)))
    lengths = TrustRegion(radius if d_h else None, length if d_x else None)
    around = Neighbourhood.around(domain, centre, lengths, np.ones(d_x))
    eligibility = Eligibility(domain, frozenset(centre.identities()))
    return Scene(domain, score, around, eligibility, Points(centre.h.repeat(runs, 0), centre.x.repeat(runs, 0)))


@pytest.fixture
def scenes():
    return scene
