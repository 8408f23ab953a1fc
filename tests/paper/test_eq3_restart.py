"""Eq. (3): z_i = argmax μ_gl(z; D*) + √β_i σ_gl(z; D*), for a minimiser argmax -μ + √β σ; over random points (App. B.7)."""

from __future__ import annotations

import numpy as np
import pytest

from casmopolitan.config import Config
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.model import fit_model
from casmopolitan.core.points import Axis, stack
from casmopolitan.core.restart import Finished, local_optima, next_centre
from casmopolitan.core.search.eligibility import Eligibility

DOMAIN = Domain(np.array([3, 3]), (None, None), (Axis(0.0, 1.0),))
CONFIG = Config(fit_steps=10, fit_starts=1)


def regions():
    rng = np.random.default_rng(0)
    return [Finished(DOMAIN.draw(6, rng), rng.normal(size=6)) for _ in range(4)]


def test_d_star_holds_the_best_point_of_every_finished_region():
    points, y = local_optima(regions(), np.random.default_rng(0))
    assert points == stack([r.points[int(np.argmin(r.y))] for r in regions()])
    assert y.tolist() == [r.y.min() for r in regions()]


@pytest.mark.parametrize("seed", range(3))
def test_the_centre_is_the_candidate_of_highest_upper_confidence(seed):
    centre = next_centre(DOMAIN, CONFIG, regions(), Eligibility(DOMAIN, frozenset()), np.random.default_rng(seed))
    rng = np.random.default_rng(seed)
    candidates = DOMAIN.draw(300, rng)
    points, y = local_optima(regions(), rng)
    mean, variance = fit_model(DOMAIN, CONFIG, points, y, y, None, rng).posterior.moments(candidates)
    assert centre == candidates[int(np.argmax(-mean + 1.96 * np.sqrt(variance)))]
