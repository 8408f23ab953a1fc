from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from casmopolitan.config import Config
from casmopolitan.core.acquisition.acquisition import Score, rule_for
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.gp.priors import freed_parameters
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.partial import Fixed
from casmopolitan.core.points import Axis, Points
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.region.trust_region import TrustRegion
from casmopolitan.core.search.eligibility import Eligibility
from casmopolitan.core.search.exhaustive import COVARIANCES, exhaustive_search, is_small

DOMAIN = Domain(np.array([3, 4, 2, 5]), (None, np.array([0.0, 0.2, 0.5, 1.0]), None, None), ())


def scene(family="heat", feasible=None, n=12):
    domain, rng = replace(DOMAIN, feasible=feasible), np.random.default_rng(3)
    kernel = kernel_for(domain, family, ard=True, trade_off=0.5)
    points, y = domain.draw(n, rng), rng.standard_normal(n)
    posterior = condition(domain, kernel, freed_parameters(kernel, domain.d_h, 0).start, points, y)
    score = Score(posterior, rule_for(Config(acquisition="log-ei"), float(y.min()), 0.0))
    around = Neighbourhood.around(domain, points[int(np.argmin(y))], TrustRegion(3, None), np.ones(0))
    return score, around, Eligibility(domain, frozenset(points.identities())), points


def search(score, around, eligibility, seed=0):
    return exhaustive_search(score, around, eligibility, np.random.default_rng(seed))


@pytest.mark.parametrize("family", ["heat", "categorical"])
def test_it_returns_the_best_eligible_point_of_the_area(family):
    score, around, eligibility, _ = scene(family)
    every = around.domain.every_point()
    allowed = every[around.contains(every) & eligibility.admits(every)]
    assert 0 < len(allowed) < len(every)
    found = search(score, around, eligibility)
    assert found.value == pytest.approx(score(allowed).max(), rel=1e-6)
    assert found.value == pytest.approx(score(found.point)[0], rel=1e-6)
    assert around.contains(found.point)[0]
    assert eligibility.admits(found.point)[0]


def test_forbidden_points_are_passed_over_best_first():
    score, around, eligibility, _ = scene()
    best, asked = search(score, around, eligibility).point, []

    def feasible(points):
        asked.append(len(points))
        return (points.h != best.h).any(axis=1)

    ruled, around, eligibility, _ = scene(feasible=feasible)
    found = search(ruled, around, eligibility)
    assert found.point != best
    assert found.value < score(best)[0]
    assert set(asked) == {1}
    assert len(asked) < 10


def test_fixed_variables_keep_their_values():
    score, around, eligibility, _ = scene()
    found = search(score, Neighbourhood.everywhere(DOMAIN, around.centre).fixing(Fixed({3: 2})), eligibility)
    assert found.point.h[0, 3] == 2


def test_of_points_that_are_level_each_may_be_chosen():
    domain = Domain(np.array([2, 8]), (None, None), ())
    kernel = kernel_for(domain, "heat", ard=True, trade_off=0.5)
    points = Points(np.array([[0, 0], [1, 0], [0, 1]]), np.empty((3, 0)))
    posterior = condition(domain, kernel, freed_parameters(kernel, 2, 0).start, points, np.array([-1.0, 1.0, 2.0]))
    score = Score(posterior, rule_for(Config(acquisition="log-ei"), -1.0, 0.0))
    everywhere, eligibility = Neighbourhood.everywhere(domain, points[:1]), Eligibility(domain, frozenset(points.identities()))
    chosen = {int(search(score, everywhere, eligibility, seed).point.h[0, 1]) for seed in range(60)}
    assert chosen == {2, 3, 4, 5, 6, 7}  # the values that were never tried


def test_it_finds_nothing_if_every_point_is_taken():
    score, around, _, _ = scene()
    taken = Eligibility(DOMAIN, frozenset(DOMAIN.every_point().identities()))
    assert search(score, around, taken) is None


def test_only_small_spaces_without_numbers_are_searched_exhaustively():
    assert is_small(DOMAIN, 100)
    assert is_small(DOMAIN, COVARIANCES // 120)
    assert not is_small(DOMAIN, COVARIANCES // 120 + 1)
    assert not is_small(replace(DOMAIN, axes=(Axis(0.0, 1.0, 0.5),)), 1)
    assert not is_small(Domain(np.full(60, 2), (None,) * 60, ()), 1)
