from __future__ import annotations

import numpy as np
import pytest

from casmopolitan import PAPER
from casmopolitan.core.points import Points
from casmopolitan.core.search.interleaved import interleaved_search, starts_of_walks, uphill
from casmopolitan.core.search.local import local_search


@pytest.mark.parametrize("seed", range(5))
def test_without_continuous_variables_it_is_the_local_search(seed, scenes):
    s = scenes(d_x=0)
    one = interleaved_search(s.score, s.start, s.around, s.eligibility, 30, 0.1, np.random.default_rng(seed))
    two = local_search(s.score, s.start, s.around, s.eligibility, 30, np.random.default_rng(seed))
    assert one.point == two.point
    assert one.value == two.value


def test_without_discrete_variables_it_is_gradient_ascent_that_settles(scenes):
    s = scenes(d_h=0)
    found = interleaved_search(s.score, s.start, s.around, s.eligibility, 400, 0.05, np.random.default_rng(0))
    assert found.point.x[0] == pytest.approx([0.55, 0.55], abs=2e-3)
    assert len(s.score.met) < 2 * 400


@pytest.mark.parametrize("seed", range(3))
def test_on_a_smooth_summit_it_ends_near_it_in_both_parts(seed, scenes):
    s = scenes(radius=5)
    found = interleaved_search(s.score, s.start, s.around, s.eligibility, 300, 0.1, np.random.default_rng(seed))
    assert (found.point.h == 2).all()
    assert found.point.x[0] == pytest.approx([0.55, 0.55], abs=0.01)


@pytest.mark.parametrize("step", [None, 0.05])
@pytest.mark.parametrize("summit", [0.0, 0.55, 1.0])
def test_it_never_leaves_the_region_and_never_returns_worse_than_its_start(step, summit, scenes):
    s = scenes(radius=2, length=0.3, step=step, summit=summit)
    start = s.around.draw(3, np.random.default_rng(5))
    found = interleaved_search(s.score, start, s.around, s.eligibility, 40, 0.1, np.random.default_rng(0))
    assert s.around.contains(found.point)[0]
    assert found.value >= s.score(start).max()
    assert found.value == pytest.approx(s.score(found.point)[0])
    assert s.domain.snapped(found.point) == found.point


def test_points_met_on_the_way_lie_in_the_region_but_for_single_steps_that_are_refused(scenes):
    s = scenes(radius=2, length=0.3, summit=1.0)
    interleaved_search(s.score, s.start, s.around, s.eligibility, 40, 0.1, np.random.default_rng(0))
    for points in s.score.met:
        assert ((points.x >= s.around.low) & (points.x <= s.around.high)).all()


def test_a_value_is_that_of_the_point_as_it_will_be_evaluated(scenes):
    s = scenes(d_h=0, step=0.25, length=1.6, summit=0.7)
    found = interleaved_search(s.score, s.start, s.around, s.eligibility, 50, 0.1, np.random.default_rng(0))
    assert found.point.x[0].tolist() == [0.75, 0.75]
    assert found.value == s.score(found.point)[0]


def test_a_walk_that_rounds_to_taken_points_alone_steps_along_the_grid(scenes):
    s = scenes(d_h=0, step=0.25, length=1.6, summit=0.55)
    found = interleaved_search(s.score, s.start, s.around, s.eligibility, 50, 0.1, np.random.default_rng(0))
    assert s.eligibility.admits(found.point).all()
    assert s.around.contains(found.point).all()


def test_the_length_of_the_gradient_does_not_matter(scenes):
    """EI is tiny at late states, and grows by orders of magnitude on the way."""
    s = scenes(radius=5)

    class Steep:
        def __call__(self, points):
            return np.exp(60 * s.score(points))

        def with_gradient(self, points):
            value, slope = s.score.with_gradient(points)
            return np.exp(60 * value), 60 * np.exp(60 * value)[:, None] * slope

    found = interleaved_search(Steep(), s.start, s.around, s.eligibility, 300, 0.1, np.random.default_rng(0))
    assert (found.point.h == 2).all()
    assert found.point.x[0] == pytest.approx([0.55, 0.55], abs=0.01)


def test_the_direction_is_in_units_of_the_box_and_stays_in_it(scenes):
    around = scenes(d_h=0, length=0.4).around
    x = np.array([[0.5, 0.5], [around.high[0], 0.5], [0.5, 0.5]])
    gradient = np.array([[2e-30, -1e-30], [5.0, 1.0], [0.0, 0.0]])
    np.testing.assert_allclose(uphill(x, gradient, around), [[0.4, -0.2], [0.0, 0.4], [0.0, 0.0]])


def test_a_flat_acquisition_moves_nothing_and_raises_nothing(scenes):
    class Flat:
        def __call__(self, points):
            return np.zeros(len(points))

        def with_gradient(self, points):
            return np.zeros(len(points)), np.zeros_like(points.x)

    s = scenes()
    found = interleaved_search(Flat(), s.start, s.around, s.eligibility, 20, 0.1, np.random.default_rng(0))
    assert found.point.x.tolist() == s.start.x[:1].tolist()
    assert found.point.h.tolist() != s.start.h[:1].tolist()  # the start is evaluated, so it moves on


@pytest.mark.parametrize("seed", range(5))
def test_a_narrow_summit_beside_an_evaluated_start_is_found_though_neighbours_slope_away_from_it(seed, scenes):
    """Late in a run EI has such a summit near the best point. Neighbours are lower, but uphill from there is far away."""
    s = scenes(d_h=3, length=1.6)
    summit = s.start.x[0] + [0.004, -0.003]

    class Narrow:
        def __call__(self, points):
            return self.with_gradient(points)[0]

        def with_gradient(self, points):
            same = (points.h == s.start.h[0]).all(axis=1)
            near = 4.0 * np.exp(-5e4 * ((points.x - summit) ** 2).sum(axis=1)) * same
            return near + 0.1 * points.x.sum(axis=1), -1e5 * near[:, None] * (points.x - summit) + 0.1

    found = interleaved_search(Narrow(), s.start, s.around, s.eligibility, 100, 0.1, np.random.default_rng(seed))
    assert found.point.h.tolist() == s.start.h[:1].tolist()
    assert found.point.x[0] == pytest.approx(summit, abs=1e-3)


def test_equal_seeds_give_equal_walks(scenes):
    s = scenes()
    runs = [
        interleaved_search(s.score, s.start, s.around, s.eligibility, 20, 0.1, np.random.default_rng(4)).point for _ in range(2)
    ]
    assert isinstance(runs[0], Points)
    assert runs[0] == runs[1]


def test_the_first_run_starts_at_the_centre_and_the_others_at_the_best_random_points(scenes):
    s = scenes(radius=5, length=1.6)
    starts = starts_of_walks(s.score, s.around, s.eligibility, PAPER, np.random.default_rng(0))
    assert starts[0] == s.around.centre
    drawn = np.sort(s.score(s.around.draw(2000, np.random.default_rng(0))))
    assert np.sort(s.score(starts[1:])).tolist() == drawn[-2:].tolist()


def test_a_summit_far_from_the_centre_is_found_though_the_centre_lies_on_another(scenes):
    s = scenes(d_h=0, length=1.6, summit=0.95)

    class TwoSummits:
        def __call__(self, points):
            return self.with_gradient(points)[0]

        def with_gradient(self, points):
            there, slope = s.score.with_gradient(points)
            high, low = np.exp(200 * there), 0.1 * np.exp(-200 * ((points.x - 0.5) ** 2).sum(1))
            return high + low, 200 * high[:, None] * slope - 400 * low[:, None] * (points.x - 0.5)

    rng = np.random.default_rng(0)
    starts = starts_of_walks(TwoSummits(), s.around, s.eligibility, PAPER, rng)
    found = interleaved_search(TwoSummits(), starts, s.around, s.eligibility, 100, 0.1, rng)
    assert found.point.x[0] == pytest.approx([0.95, 0.95], abs=0.01)


def test_without_continuous_variables_all_runs_start_at_the_centre_and_nothing_is_drawn(scenes):
    s, rng = scenes(d_x=0), np.random.default_rng(0)
    starts = starts_of_walks(s.score, s.around, s.eligibility, PAPER, rng)
    assert (starts.h == s.around.centre.h).all()
    assert rng.random() == np.random.default_rng(0).random()


def test_forbidden_points_are_no_starts(scenes):
    s = scenes(feasible=lambda points: points.x[:, 0] < 0.4)
    starts = starts_of_walks(s.score, s.around, s.eligibility, PAPER, np.random.default_rng(0))
    assert (starts.x[1:, 0] < 0.4).all()
    s = scenes(feasible=lambda points: np.zeros(len(points), dtype=bool))
    starts = starts_of_walks(s.score, s.around, s.eligibility, PAPER, np.random.default_rng(0))
    assert (starts.x == s.around.centre.x).all()
