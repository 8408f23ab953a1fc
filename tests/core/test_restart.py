from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from casmopolitan.config import Config
from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Axis, Points
from casmopolitan.core.restart import Finished, local_optima, next_centre, root_beta
from casmopolitan.core.search.eligibility import Eligibility

CONFIG = Config(fit_steps=20, fit_starts=1)


def line(*xs):
    return Points(np.zeros((len(xs), 0), dtype=np.int64), np.array(xs, dtype=float)[:, None])


LINE = Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 1.0),))
FREE = Eligibility(LINE, frozenset())


def test_each_region_leaves_its_best_point():
    points, y = local_optima(
        [Finished(line(0.1, 0.2), np.array([3.0, 1.0])), Finished(line(0.8, 0.9), np.array([2.0, 5.0]))],
        np.random.default_rng(0),
    )
    assert points.x.ravel().tolist() == [0.2, 0.8]
    assert y.tolist() == [1.0, 2.0]


def test_a_repeated_optimum_is_replaced_by_a_random_other_point_of_that_region():
    first = Finished(line(0.5), np.array([0.0]))
    again = Finished(line(0.1, 0.5, 0.9, 0.3), np.array([3.0, 0.0, 2.0, 4.0]))
    chosen = set()
    for seed in range(30):
        points, y = local_optima([first, again], np.random.default_rng(seed))
        assert points.x[0, 0] == 0.5
        assert y[1] == again.y[again.points.x[:, 0] == points.x[1, 0]][0]
        chosen.add(float(points.x[1, 0]))
    assert chosen == {0.1, 0.9, 0.3}


def test_a_region_with_nothing_else_to_offer_repeats():
    regions = [Finished(line(0.5), np.array([0.0]))] * 2
    assert local_optima(regions, np.random.default_rng(0))[0].x.ravel().tolist() == [0.5, 0.5]


def test_the_centre_prefers_what_is_unexplored():
    regions = [Finished(line(0.1), np.array([1.0])), Finished(line(0.2), np.array([1.0]))]
    centre = next_centre(LINE, CONFIG, regions, FREE, np.random.default_rng(0))
    assert centre.x[0, 0] > 0.6


def test_without_exploration_the_centre_stays_near_the_best_optimum():
    regions = [Finished(line(x), np.array([y])) for x, y in [(0.1, 5.0), (0.5, 0.0), (0.9, 5.0)]]
    greedy = replace(CONFIG, restart_exploration=0.0)
    centre = next_centre(LINE, greedy, regions, FREE, np.random.default_rng(0))
    assert abs(centre.x[0, 0] - 0.5) < 0.1


def test_the_centre_prefers_the_unexplored_optimum_of_a_discrete_space():
    """Two regions ended badly at one end of the cube; the bound is highest in the corner that shares nothing with them."""
    domain = Domain(np.full(4, 2), (None,) * 4, ())
    bad = [Points(np.array([h]), np.empty((1, 0))) for h in ([0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0])]
    regions = [Finished(p, np.array([y])) for p, y in zip(bad, [3.0, 3.1, 2.9], strict=True)]
    centre = next_centre(domain, CONFIG, regions, Eligibility(domain, frozenset()), np.random.default_rng(0))
    assert centre.h[0, :2].tolist() == [1, 1]


def test_the_centre_is_deterministic_and_admitted():
    domain = Domain(np.full(3, 3), (None,) * 3, ())
    taken = Eligibility(domain, frozenset(domain.every_point()[:20].identities()))
    regions = [Finished(domain.every_point()[:3], np.array([1.0, 2.0, 0.5]))]
    one, two = (next_centre(domain, CONFIG, regions, taken, np.random.default_rng(5)) for _ in range(2))
    assert one == two
    assert taken.admits(one).all()


def test_there_is_no_centre_where_nothing_is_admitted():
    domain = Domain(np.array([2, 2]), (None, None), ())
    full = Eligibility(domain, frozenset(domain.every_point().identities()))
    regions = [Finished(domain.every_point(), np.arange(4.0))]
    assert next_centre(domain, CONFIG, regions, full, np.random.default_rng(0)) is None


def test_centres_respect_the_constraint():
    domain = Domain(np.full(3, 3), (None,) * 3, (), lambda points: points.h.sum(1) == 6)
    eligibility = Eligibility(domain, frozenset())
    assert next_centre(domain, CONFIG, [], eligibility, np.random.default_rng(0)).h.tolist() == [[2, 2, 2]]


def test_root_beta_is_the_constant_unless_theory_is_asked_for():
    assert root_beta(CONFIG, LINE, None, 3) == pytest.approx(1.96)


def test_a_centre_that_will_sooner_fail_is_the_last_resort():
    domain = Domain(np.array([2, 2, 2]), (None,) * 3, ())
    every = domain.every_point()

    def unlikely(points):
        return points.h[:, 0] != 1

    def found(taken):
        return next_centre(
            domain, CONFIG, [], Eligibility(domain, frozenset(taken.identities())), np.random.default_rng(0), unlikely
        )

    assert found(every[:0]).h[0, 0] == 1
    assert found(every[every.h[:, 0] == 1]).h[0, 0] == 0
