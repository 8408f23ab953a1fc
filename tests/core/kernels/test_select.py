import re
from pathlib import Path

import numpy as np
import pytest

import casmopolitan
from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.additive import HeatAndAdditive
from casmopolitan.core.kernels.base import dimension
from casmopolitan.core.kernels.categorical import CategoricalKernel
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.heat import HeatKernel
from casmopolitan.core.kernels.matern import MaternKernel
from casmopolitan.core.kernels.mixed import MixedKernel
from casmopolitan.core.kernels.onehot import OneHotKernel
from casmopolitan.core.kernels.overlap import OverlapKernel
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis


def of(d_h, d_x):
    return Domain(np.full(d_h, 3), (None,) * d_h, (Axis(0.0, 1.0),) * d_x)


DISCRETE = {
    "categorical": CategoricalKernel(4),
    "overlap": OverlapKernel(4),
    "heat": HeatKernel(4),
    "one-hot": OneHotKernel(4, 0, columns=12),
}


@pytest.mark.parametrize("family", list(DISCRETE))
def test_a_purely_discrete_domain_gets_the_family_alone(family):
    assert kernel_for(of(4, 0), family, ard=True, trade_off=0.5) == DISCRETE[family]


@pytest.mark.parametrize("family", ["categorical", "overlap", "heat"])
def test_a_purely_continuous_domain_gets_the_matern_kernel_alone(family):
    assert kernel_for(of(0, 2), family, ard=False, trade_off=0.5) == MaternKernel(2, ard=False)


@pytest.mark.parametrize("family", ["categorical", "overlap", "heat"])
def test_a_mixed_domain_gets_both_and_the_trade_off(family):
    kernel = kernel_for(of(4, 2), family, ard=True, trade_off=0.25)
    assert kernel == MixedKernel(DISCRETE[family], MaternKernel(2), 0.25)


@pytest.mark.parametrize("family", ["categorical", "overlap", "heat"])
def test_only_the_heat_kernel_has_rates_for_a_part_of_single_choices(family):
    kernel = kernel_for(of(4, 2), family, ard=True, trade_off="orders")
    additive = HeatAndAdditive(HeatKernel(4)) if family == "heat" else None
    assert kernel == MixedKernel(DISCRETE[family], MaternKernel(2), "weights", additive)


@pytest.mark.parametrize("family", ["categorical", "heat"])
def test_lengthscales_may_be_separate_in_x_alone(family):
    kernel = kernel_for(of(4, 2), family, ard="continuous", trade_off=0.5)
    assert (dimension(kernel.discrete), dimension(kernel.continuous)) == (1, 2)
    assert dimension(kernel_for(of(4, 2), "one-hot", ard="continuous", trade_off=0.5)) == 3


def test_one_hot_columns_stand_beside_x_in_one_kernel():
    assert kernel_for(of(4, 2), "one-hot", ard=True, trade_off=0.5) == OneHotKernel(4, 2, columns=12)


def test_without_x_the_kernel_is_eq_1_itself_and_keeps_no_constant_of_eq_4():
    domain = of(4, 0)
    data = coded(domain, domain.draw(5, np.random.default_rng(0)))
    kernel, theta = kernel_for(domain, "categorical", ard=True, trade_off=0.5), np.full(4, 0.3)
    assert kernel.diagonal(theta) == pytest.approx(np.exp(0.3))
    np.testing.assert_allclose(kernel.forward(theta, data)[0], CategoricalKernel(4).forward(theta, data)[0])


def test_an_ordinal_variable_stands_beside_a_categorical_one_in_the_same_kernel():
    domain = Domain(np.array([3, 3]), (None, np.array([0.0, 0.5, 1.0])), ())
    points = domain.draw(9, np.random.default_rng(1))
    K = kernel_for(domain, "categorical", ard=True, trade_off=0.5).forward(np.array([1.0, 2.0]), coded(domain, points))[0]
    same = points.h[:, None, 0] == points.h[None, :, 0]
    near = 1 - np.abs(points.h[:, None, 1] - points.h[None, :, 1]) / 2
    np.testing.assert_allclose(K, np.exp((same * 1.0 + near * 2.0) / 2), rtol=1e-13)


@pytest.mark.parametrize(
    ("positions", "ordered"),
    [
        ((None, np.linspace(0, 1, 3), np.array([0.0, 1.0])), (1, 2)),
        ((None, np.array([0.0, 1.0]), np.array([0.0, 1.0])), ()),
        ((None, None, None), ()),
    ],
)
def test_smoothness_is_learnt_where_an_ordinal_has_more_than_two_values(positions, ordered):
    domain = Domain(np.array([3, *(3 if p is None else len(p) for p in positions[1:])]), positions, ())
    assert kernel_for(domain, "heat", ard=True, trade_off=0.5) == HeatKernel(3, True, ordered)


def test_no_module_outside_the_kernels_names_one():
    """Others see the interface (base, coding), the choice (select) and the split of the variance; a new kernel touches none."""
    package = Path(casmopolitan.__file__).parent
    kernels = package / "core" / "kernels"
    concrete = {path.stem for path in kernels.glob("*.py")} - {"__init__", "base", "coding", "select", "variance"}
    assert len(concrete) >= 8
    for path in package.rglob("*.py"):
        named = set(re.findall(r"core\.kernels\.(\w+)", path.read_text(encoding="utf-8")))
        assert path.parent == kernels or not named & concrete, path
