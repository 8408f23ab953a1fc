from __future__ import annotations

import numpy as np
import pytest

from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.acquisition.hypervolume import HypervolumeImprovement
from casmopolitan.core.domain import Domain
from casmopolitan.core.front import boxes, non_dominated, reference_point
from casmopolitan.core.gp.joint import Joint
from casmopolitan.core.gp.mean import Bowl
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.gp.priors import freed_parameters
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis, Points
from casmopolitan.core.search import neighbours as module
from casmopolitan.core.search.neighbours import Neighbours

POSITIONS = np.array([0.0, 0.2, 0.5, 1.0])
MIXED = Domain(np.array([3, 4, 2]), (None, POSITIONS, None), (Axis(0.0, 1.0), Axis(1.0, 30.0, 1.0)))


def score(m, domain=MIXED):
    """log EHVI of m processes that were conditioned on different points."""
    rng, parts = np.random.default_rng(m), []
    kernel = kernel_for(domain, "heat", ard=True, trade_off="orders")
    theta = freed_parameters(kernel, domain.d_h, domain.d_x).start
    for _ in range(m):
        points = domain.draw(20, rng)
        parts.append(condition(domain, kernel, theta, points, rng.standard_normal(20), Bowl.of(domain)))
    joint = Joint(tuple(parts))
    means = joint.moments(domain.draw(8, rng))[0].T
    front = means[non_dominated(means)]
    return Score(joint, HypervolumeImprovement.of(*boxes(front, reference_point(front, least=1.0))))


@pytest.mark.parametrize("m", [2, 3])
def test_the_gradient_of_a_joint_rule_is_that_of_finite_differences(m):
    alpha, points = score(m), MIXED.draw(6, np.random.default_rng(9))
    value, gradient = alpha.with_gradient(points)
    np.testing.assert_allclose(value, alpha(points), rtol=1e-10)
    for k in range(MIXED.d_x):
        step = np.zeros(MIXED.d_x)
        step[k] = 1e-6
        up, down = (alpha(Points(points.h, points.x + sign * step)) for sign in (1, -1))
        np.testing.assert_allclose(gradient[:, k], (up - down) / 2e-6, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("m", [2, 3])
def test_the_table_of_one_variable_changes_scores_each_neighbour_as_a_point(monkeypatch, m, many):
    if many:
        monkeypatch.setattr(module, "MANY", 3)
        monkeypatch.setattr(module, "PROMISING", 4)
    domain = Domain(np.array([3, 4, 2, 3]), (None,) * 4, ()) if many else MIXED
    alpha, start = score(m, domain), domain.draw(3, np.random.default_rng(5))
    near = Neighbours.of(alpha, np.random.default_rng(0))
    moves = near.moves
    values = near.values(start, start.h[:, moves.which] != moves.level)
    assert np.isfinite(values).any()
    for row, move in zip(*np.nonzero(np.isfinite(values)), strict=True):
        h = start.h[row : row + 1].copy()
        h[0, moves.which[move]] = moves.level[move]
        assert values[row, move] == pytest.approx(alpha(Points(h, start.x[row : row + 1]))[0], rel=1e-8, abs=1e-7)
