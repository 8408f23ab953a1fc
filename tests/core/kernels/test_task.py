import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.kernels.task import TaskKernel
from casmopolitan.core.points import Axis, Points
from casmopolitan.core.search import neighbours as module
from casmopolitan.core.search.neighbours import Neighbours
from oracles import folded, slopes

TASKS = np.array([1, 1, 2, 1, 2, 2, 0, 0, 0, 0])
DOMAINS = {
    "h": Domain(np.array([3, 4, 3]), (None, None, np.array([0.0, 0.3, 1.0])), ()),
    "mixed": Domain(np.array([3, 4]), (None, None), (Axis(0.0, 1.0),)),
    "x": Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 1.0), Axis(0.0, 1.0))),
}


def made(name, seed=0):
    """A kernel with tasks, its θ, and data of three tasks."""
    domain, rng = DOMAINS[name], np.random.default_rng(seed)
    inner = kernel_for(domain, "heat", ard=True, trade_off="orders")
    size = sum(block.size for block in inner.blocks)
    theta = np.concatenate([rng.uniform(0.2, 0.9, size), rng.uniform(0.05, 2.0, 2)])
    return domain, inner, TaskKernel(inner, 2), theta, coded(domain, domain.draw(len(TASKS), rng), TASKS)


@pytest.mark.parametrize("name", DOMAINS)
def test_each_entry_is_the_inner_kernels_times_the_factor_of_two_tasks(name):
    _, inner, kernel, theta, data = made(name)
    K, before, w = kernel.forward(theta, data)[0], inner.forward(theta[:-2], data)[0], [0.0, *theta[-2:]]
    for i, s in enumerate(TASKS):
        for j, t in enumerate(TASKS):
            assert K[i, j] == pytest.approx(before[i, j] * (1.0 if s == t else np.exp(-w[s] - w[t])), rel=1e-12)
    cross = kernel.cross(theta, data.rows, data)[0]
    np.testing.assert_allclose(cross, before * np.exp([-w[t] for t in TASKS]), rtol=1e-9)
    assert kernel.diagonal(theta) == inner.diagonal(theta[:-2])


@settings(max_examples=20, deadline=None)
@given(name=st.sampled_from(list(DOMAINS)), seed=st.integers(0, 10**6))
def test_it_is_a_kernel(name, seed):
    _, _, kernel, theta, data = made(name, seed)
    assert np.linalg.eigvalsh(kernel.forward(theta, data)[0]).min() > -1e-10


@pytest.mark.parametrize("name", DOMAINS)
def test_the_gradient_is_the_slope(name):
    _, _, kernel, theta, data = made(name)
    S = np.random.default_rng(1).standard_normal((len(data), len(data)))
    S += S.T
    gradient = kernel.backward(theta, data, kernel.forward(theta, data)[1], folded(S))
    assert gradient == pytest.approx(slopes(kernel, theta, data, S), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("name", ["h", "mixed"])
def test_every_neighbour_is_scored_as_a_point_of_the_present_task(name, many, monkeypatch):
    domain, _, kernel, theta, data = made(name)
    monkeypatch.setattr(module, "MANY", 2 if many else 1000)
    monkeypatch.setattr(module, "PROMISING", 4)
    y = np.random.default_rng(2).standard_normal(len(TASKS))
    posterior = condition(domain, kernel, np.append(theta, [1.0, 1e-3]), data.points, y, data=data)
    score = Score(posterior, lambda mean, variance: (mean + variance, np.ones_like(mean), np.ones_like(mean)))
    near, start = Neighbours.of(score, np.random.default_rng(0)), domain.draw(3, np.random.default_rng(3))
    allowed = start.h[:, near.moves.which] != near.moves.level
    values = near.values(start, allowed)
    for row, move in zip(*np.nonzero(np.isfinite(values)), strict=True):
        h = start.h[row : row + 1].copy()
        h[0, near.moves.which[move]] = near.moves.level[move]
        assert values[row, move] == pytest.approx(score(Points(h, start.x[row : row + 1]))[0], rel=1e-9)


def test_added_points_belong_to_the_present_task():
    domain, _, kernel, theta, data = made("h")
    y = np.random.default_rng(2).standard_normal(len(TASKS))
    posterior = condition(domain, kernel, np.append(theta, [1.0, 1e-3]), data.points, y, data=data)
    more = domain.draw(2, np.random.default_rng(9))
    extended = posterior.extended(more, np.array([0.3, -0.2]))
    whole = coded(domain, extended.points, np.append(TASKS, [0, 0]))
    again = condition(domain, kernel, posterior.theta, extended.points, extended.y, data=whole)
    assert extended.task.tolist() == [*TASKS, 0, 0]
    points = domain.draw(5, np.random.default_rng(10))
    np.testing.assert_allclose(extended.moments(points), again.moments(points), rtol=1e-8)
    assert posterior.present.tolist() == (TASKS == 0).tolist()
