from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from casmopolitan.config import Config
from casmopolitan.core.points import Axis, Domain, Points
from casmopolitan.core.restart import Finished, local_optima, ranked_centres, root_beta
from casmopolitan.core.search.admission import Admission

CONFIG = Config(fit_steps=20, fit_starts=1)


def line(*xs):
    return Points(np.zeros((len(xs), 0), dtype=np.int64), np.array(xs, dtype=float)[:, None])


LINE = Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 1.0),))
FREE = Admission(LINE, frozenset())


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
    centre = ranked_centres(LINE, CONFIG, regions, FREE, np.random.default_rng(0), 1)
    assert centre.x[0, 0] > 0.6


def test_without_exploration_the_centre_stays_near_the_best_optimum():
    regions = [Finished(line(x), np.array([y])) for x, y in [(0.1, 5.0), (0.5, 0.0), (0.9, 5.0)]]
    greedy = replace(CONFIG, restart_exploration=0.0)
    centre = ranked_centres(LINE, greedy, regions, FREE, np.random.default_rng(0), 1)
    assert abs(centre.x[0, 0] - 0.5) < 0.1


def test_the_centre_prefers_the_unexplored_optimum_of_a_discrete_space():
    """Two regions ended badly at one end of the cube; the bound is highest in the corner that shares nothing with them."""
    domain = Domain(np.full(4, 2), (None,) * 4, ())
    bad = [Points(np.array([h]), np.empty((1, 0))) for h in ([0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0])]
    regions = [Finished(p, np.array([y])) for p, y in zip(bad, [3.0, 3.1, 2.9], strict=True)]
    centre = ranked_centres(domain, CONFIG, regions, Admission(domain, frozenset()), np.random.default_rng(0), 1)
    assert centre.h[0, :2].tolist() == [1, 1]


def test_centres_are_deterministic_distinct_admitted_and_best_first():
    domain = Domain(np.full(3, 3), (None,) * 3, ())
    taken = Admission(domain, frozenset(domain.every_point()[:20].identities()))
    regions = [Finished(domain.every_point()[:3], np.array([1.0, 2.0, 0.5]))]
    one, two = (ranked_centres(domain, CONFIG, regions, taken, np.random.default_rng(5), 4) for _ in range(2))
    assert one == two
    assert len(set(one.identities())) == 4
    assert taken.admits(one).all()
    assert ranked_centres(domain, CONFIG, regions, taken, np.random.default_rng(5), 1) == one[0]


def test_fewer_are_returned_when_few_are_admitted():
    domain = Domain(np.array([2, 2]), (None, None), ())
    taken = Admission(domain, frozenset(domain.every_point()[:3].identities()))
    assert len(ranked_centres(domain, CONFIG, [], taken, np.random.default_rng(0), 5)) == 1
    full = Admission(domain, frozenset(domain.every_point().identities()))
    regions = [Finished(domain.every_point(), np.arange(4.0))]
    assert len(ranked_centres(domain, CONFIG, regions, full, np.random.default_rng(0), 1)) == 0


def test_centres_respect_the_constraint():
    domain = Domain(np.full(3, 3), (None,) * 3, (), lambda points: points.h.sum(1) == 6)
    admission = Admission(domain, frozenset())
    assert ranked_centres(domain, CONFIG, [], admission, np.random.default_rng(0), 1).h.tolist() == [[2, 2, 2]]


def test_root_beta_is_the_constant_unless_theory_is_asked_for():
    assert root_beta(CONFIG, LINE, None, 3) == pytest.approx(1.96)


def test_centres_that_will_sooner_fail_come_last():
    domain = Domain(np.array([2, 2, 2]), (None,) * 3, ())
    admission, rng = Admission(domain, frozenset(), (), ()), np.random.default_rng(0)
    found = ranked_centres(domain, Config(), [], admission, rng, 8, lambda points: np.where(points.h[:, 0] == 1, 0.9, 0.1))
    assert found.h[:, 0].tolist() == [1] * 4 + [0] * 4
