from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from casmopolitan.config import Config
from casmopolitan.core.acquisition.acquisition import Score, rule_for
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.joint import Joint
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.gp.priors import freed_parameters
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.partial import Fixed
from casmopolitan.core.points import Axis, Points
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.region.trust_region import TrustRegion
from casmopolitan.core.search import slides, steepest
from casmopolitan.core.search.eligibility import Crowd, Eligibility
from casmopolitan.core.search.grid import Climb
from casmopolitan.core.search.neighbours import Neighbours
from casmopolitan.core.search.steepest import allowed_moves, starting_points, steepest_search
from oracles import neighbours

POSITIONS = np.array([0.0, 0.2, 0.5, 1.0])
DOMAINS = {
    "categorical": Domain(np.array([3, 4, 2, 3, 3]), (None,) * 5, ()),
    "ordinal": Domain(np.array([4, 4, 3]), (POSITIONS, POSITIONS, None), ()),
    "mixed": Domain(np.array([3, 4, 2]), (None,) * 3, (Axis(0.0, 1.0), Axis(1.0, 30.0, 1.0))),
    "ordinal and x": Domain(np.array([4, 3]), (POSITIONS, None), (Axis(0.0, 1.0),)),
    "continuous": Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 1.0),) * 2),
}


def scene(name, family="heat", feasible=None, trade_off=0.5):
    domain = replace(DOMAINS[name], feasible=feasible)
    rng = np.random.default_rng(1)
    kernel = kernel_for(domain, family, ard=True, trade_off=trade_off)
    points, y = domain.draw(25, rng), rng.standard_normal(25)
    posterior = condition(domain, kernel, freed_parameters(kernel, domain.d_h, domain.d_x).start, points, y)
    score = Score(posterior, rule_for(Config(acquisition="log-ei"), float(y.min()), 0.0))
    centre = points[int(np.argmin(y))]
    lengths = TrustRegion(min(3, domain.d_h) or None, 0.8 if domain.d_x else None)
    around = Neighbourhood.around(domain, centre, lengths, np.ones(domain.d_x))
    return domain, score, around, Eligibility(domain, frozenset(points.identities())), points


def search(score, around, eligibility, points, seed=0):
    return steepest_search(score, around, eligibility, points, 60, 4, np.random.default_rng(seed))


@pytest.mark.parametrize("family", ["heat", "categorical"])
@pytest.mark.parametrize("name", DOMAINS)
def test_it_stays_inside_takes_nothing_twice_and_beats_its_random_candidates(name, family):
    domain, score, around, eligibility, points = scene(name, family)
    found = search(score, around, eligibility, points)
    assert around.contains(found.point)[0]
    assert eligibility.admits(found.point)[0]
    assert domain.snapped(found.point) == found.point
    assert found.value == pytest.approx(score(found.point)[0], abs=1e-7)
    drawn = around.sample(60, np.random.default_rng(0))
    assert found.value >= score(drawn[eligibility.fresh(drawn)]).max() - 1e-9


@pytest.mark.parametrize("name", ["categorical", "ordinal"])
def test_no_admitted_neighbour_inside_the_region_is_better(name):
    domain, score, around, eligibility, points = scene(name)
    found = search(score, around, eligibility, points)
    near = neighbours(found.point.h[0], domain.levels)
    near = Points(near, np.empty((len(near), 0)))
    near = near[around.contains(near) & eligibility.admits(near)]
    assert score(near).max() <= found.value + 1e-9


@pytest.mark.parametrize("level", range(4))
def test_a_held_variable_is_left_alone_and_the_others_climb_to_the_top(level):
    domain, score, around, eligibility, points = scene("categorical")
    held = Neighbourhood.everywhere(domain, around.centre).fixing(Fixed({1: level}))
    found = search(score, held, eligibility, points)
    assert found.point.h[0, 1] == level
    near = neighbours(found.point.h[0], domain.levels)
    near = Points(near[near[:, 1] == level], np.empty(((near[:, 1] == level).sum(), 0)))
    assert score(near[eligibility.admits(near)]).max() <= found.value + 1e-9


def test_a_climb_may_reach_the_rim_of_the_region_and_not_pass_it():
    _, score, around, _, _ = scene("categorical")
    centre = around.centre.h[0]
    for away in (2, 3):
        h = centre.copy()
        h[:away] = (h[:away] + 1) % around.domain.levels[:away]
        points = Points(h[None], np.empty((1, 0)))
        moves = Neighbours.of(score, np.random.default_rng(0))
        for move, may in enumerate(allowed_moves(points, moves, around)[0]):
            after = h.copy()
            after[moves.moves.which[move]] = moves.moves.level[move]
            assert may == (not np.array_equal(after, h) and np.count_nonzero(after != centre) <= 3)


def test_a_constraint_is_respected():
    _, score, around, eligibility, points = scene("categorical", feasible=lambda p: p.h[:, 0] == 0)
    assert search(score, around, eligibility, points).point.h[0, 0] == 0


def test_nothing_admitted_nothing_found():
    _, score, around, eligibility, points = scene("mixed", feasible=lambda p: np.zeros(len(p), dtype=bool))
    assert search(score, around, eligibility, points) is None


@pytest.mark.parametrize("name", DOMAINS)
def test_equal_seeds_give_equal_points(name):
    _, score, around, eligibility, points = scene(name)
    assert search(score, around, eligibility, points).point == search(score, around, eligibility, points).point


def test_in_high_dimension_fewer_climb_and_an_admitted_point_is_still_found(monkeypatch):
    _, score, around, eligibility, points = scene("categorical")
    climbing = []
    climbed = steepest.climbed
    monkeypatch.setattr(steepest, "SCORED", 1)
    monkeypatch.setattr(steepest, "climbed", lambda climb, *a: climbing.append(len(climb.points)) or climbed(climb, *a))
    found = steepest.steepest_search(score, around, eligibility, points[:6], 200, 8, np.random.default_rng(0))
    assert climbing == [2]
    assert eligibility.admits(found.point)[0]


@pytest.mark.parametrize("share", [0.5, 0.02, 0.0])
def test_a_costly_constraint_is_asked_about_few_points_and_kept(share):
    asked = []
    domain, score, around, eligibility, points = scene("mixed")
    edge = around.low[0] + share * (around.high[0] - around.low[0])

    def allows(points):
        asked.append(len(points))
        return points.x[:, 0] < edge

    domain = replace(domain, feasible=allows, costly=True)
    around, eligibility = replace(around, domain=domain), replace(eligibility, domain=domain)
    drawn, values = starting_points(score, around, eligibility, 1000, 4, np.random.default_rng(0))
    assert len(drawn) == (4 if share else 0)
    assert (drawn.x[:, 0] < edge).all()
    np.testing.assert_allclose(values, score(drawn), rtol=1e-9)
    if share:
        assert sum(asked) < 64 + 4 * 4 / share
        found = search(score, around, eligibility, points)
        assert found.point.x[0, 0] < edge


def test_of_points_that_a_costly_constraint_allows_it_starts_from_the_best():
    domain, score, around, eligibility, _ = scene("mixed", feasible=lambda points: np.ones(len(points), dtype=bool))
    eager = starting_points(score, around, eligibility, 300, 4, np.random.default_rng(0))[1]
    costly = replace(domain, costly=True)
    around, eligibility = replace(around, domain=costly), replace(eligibility, domain=costly)
    points, values = starting_points(score, around, eligibility, 300, 4, np.random.default_rng(0))
    np.testing.assert_allclose(values, np.sort(eager)[::-1][:4])
    assert len(set(points.identities())) == 4


@pytest.mark.parametrize("slid", [slides.slid_together, partial(slides.slid_singly, limited=True)])
def test_a_climber_that_ends_too_near_a_known_point_goes_back_towards_its_start(slid, monkeypatch):
    _, score, around, eligibility, points = scene("continuous")
    top = search(score, around, eligibility, points)
    crowds = {top.point.h[0].tobytes(): Crowd(top.point.x, np.full((1, 2), 0.02))}
    apart, free = replace(eligibility, crowds=crowds), Eligibility(eligibility.domain, frozenset())
    start = Points(
        top.point.h.repeat(6, 0), np.clip(top.point.x + np.linspace(-0.15, 0.15, 6)[:, None], around.low, around.high)
    )
    climb = Climb(start, score(start))
    assert (slid(climb, score, around, free).values > climb.values).all()
    back = slid(climb, score, around, apart)
    assert apart.fresh(back.points).all()
    assert (back.values > climb.values).all()
    monkeypatch.setattr(slides, "HALVINGS", 0)
    assert (slid(climb, score, around, apart).values == climb.values).any()


def rounds(monkeypatch, several):
    """The number of climbers in each round, and their best values, under one model or two that are equal."""
    _, score, around, eligibility, points = scene("mixed")
    if several:
        score = Score(Joint((score.posterior, score.posterior)), partial(mean_of_both, rule=score.rule))
    seen, real = [], slides.slid_together
    monkeypatch.setattr(
        steepest, "slid_together", lambda climb, *given: seen.append((len(climb.points), real(climb, *given))) or seen[-1][1]
    )
    found = search(score, around, eligibility, points)
    return [count for count, _ in seen], [climb.values.max() for _, climb in seen], found


def mean_of_both(mean, variance, rule):
    value, by_mean, by_variance = rule(mean, variance)
    return value.mean(axis=0), by_mean / 2, by_variance / 2


def test_with_several_models_few_climbers_go_on_and_the_search_ends_with_the_gains_of_the_best(monkeypatch):
    counts, bests, found = rounds(monkeypatch, several=True)
    assert counts[0] > steepest.LEADING
    assert set(counts[1:]) == {steepest.LEADING}
    assert all(gain > 1e-6 for gain in np.diff(bests)[:-1])
    alone, _, same = rounds(monkeypatch, several=False)
    assert set(alone) == {counts[0]}
    assert found.value == pytest.approx(same.value, abs=1e-3)


def test_with_thousands_of_variables_fewer_candidates_are_drawn(monkeypatch):
    _, score, around, eligibility, points = scene("categorical")
    asked, real = [], steepest.starting_points
    monkeypatch.setattr(steepest, "starting_points", lambda *given: asked.append(given[3]) or real(*given))
    search(score, around, eligibility, points)
    monkeypatch.setattr(steepest, "DRAWN", 7 * around.domain.d_h)
    search(score, around, eligibility, points)
    assert asked == [60, 7]


def test_it_starts_from_every_observed_point():
    _, score, around, eligibility, points = scene("categorical")
    one = points[around.contains(points)][:1]
    found = steepest_search(score, around, eligibility, one, 60, 0, np.random.default_rng(0))
    assert found is not None
    assert found.value >= score(neighbours_inside(one, around, eligibility)).max() - 1e-9


def neighbours_inside(point, around, eligibility):
    every = DOMAINS["categorical"].every_point()
    near = every[(every.h != point.h).sum(axis=1) == 1]
    return near[around.contains(near) & eligibility.admits(near)]
