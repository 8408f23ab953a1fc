import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings

from casmopolitan.core.conditions import MIDDLE, Conditions, part_of
from casmopolitan.core.points import Points
from casmopolitan.space import Categorical, Integer, Ordinal, Real, Space
from strategies import conditional_spaces, finite_variables, seeds

CHAIN = Conditions(np.array([2, 3, 2]), 1, {1: ((0, (1,)),), 2: ((1, (0, 2)),), 3: ((0, (0,)), (1, (1,)))})
"""Column 1 needs column 0 at 1, column 2 needs column 1 at 0 or 2; the coordinate of x needs what never happens together."""

LAYERS = Space(
    {
        "width2": Integer(1, 4, when={"layers": [2, 3]}),
        "layers": Ordinal([1, 2, 3]),
        "width3": Categorical(["narrow", "wide"], when={"layers": 3}),
        "rate": Real(0.0, 1.0, when={"width3": "wide"}),
    }
)


def points(h, x=()):
    return Points(np.array(h, dtype=np.int64), np.array(x, dtype=float).reshape(len(h), -1))


def test_a_variable_is_active_only_if_all_its_ancestors_are():
    h = points([[0, 1, 1], [1, 1, 1], [1, 2, 0]], [[0.1], [0.2], [0.3]])
    found = CHAIN.canonical(h)
    assert found.h.tolist() == [[0, 3, 2], [1, 1, 2], [1, 2, 0]]
    assert found.x.tolist() == [[MIDDLE]] * 3
    assert CHAIN.active(found.h).tolist() == [
        [True, False, False, False],
        [True, True, False, False],
        [True, True, True, False],
    ]


def test_a_change_of_a_parent_sets_its_children_from_the_spare_point():
    before, spare = points([[0, 3, 2]], [[MIDDLE]]), points([[0, 2, 1]], [[0.7]])
    assert CHAIN.changed(before, np.array([0]), np.array([1]), spare).h.tolist() == [[1, 2, 1]]
    there = CHAIN.changed(before, np.array([0]), np.array([1]), spare)
    assert CHAIN.changed(there, np.array([0]), np.array([0]), spare) == before
    assert CHAIN.changed(there, np.array([1]), np.array([1]), spare).h.tolist() == [[1, 1, 2]]


def test_differences_count_variables_that_are_active_at_both_points():
    h = np.array([[0, 3, 2], [1, 0, 1], [1, 2, 1], [1, 1, 2]])
    assert CHAIN.differences(h, h[1]).tolist() == [1, 0, 1, 1]


def test_the_best_known_value_is_that_of_the_first_point_where_the_variable_is_active():
    known, spare = points([[0, 3, 2], [1, 1, 2], [1, 2, 0]], [[MIDDLE]] * 3), points([[1, 0, 1]], [[0.7]])
    best = CHAIN.best_known(known, [0, 1, 2], spare)
    assert best.h.tolist() == [[0, 1, 0]]
    assert best.x.tolist() == [[0.7]]
    assert CHAIN.best_known(known[:0], [], spare) is spare


def test_a_fixed_child_implies_its_ancestors_and_a_fixed_parent_what_cannot_exist():
    assert CHAIN.implied({2: 1}) == ({2: 1, 1: 0, 0: 1}, [3])
    assert CHAIN.implied({0: 0}) == ({0: 0}, [1, 2, 3])
    assert CHAIN.implied({0: 0, 2: 1})[1] == [1, 2, 3]


def test_an_ancestor_gets_a_level_that_fits_all_fixed_children():
    both = Conditions(np.array([3, 2, 2]), 0, {1: ((0, (0, 1)),), 2: ((0, (1, 2)),)})
    assert both.implied({1: 0, 2: 1}) == ({1: 0, 2: 1, 0: 1}, [])
    apart = Conditions(np.array([3, 2, 2]), 0, {1: ((0, (0,)),), 2: ((0, (2,)),)})
    assert len(apart.implied({1: 0, 2: 1})[1]) == 1


def test_the_conditions_of_a_part_leave_out_what_is_fixed():
    left = part_of(CHAIN, {0: 1}, [0])
    assert left is not None
    assert dict(left.required) == {1: ((0, (0, 2)),)}
    assert left.levels.tolist() == [3, 2]
    assert part_of(CHAIN, {0: 1, 1: 0}, [0]) is None


def listed(space):
    """All configurations of a finite space, by brute force."""
    names = list(space)
    rows = itertools.product(*([space[name].at(k) for k in range(space[name].count)] for name in names))
    found = set()
    for row in rows:
        whole = dict(zip(names, row, strict=True))
        kept = dict(whole)
        while gone := [n for n in kept if any(kept.get(p) not in v for p, v in (space[n].when or {}).items())]:
            kept = {name: value for name, value in kept.items() if name not in gone}
        found.add(tuple(kept.items()))
    return found


def test_size_counts_every_configuration_once():
    space = Space(
        {
            "a": Categorical(["x", "y", "z"]),
            "b": Integer(1, 4, when={"a": ["x", "y"]}),
            "c": Categorical([True, False], when={"b": [2, 3], "a": "x"}),
            "d": Real(0.0, 1.0, step=0.1, when={"c": True}),
            "e": Ordinal([1, 2], when={"a": "z"}),
            "f": Categorical(["p", "q"]),
        }
    )
    assert space.size == len(listed(space))
    every = space.domain.every_point()
    assert len(set(every.identities())) == len(every) == space.size
    assert {tuple(c.items()) for c in space.decode(every)} == listed(space)


@settings(max_examples=25, deadline=None)
@given(conditional_spaces(kinds=finite_variables(), max_variables=5))
def test_every_point_lists_each_canonical_point_once(space):
    domain = space.domain
    if not isinstance(domain.size, int) or domain.size > 5000:
        return
    every = domain.every_point()
    assert len(every) == domain.size == len(set(every.identities()))
    assert domain.canonical(every) == every


def test_many_switches_with_children_are_counted_without_listing_them():
    switches = {f"s{i}": Categorical([False, True]) for i in range(60)}
    children = {f"c{i}": Categorical(list("abc"), when={f"s{i}": True}) for i in range(60)}
    assert Space(switches | children).size == 4**60


@settings(max_examples=25, deadline=None)
@given(conditional_spaces(), seeds())
def test_draws_are_canonical_and_decode_to_valid_configurations(space, seed):
    drawn = space.domain.draw(20, np.random.default_rng(seed))
    assert space.domain.canonical(drawn) == drawn
    for configuration in space.decode(drawn):
        assert space.problems(configuration) == []


@pytest.mark.parametrize("seed", range(3))
def test_children_of_a_chosen_branch_are_drawn_evenly(seed):
    drawn = LAYERS.decode(LAYERS.domain.draw(3000, np.random.default_rng(seed)))
    third = [c for c in drawn if c["layers"] == 3]
    assert abs(len(third) - 1000) < 120
    assert abs(sum(c["width3"] == "wide" for c in third) - len(third) / 2) < 80
    assert all(("rate" in c) == (c.get("width3") == "wide") for c in drawn)
    assert math.isinf(LAYERS.size)
