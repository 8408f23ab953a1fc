from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Axis, Points, no_points, stack
from casmopolitan.core.search.balanced_point import Cells, Usage, balanced_point, replaced
from casmopolitan.core.search.eligibility import Eligibility
from casmopolitan.core.search.random_point import random_point_of_space
from casmopolitan.errors import ExhaustedError, InfeasibleError
from runs import relabelled
from strategies import domains, seeds

MIXED = Domain(
    np.array([3, 2, 7, 30]),
    (None, None, np.linspace(0, 1, 7), np.linspace(0, 1, 30)),
    (Axis(0.0, 1.0), Axis(1.0, 4.0, 1.0), Axis(1.0, 50.0, 1.0, log=True), Axis(1e-5, 1.0, log=True)),
)


def design(domain, n, seed, n_initial=None, used=None):
    """n points of a design, one by one."""
    points = no_points(domain.d_h, domain.d_x) if used is None else used
    for number in range(n):
        eligibility = Eligibility(domain, frozenset(points.identities()), known=tuple(points[i] for i in range(len(points))))
        point = balanced_point(eligibility, points, n_initial or n, np.random.default_rng([seed, number]))
        points = stack([points, point])
    return points


def spread(codes, n):
    """The largest minus the smallest number of uses of n values."""
    counts = np.bincount(codes, minlength=n)
    return int(counts.max() - counts.min())


@given(domains(clauses=0), st.integers(1, 12), seeds())
@settings(max_examples=60)
def test_every_choice_comes_as_early_as_it_can_and_in_the_end_as_often_as_the_others_up_to_one(domain, n, seed):
    points = design(domain, min(n, domain.size), seed, n)
    assert domain.snapped(points) == points
    assert len(set(points.identities())) == len(points)
    if domain.size < 100:  # points that are taken keep a small space from balance
        return
    discrete = [(points.h[:, j], int(count)) for j, count in enumerate(domain.levels)]
    discrete += [(domain.axes[k].index(points.x[:, k]), domain.axes[k].count) for k in domain.grids]
    for codes, count in discrete:
        assert spread(codes, count) <= 1
        for first in range(1, n + 1):
            assert len(set(codes[:first])) == min(first, count)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n", [3, 8, 10])
def test_every_nth_of_a_range_and_of_the_levels_in_order_is_used_once(n, seed):
    points = design(MIXED, n, seed)
    for k in (0, 3):
        assert sorted((points.x[:, k] * n).astype(int)) == list(range(n))
    assert sorted(points.h[:, 3] * n // 30) == list(range(n))


@given(domains(clauses=0), st.integers(0, 20), seeds())
@settings(max_examples=60)
def test_after_any_points_unused_values_come_next_and_others_only_up_to_their_share(domain, n, seed):
    used = domain.draw(n, np.random.default_rng(seed))
    usage = Usage(Cells(domain, 10), used)
    codes = usage.cells.of(usage.cells.draw(usage.due(5, np.random.default_rng(seed)), np.random.default_rng(seed)))
    for j, (first, size) in enumerate(zip(usage.cells.first, usage.cells.sizes, strict=True)):
        counts = usage.counts[first : first + size]
        assert counts.sum() == n
        chosen = counts[codes[:, j]]
        assert ((chosen == counts.min()) | (chosen < math.ceil(10 / size))).all()
        assert counts.min() > 0 or (chosen == 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_switches_are_not_mirrored_in_pairs_of_points(seed):
    """Pairs of mirror images would say half as much about the effect of each switch."""
    h = 2 * design(Domain(np.full(30, 2), (None,) * 30, ()), 10, seed).h - 1
    assert (h.sum(0) == 0).all()
    assert np.linalg.matrix_rank(h) > 7


def test_what_is_due_does_not_depend_on_the_names_of_choices():
    domain, rng = Domain(np.array([3, 5]), (None, None), ()), np.random.default_rng(0)
    used, permutations = domain.draw(7, rng), [rng.permutation(3), rng.permutation(5)]
    drawn = Usage(Cells(domain, 10), used).due(500, rng)
    renamed = Usage(Cells(domain, 10), relabelled(used, permutations)).due(500, rng)
    for j in range(2):
        assert set(permutations[j][drawn[:, j]]) == set(renamed[:, j])


def test_choices_of_different_variables_are_drawn_independently():
    domain = Domain(np.array([2, 2]), (None, None), ())
    seen = [design(domain, 2, seed).h for seed in range(200)]
    agree = sum(h[0, 0] == h[0, 1] for h in seen)
    assert 70 < agree < 130


@given(domains(), seeds())
@settings(max_examples=60)
def test_a_constraint_holds_and_no_point_comes_twice_until_the_space_is_exhausted(domain, seed):
    points = no_points(domain.d_h, domain.d_x)
    for _ in range(6):
        try:
            points = design(domain, 1, seed, 6, points)
        except (ExhaustedError, InfeasibleError):
            assert domain.size < 20 or domain.feasible is not None
            break
    assert domain.allows(points).all()
    assert len(set(points.identities())) == len(points)


def test_a_small_space_is_used_up_to_its_last_point():
    domain = Domain(np.array([3, 2]), (None, None), (Axis(1.0, 2.0, 1.0),))
    points = design(domain, 12, 0)
    assert len(set(points.identities())) == 12
    with pytest.raises(ExhaustedError):
        design(domain, 1, 0, used=points)


@pytest.mark.parametrize("seed", range(5))
def test_a_choice_that_is_never_allowed_leaves_the_others_balanced(seed):
    domain = Domain(np.array([4, 3, 9]), (None,) * 3, (Axis(0.0, 1.0),), lambda points: points.h[:, 0] != 2)
    points = design(domain, 9, seed)
    assert sorted(np.bincount(points.h[:, 0], minlength=4)) == [0, 3, 3, 3]
    assert np.bincount(points.h[:, 1]).tolist() == [3, 3, 3]


@pytest.mark.parametrize("seed", range(5))
def test_a_variable_that_matters_for_one_choice_only_is_balanced_there(seed):
    """The second variable must be 0 unless the first is 0."""
    active = Domain(np.array([2, 4, 2]), (None,) * 3, (Axis(0.0, 1.0),))
    domain = replace(active, feasible=lambda points: (points.h[:, 0] == 0) | (points.h[:, 1] == 0))
    points = design(domain, 12, seed)
    assert (np.bincount(points.h[:, 1], minlength=4)[1:] >= 1).all()
    assert spread(points.h[:, 2], 2) <= 2


@pytest.mark.parametrize("seed", range(5))
def test_under_a_tight_constraint_on_numbers_most_strata_are_still_used(seed):
    domain = Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 1.0),) * 5, lambda points: points.x.sum(1) <= 1.0)

    def strata_used(points):
        return np.mean([len(set((points.x[:, k] * 10).astype(int))) for k in range(5)])

    rng = np.random.default_rng(seed)
    drawn = stack([random_point_of_space(Eligibility(domain, frozenset()), rng) for _ in range(10)])
    points = design(domain, 10, seed)
    assert (points.x.sum(1) <= 1.0).all()
    assert strata_used(points) > strata_used(drawn)


def test_a_costly_constraint_on_many_variables_is_checked_a_limited_number_of_times():
    rows = []

    def even(points):
        rows.append(len(points))
        return points.h[:, :500].sum(1) % 2 == 0

    domain = Domain(np.full(1000, 2), (None,) * 1000, (), even, costly=True)
    points = design(domain, 4, 0)
    assert (points.h[:, :500].sum(1) % 2 == 0).all()
    assert sum(rows) < 4 * 1000


def test_many_variables_and_many_choices():
    wide = Domain(np.full(3000, 2), (None,) * 3000, ())
    assert (design(wide, 4, 0).h.sum(0) == 2).all()
    deep = Domain(np.array([100_000]), (None,), (Axis(1.0, 1e9, 1.0),))
    points = design(deep, 10, 0)
    assert spread(points.h[:, 0], 100_000) == 1
    assert sorted((points.x[:, 0] * 10).astype(int)) == list(range(10))


def test_the_same_stream_gives_the_same_point():
    assert design(MIXED, 6, 3) == design(MIXED, 6, 3)
    assert design(MIXED, 6, 3) != design(MIXED, 6, 4)


def test_cells_of_a_grid_cover_it_without_gaps():
    for axis in (Axis(1.0, 8.0, 1.0), Axis(1.0, 50.0, 1.0, log=True), Axis(0.0, 1.0, 0.3), Axis(2.0, 2.0, 1.0)):
        cells = Cells(Domain(np.empty(0, dtype=np.int64), (), (axis,)), 10)
        edges = cells.edges[0]
        assert edges[0] == 0
        assert edges[-1] == axis.count
        assert (np.diff(edges) > 0).all()
        assert len(edges) - 1 == min(10, axis.count)
        every = Points(np.empty((axis.count, 0), dtype=np.int64), axis.at(np.arange(axis.count))[:, None])
        assert np.bincount(cells.of(every)[:, 0]).tolist() == np.diff(edges).tolist()


def test_replaced_takes_only_the_variables_that_are_named():
    point, other = MIXED.draw(2, np.random.default_rng(0)), MIXED.draw(2, np.random.default_rng(1))
    mixed = replaced(MIXED, point[0], other, np.array([1, 4]))
    assert (mixed.h[:, [0, 2, 3]] == point.h[0, [0, 2, 3]]).all()
    assert (mixed.h[:, 1] == other.h[:, 1]).all()
    assert (mixed.x[:, 0] == other.x[:, 0]).all()
    assert (mixed.x[:, 1:] == point.x[0, 1:]).all()
    assert not math.isnan(mixed.x.sum())
