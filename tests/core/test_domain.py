import math

import numpy as np
import pytest
from hypothesis import given

import casmopolitan.core.domain as module
from casmopolitan.core.domain import MAX_TRIES, Domain
from casmopolitan.core.points import Axis, Points
from casmopolitan.errors import InfeasibleError
from strategies import domains, finite_variables, seeds


def discrete(*levels, feasible=None):
    return Domain(np.array(levels, dtype=np.int64), (None,) * len(levels), (), feasible)


@given(domains(), seeds())
def test_every_drawn_point_lies_in_the_domain_and_on_its_grids(domain, seed):
    points = domain.draw(20, np.random.default_rng(seed))
    assert np.all((points.h >= 0) & (points.h < domain.levels))
    assert np.all((points.x >= 0) & (points.x <= 1))
    assert domain.snapped(points) == points


@given(domains(), seeds())
def test_every_sampled_point_is_feasible(domain, seed):
    points = domain.sample(10, np.random.default_rng(seed))
    assert len(points) == 10
    assert domain.allows(points).all()


def test_snapping_leaves_the_given_points_alone():
    domain = Domain(np.array([], dtype=np.int64), (), (Axis(0.0, 1.0, step=0.5), Axis(0.0, 1.0)))
    points = Points(np.empty((1, 0), dtype=np.int64), np.array([[0.3, 0.3]]))
    np.testing.assert_array_equal(domain.snapped(points).x, [[0.5, 0.3]])
    np.testing.assert_array_equal(points.x, [[0.3, 0.3]])
    assert domain.grids == (0,)


def test_the_size_is_exact_or_infinite():
    assert discrete(*[5] * 100).size == 5**100
    assert Domain(np.array([2]), (None,), (Axis(0.0, 1.0, step=0.25),)).size == 10
    assert Domain(np.array([2]), (None,), (Axis(0.0, 1.0),)).size == math.inf
    assert discrete().size == 1


@given(domains(kinds=finite_variables(), max_variables=3))
def test_every_point_of_a_small_domain_is_listed_once(domain):
    if domain.size > 5000:
        return
    points = domain.every_point()
    assert len(points) == len(set(points.identities())) == domain.size
    assert domain.snapped(points) == points


def test_the_points_of_a_domain_are_listed_in_lexicographic_order():
    domain = Domain(np.array([2, 2]), (None, None), (Axis(0.0, 1.0, step=1.0),))
    rows = np.concatenate([domain.every_point().h, domain.every_point().x], axis=1).tolist()
    assert rows == sorted(rows)
    assert len(rows) == 8


def test_an_infinite_domain_cannot_be_listed():
    with pytest.raises(TypeError, match="cannot be listed"):
        Domain(np.array([2]), (None,), (Axis(0.0, 1.0),)).every_point()


def test_a_rare_feasible_point_of_a_large_domain_is_not_searched_for_ever():
    asked = []

    def feasible(points):
        asked.append(len(points))
        return np.zeros(len(points), dtype=bool)

    with pytest.raises(InfeasibleError, match=f"no feasible point in {MAX_TRIES} tries"):
        discrete(*[10] * 10, feasible=feasible).sample(1, np.random.default_rng(0))
    assert sum(asked) <= MAX_TRIES + 64


def test_a_constraint_is_asked_about_no_more_points_than_needed():
    asked = []

    def feasible(points):
        asked.append(len(points))
        return np.ones(len(points), dtype=bool)

    discrete(10, 10, feasible=feasible).sample(5, np.random.default_rng(0))
    assert sum(asked) == 5


def test_feasible_points_of_a_tight_small_domain_are_drawn_evenly():
    def feasible(points):
        return (points.h == 0).sum(axis=1) >= 11

    points = discrete(*[2] * 12, feasible=feasible).sample(1300, np.random.default_rng(0))
    _, counts = np.unique(points.h, axis=0, return_counts=True)
    assert len(counts) == 13
    assert counts.min() > 50


def test_a_sample_goes_on_as_long_as_it_finds_feasible_points(monkeypatch):
    """One point in 64 is feasible, and the space is too large to list: each find earns another MAX_TRIES."""
    monkeypatch.setattr(module, "MAX_TRIES", 1000)
    domain = Domain(np.full(12, 4), (None,) * 12, (), lambda points: (points.h[:, :3] == 0).all(axis=1))
    found = domain.sample(100, np.random.default_rng(0))
    assert len(found) == 100
    assert domain.allows(found).all()
