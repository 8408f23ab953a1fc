import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.categorical import CategoricalKernel
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.ordinal import Thermometer

units = st.floats(0, 1, allow_subnormal=False).map(lambda value: round(value, 6))


@settings(max_examples=50, deadline=None)
@given(seen=st.lists(units, min_size=1, max_size=8), others=st.lists(units, min_size=1, max_size=8))
def test_columns_and_excess_give_the_distance_of_any_position_to_any_seen_one(seen, others):
    q, p = np.array(seen), np.array(others)
    thermometer = Thermometer.seen(q)
    product = thermometer.columns(p) @ thermometer.columns(q).T
    D = thermometer.constant + thermometer.excess(p)[:, None] - product
    np.testing.assert_allclose(D, np.abs(p[:, None] - q), atol=1e-14)


def test_one_position_seen_needs_no_column():
    thermometer = Thermometer.seen(np.array([0.3, 0.3]))
    assert thermometer.columns(np.array([0.1, 0.9])).shape == (2, 0)
    np.testing.assert_allclose(thermometer.excess(np.array([0.1, 0.3, 0.9])), [0.2, 0.0, 0.6], atol=1e-15)


def test_there_is_one_column_between_each_two_neighbouring_positions_seen():
    thermometer = Thermometer.seen(np.array([1.0, 0.0, 0.25, 0.25]))
    np.testing.assert_allclose(thermometer.gap, [0.25, 0.75])
    np.testing.assert_allclose(thermometer.low, [0.0, 0.25])
    assert thermometer.constant == 0.5


@pytest.mark.parametrize("ard", [True, False])
def test_an_ordinal_kernel_whose_distances_are_zero_or_one_is_the_categorical_kernel(ard):
    rng = np.random.default_rng(0)
    ends = np.array([0.0, 1.0])
    ordinal, categorical = Domain(np.full(6, 2), (ends,) * 6, ()), Domain(np.full(6, 2), (None,) * 6, ())
    points, others = ordinal.draw(15, rng), ordinal.draw(9, rng)
    kernel, theta = CategoricalKernel(6, ard), rng.uniform(0.1, 2.0, 6 if ard else 1)
    a, b = coded(ordinal, points), coded(categorical, points)
    np.testing.assert_allclose(kernel.forward(theta, a)[0], kernel.forward(theta, b)[0], rtol=1e-14)
    np.testing.assert_allclose(
        kernel.cross(theta, a.encode(others), a)[0], kernel.cross(theta, b.encode(others), b)[0], rtol=1e-14
    )
