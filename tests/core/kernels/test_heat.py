import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.fit import fit_lbfgs
from casmopolitan.core.gp.priors import freed_parameters
from casmopolitan.core.kernels.base import Data
from casmopolitan.core.kernels.categorical import CategoricalKernel
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.heat import HeatKernel
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis


def test_the_heat_kernel_is_the_categorical_one_with_its_diagonal_divided_out(domain, data):
    ell = np.random.default_rng(0).uniform(0.1, 3.0, domain.d_h)
    eq_1, heat = CategoricalKernel(domain.d_h), HeatKernel(domain.d_h)
    np.testing.assert_allclose(
        heat.forward(ell / domain.d_h, data)[0], eq_1.forward(ell, data)[0] / eq_1.diagonal(ell), rtol=1e-13
    )


def test_the_correlation_falls_to_nothing_as_the_rates_grow(domain, data):
    K = HeatKernel(domain.d_h, ard=False).forward(np.array([1e4]), data)[0]
    np.testing.assert_allclose(K[:13, :13], np.eye(13), atol=1e-100)


def test_a_rate_of_zero_ignores_its_variable(domain, data, candidates):
    rates = np.array([0.0] + [0.3] * (domain.d_h - 1))
    other = data.encode(candidates)
    moved = candidates.h.copy()
    moved[:, 0] = (moved[:, 0] + 1) % domain.levels[0]
    there = data.encode(type(candidates)(moved, candidates.x))
    kernel = HeatKernel(domain.d_h)
    np.testing.assert_allclose(kernel.cross(rates, other, data)[0], kernel.cross(rates, there, data)[0], rtol=1e-14)


@settings(max_examples=50, deadline=None)
@given(smoothness=st.floats(0, 1), rate=st.floats(0.01, 30), levels=st.integers(3, 30), seed=st.integers(0, 2**31))
def test_every_smoothness_between_none_and_all_gives_a_kernel(smoothness, rate, levels, seed):
    positions = np.sort(np.concatenate([[0.0, 1.0], np.random.default_rng(seed).random(levels - 2)]))
    domain = Domain(np.array([levels]), (positions,), ())
    K = HeatKernel(1, ordered=(0,)).forward(np.array([rate, smoothness]), coded(domain, domain.every_point()))[0]
    assert np.linalg.eigvalsh(K).min() > -1e-12 * levels


@pytest.mark.parametrize(("smoothness", "power"), [(0.0, 1), (1.0, 2)])
def test_the_ends_of_smoothness_are_the_exponential_and_the_gaussian_kernel(smoothness, power):
    domain = Domain(np.array([9]), (np.linspace(0, 1, 9),), ())
    K = HeatKernel(1, ordered=(0,)).forward(np.array([2.0, smoothness]), coded(domain, domain.every_point()))[0]
    p = np.linspace(0, 1, 9)
    np.testing.assert_allclose(K, np.exp(-2.0 * np.abs(p[:, None] - p) ** power), rtol=1e-13)


def test_smoothness_says_nothing_of_choices_without_an_order(domain, seen, candidates):
    unordered = Domain(domain.levels, (None,) * (domain.d_h - 1) + domain.positions[-1:], domain.axes)
    data, rates = coded(unordered, seen), np.full(domain.d_h, 0.3)
    rates[-1] = 0.0
    other = data.encode(candidates)
    smooth = HeatKernel(domain.d_h, ordered=(domain.d_h - 1,)).cross(np.append(rates, 0.8), other, data)[0]
    np.testing.assert_allclose(smooth, HeatKernel(domain.d_h).cross(rates, other, data)[0], rtol=1e-14)


@pytest.mark.parametrize("additive", [False, True])
def test_one_rate_for_all_variables_sums_over_them_once_in_a_whole_fit(monkeypatch, additive):
    domain, rng = Domain(np.full(20, 2), (None,) * 20, (Axis(0.0, 1.0),) * additive), np.random.default_rng(0)
    kernel, made = kernel_for(domain, "heat", ard="continuous", trade_off="orders"), []
    data, y = coded(domain, domain.draw(30, rng)), rng.standard_normal(30)
    real = Data.self_distances
    monkeypatch.setattr(Data, "self_distances", lambda self, w: made.append(w) or real(self, w))
    monkeypatch.setattr(Data, "weight_gradient", None)
    assert fit_lbfgs(kernel, freed_parameters(kernel, 20, domain.d_x), data, y).evaluations > 2
    assert len(made) == 1
