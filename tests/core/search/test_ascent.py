import numpy as np
import pytest
from scipy.optimize import minimize

from casmopolitan.core.search.ascent import ascend

SCALES = 10.0 ** np.arange(-2, 7)
"""Scales of the curvature, one per row: from nearly flat to a wall."""


class Hills:
    """-scale (x - top)ᵀ A (x - top) / 2 in every row, with correlated coordinates. Some tops are outside the unit box."""

    def __init__(self, seed, dimensions=4, scales=SCALES, ridge=0.0):
        rng = np.random.default_rng(seed)
        roots = rng.standard_normal((len(scales), dimensions, dimensions))
        self.curvature = scales[:, None, None] * (roots @ roots.transpose(0, 2, 1) / dimensions + 0.1 * np.eye(dimensions))
        self.top, self.start = rng.uniform(-0.5, 1.5, (len(scales), dimensions)), rng.random((len(scales), dimensions))
        across = rng.standard_normal((len(scales), dimensions))
        self.curvature += ridge * across[:, :, None] * across[:, None, :]

    def __call__(self, x):
        slope = np.einsum("mij,mj->mi", self.curvature, x - self.top)
        return -0.5 * ((x - self.top) * slope).sum(axis=1), -slope

    def alone(self, row):
        return lambda x: tuple(part[row : row + 1] for part in self(np.repeat(x, len(self.top), axis=0)))

    def best(self, row):
        """Return the largest value in the unit box."""
        one, scale = self.alone(row), abs(self(self.start)[0][row])

        def loss(x):
            value, gradient = one(x[None])
            return -value[0] / scale, -gradient[0] / scale

        bounds, tight = [(0.0, 1.0)] * self.start.shape[1], {"ftol": 1e-15, "gtol": 1e-10}
        return -scale * minimize(loss, self.start[row], jac=True, method="L-BFGS-B", bounds=bounds, options=tight).fun


def ascended(hills, evaluations=100):
    return ascend(hills, hills.start, np.zeros_like(hills.start), np.ones_like(hills.start), evaluations)


@pytest.mark.parametrize("seed", range(5))
def test_every_row_reaches_the_maximum_in_its_box_whatever_its_scale(seed):
    hills = Hills(seed)
    values = hills(ascended(hills))[0]
    for row, value in enumerate(values):
        assert value == pytest.approx(hills.best(row), abs=0.002)


@pytest.mark.parametrize(("seed", "row"), [(266, 4), (105, 2)])
def test_a_move_that_the_bounds_would_bend_goes_to_the_first_bound(seed, row):
    """If all moves went to the nearest point of the box, row 2 of seed 105 would stop 0.015 below the maximum."""
    hills = Hills(seed, dimensions=3, scales=np.ones(8), ridge=100.0)
    assert hills(ascended(hills))[0][row] == pytest.approx(hills.best(row), abs=0.002)


@pytest.mark.parametrize(("seed", "row"), [(31, 0), (30, 0)])
def test_a_row_without_a_usable_move_goes_on_along_its_gradient(seed, row):
    """If it ended there, these rows would stop 1.0 and 0.6 below the maximum."""
    hills = Hills(seed, dimensions=10, scales=np.ones(8), ridge=10.0)
    assert hills(ascended(hills))[0][row] == pytest.approx(hills.best(row), abs=0.002)


@pytest.mark.parametrize("seed", range(5))
def test_a_row_ends_where_it_ends_alone(seed):
    hills = Hills(seed)
    together = ascended(hills, evaluations=25)
    for row, start in enumerate(hills.start):
        low, high = np.zeros((1, 4)), np.ones((1, 4))
        alone = ascend(hills.alone(row), start[None], low, high, 25)
        np.testing.assert_allclose(together[row], alone[0], rtol=0, atol=1e-7)


@pytest.mark.parametrize("seed", range(20))
def test_rows_stay_in_their_boxes_and_never_get_worse(seed):
    hills, rng = Hills(seed), np.random.default_rng(seed)
    low = 0.5 * rng.random(hills.start.shape)
    high = low + 0.3 * rng.random(hills.start.shape)
    high[:, 1] = low[:, 1]  # a coordinate that is held
    start = np.clip(hills.start, low, high)
    x = ascend(hills, hills.start, low, high, 10)
    assert (x >= low).all()
    assert (x <= high).all()
    assert (hills(x)[0] >= hills(start)[0]).all()


def test_a_region_without_values_is_not_entered():
    def logarithm(x):
        with np.errstate(all="ignore"):
            value, slope = np.log(x[:, 0] - 0.3) - 5 * x[:, 0], 1 / (x - 0.3) - 5
        return value, np.where(np.isnan(value)[:, None], np.nan, slope)

    x = ascend(logarithm, np.array([[0.9], [0.31]]), np.zeros((2, 1)), np.ones((2, 1)), 50)
    np.testing.assert_allclose(x, 0.5, atol=1e-3)


def test_a_row_without_any_value_stays_where_it_is():
    x = ascend(
        lambda x: (np.full(len(x), np.nan), np.full(x.shape, np.nan)), np.array([[0.4]]), np.zeros((1, 1)), np.ones((1, 1)), 5
    )
    assert x == [[0.4]]


def test_an_infinite_derivative_ends_a_row_and_not_the_others():
    def root(x):
        with np.errstate(divide="ignore"):
            return np.sqrt(x[:, 0]) - x[:, 0], 0.5 / np.sqrt(x) - 1

    x = ascend(root, np.array([[0.0], [0.9]]), np.zeros((2, 1)), np.ones((2, 1)), 50)
    np.testing.assert_allclose(x, [[0.0], [0.25]], atol=0.01)
