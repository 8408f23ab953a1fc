from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.optimize import minimize

from casmopolitan.config import Config
from casmopolitan.core.acquisition.acquisition import Score, rule_for
from casmopolitan.core.acquisition.probability import log_probability_below
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.gp.priors import freed_parameters
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis, Points, stack
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search.eligibility import Eligibility
from casmopolitan.core.search.grid import Climb
from casmopolitan.core.search.slides import slid_singly
from casmopolitan.core.search.steepest import steepest_search

PLATE = Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 1.0), Axis(0.0, 29.0, 1.0)))
"""A real number and an integer."""


class Limited:
    """A value of x0 and x1 with a steep wall where a limit is not met."""

    def __init__(self, value):
        self.value = value

    def __call__(self, points):
        return self.value(points.x[:, 0], points.x[:, 1])

    def along_x(self, points):
        def both(x):
            step = 1e-7
            ahead = [self.value(x[:, 0] + step * (k == 0), x[:, 1] + step * (k == 1)) for k in (0, 1)]
            behind = [self.value(x[:, 0] - step * (k == 0), x[:, 1] - step * (k == 1)) for k in (0, 1)]
            slopes = [(a - b) / (2 * step) for a, b in zip(ahead, behind, strict=True)]
            return self.value(x[:, 0], x[:, 1]), np.stack(slopes, axis=1)

        return both


def slide(value, *starts):
    points = Points(np.empty((len(starts), 0), dtype=np.int64), np.array(starts))
    score = Limited(value)
    around = Neighbourhood.everywhere(PLATE, points[:1])
    return slid_singly(Climb(points, score(points)), score, around, Eligibility(PLATE, frozenset()), limited=True).points.x


def test_the_real_number_meets_the_limit_again_after_the_integer_is_rounded():
    x = slide(lambda x0, x1: -x0 / 4 - x1 - 1e5 * np.maximum(0.0, 0.93 - x0 - x1) ** 2, (0.9, 20 / 29), (0.5, 25 / 29))
    assert (x[:, 1] < [15 / 29, 20 / 29]).all()
    np.testing.assert_allclose(x[:, 0], 0.93 - x[:, 1], atol=0.01)


def test_a_climber_keeps_its_integer_if_the_rounded_one_breaks_the_limit():
    x = slide(lambda x0, x1: 2 * x1 - (x0 - 0.7) ** 2 - 1e4 * np.maximum(0.0, x1 - 10.6 / 29) ** 2, (0.2, 10 / 29))
    np.testing.assert_allclose(x, [[0.7, 10 / 29]], atol=1e-3)


TANK = Domain(np.array([4]), (None,), (Axis(0.0, 1.0), Axis(0.0, 1.0), Axis(1.0, 30.0, 1.0)))
"""A choice, two real numbers and an integer."""


LIMITS = {
    "product": lambda h, x: 0.12 + 0.05 * h - x[:, 0] * x[:, 1] * (x[:, 2] + 0.2) / 0.6,
    "band of each choice": lambda h, x: np.abs(x[:, 0] - 0.2 - 0.2 * h) - 0.1,
}
"""By how much each limit is exceeded. The second moves with the choice: another choice with the same x is far from its band."""


def tank(limit, seed):
    """Return log EI + log P(limit met) after 80 trials, 20 of them beside the limit, the rule, and the four best points."""
    rng = np.random.default_rng(seed)
    close = Points(np.full((20, 1), 1), np.clip([0.5, 0.6, 0.4] + 0.03 * rng.standard_normal((20, 3)), 0, 1))
    points = TANK.snapped(stack([TANK.draw(60, rng), close]))
    cost = points.x.sum(axis=1) + 0.3 * (points.h[:, 0] != 1)
    excess = LIMITS[limit](points.h[:, 0], points.x)
    kernel = kernel_for(TANK, "heat", ard=True, trade_off="orders")
    theta = freed_parameters(kernel, 1, 3).start
    costs = condition(TANK, kernel, theta, points, (cost - cost.mean()) / cost.std())
    excesses = condition(TANK, kernel, theta, points, np.arctan(20 * excess))
    rule = rule_for(Config(acquisition="log-ei"), float(costs.y[excess <= 0].min()), 0.0)
    score = Score(costs, rule, Score(excesses, partial(log_probability_below, bound=0.0)))
    best = points[np.argsort(np.where(excess <= 0, costs.y, np.inf))[:4]]
    return score, Eligibility(TANK, frozenset(points.identities())), best


def best_of_single_ascents(score, observed):
    """Return the best of many ascents in both real numbers, each by itself, beside the observed and from random points."""
    rng = np.random.default_rng(1)
    beside = Points(
        np.repeat(observed.h, 30, 0), np.clip(np.repeat(observed.x, 30, 0) + 0.02 * rng.standard_normal((120, 3)), 0, 1)
    )
    starts = TANK.snapped(stack([TANK.draw(1000, rng), beside]))
    starts = starts[np.argsort(-score(starts))[:12]]
    found = -np.inf
    for start, level in ((starts[i], level) for i in range(len(starts)) for level in range(30)):
        if abs(level / 29 - start.x[0, 2]) > 2.5 / 29:
            continue

        def loss(x, h=start.h, level=level):
            value, slope = score.with_gradient(Points(h, np.array([[*x, level / 29]])))
            return -value[0], -slope[0, :2]

        found = max(found, -minimize(loss, start.x[0, :2], jac=True, method="L-BFGS-B", bounds=[(0, 1)] * 2).fun)
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("limit", LIMITS)
def test_beside_a_limit_the_search_finds_what_many_single_ascents_find(limit, seed):
    score, eligibility, observed = tank(limit, seed)
    around = Neighbourhood.everywhere(TANK, observed[:1])
    found = steepest_search(score, around, eligibility, observed, 300, 8, np.random.default_rng(0), singly=True, limited=True)
    assert found.value > best_of_single_ascents(score, observed) - 0.01
