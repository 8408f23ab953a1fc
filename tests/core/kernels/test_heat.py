import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.fit import fit_lbfgs
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.gp.priors import freed_parameters
from casmopolitan.core.kernels.additive import HeatAndAdditive
from casmopolitan.core.kernels.base import Data
from casmopolitan.core.kernels.categorical import CategoricalKernel
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.heat import HeatKernel
from casmopolitan.core.kernels.matern import MaternKernel
from casmopolitan.core.kernels.mixed import MixedKernel
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis
from oracles import folded, slopes


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


def described(levels, which, seed, axes=()):
    """A domain whose variables `which` have random points of a plane as levels, and a third variable in order."""
    rng, distances = np.random.default_rng(seed), [None] * len(levels)
    for j in which:
        p = rng.standard_normal((levels[j], 2))
        distances[j] = np.linalg.norm(p[:, None] - p, axis=2)
    positions = tuple(np.linspace(0, 1, n) if j == 2 else None for j, n in enumerate(levels))
    return Domain(np.array(levels), positions, axes, distances=tuple(distances))


def in_loops(domain, theta, ordered, which, left, right):
    """k = exp(-Σ_j w_j d_j), pair by pair."""
    d_h, K = domain.d_h, np.empty((len(left), len(right)))
    w, lam, s = theta[:d_h], (theta[d_h] if ordered else 0.0), dict(zip(which, theta[len(theta) - len(which) :], strict=True))
    for i, a in enumerate(left.h):
        for k, b in enumerate(right.h):
            total = 0.0
            for j in range(d_h):
                p = domain.positions[j]
                delta = float(a[j] != b[j]) if p is None else abs(p[a[j]] - p[b[j]])
                d = (1 - lam) * delta + lam * delta**2
                if j in s:
                    d = (1 - s[j]) * delta + s[j] * domain.distances[j][a[j], b[j]]
                total += w[j] * d
            K[i, k] = np.exp(-total)
    return K


@settings(max_examples=30, deadline=None)
@given(share=st.floats(0, 1), seed=st.integers(0, 2**31), ordered=st.booleans(), both=st.booleans())
def test_described_choices_are_the_formula_in_loops_and_a_kernel(share, seed, ordered, both):
    which, rng = (0, 1) if both else (1,), np.random.default_rng(seed)
    domain = described([4, 5, 4], which, seed)
    kernel = HeatKernel(3, ordered=(2,) if ordered else (), described=which)
    theta = np.concatenate([rng.uniform(0.05, 2.0, 3), [0.4] * ordered, rng.uniform(0, 1, len(which) - 1), [share]])
    seen, other = domain.draw(15, rng), domain.draw(6, rng)
    data = coded(domain, seen)
    K = kernel.forward(theta, data)[0]
    np.testing.assert_allclose(K, in_loops(domain, theta, ordered, which, seen, seen), rtol=1e-12)
    assert np.linalg.eigvalsh(K).min() > -1e-12
    cross = kernel.cross(theta, data.encode(other), data)[0]
    np.testing.assert_allclose(cross, in_loops(domain, theta, ordered, which, other, seen), rtol=1e-12)


@pytest.mark.parametrize("additive", [False, True])
@pytest.mark.parametrize("ard", [True, False])
@pytest.mark.parametrize("ordered", [(), (2,)])
def test_the_gradient_by_the_share_of_descriptions_is_the_slope(ard, ordered, additive):
    domain, rng = described([4, 5, 4], (0, 1), 3, (Axis(0.0, 1.0),) * additive), np.random.default_rng(0)
    kernel = HeatKernel(3, ard, ordered, (0, 1))
    theta = np.concatenate([rng.uniform(0.1, 1.0, 3 if ard else 1), [0.4] * len(ordered), [0.3, 0.6]])
    if additive:
        kernel = MixedKernel(kernel, MaternKernel(1), "weights", HeatAndAdditive(kernel))
        theta = np.concatenate([theta, [0.5, 0.4, 0.3, 0.2, 0.6]])
    data = coded(domain, domain.draw(12, rng))
    S = rng.standard_normal((12, 12))
    S += S.T
    gradient = kernel.backward(theta, data, kernel.forward(theta, data)[1], folded(S))
    assert gradient == pytest.approx(slopes(kernel, theta, data, S), rel=1e-6, abs=1e-7)


def test_relabelling_described_choices_changes_nothing():
    domain, rng = described([4, 5, 4], (0, 1), 3), np.random.default_rng(0)
    names = [rng.permutation(4), rng.permutation(5), np.arange(4)]
    distances = list(domain.distances)
    for j in (0, 1):
        distances[j] = np.empty_like(domain.distances[j])
        distances[j][np.ix_(names[j], names[j])] = domain.distances[j]
    renamed = Domain(domain.levels, domain.positions, (), distances=tuple(distances))
    seen, theta = domain.draw(15, rng), np.array([0.3, 0.5, 0.2, 0.4, 0.7])
    moved = type(seen)(np.stack([names[j][seen.h[:, j]] for j in range(3)], axis=1), seen.x)
    kernel = HeatKernel(3, described=(0, 1))
    before, after = kernel.forward(theta, coded(domain, seen))[0], kernel.forward(theta, coded(renamed, moved))[0]
    np.testing.assert_allclose(before, after, rtol=1e-12)


def test_a_choice_that_was_never_tried_is_predicted_from_similar_ones():
    apart = np.abs(np.arange(5)[:, None] - np.arange(5)) / 2.0
    domain = Domain(np.array([5, 2]), (None, None), (), distances=(apart, None))
    points = domain.every_point()
    tried = points[points.h[:, 0] != 3]
    y = np.where(tried.h[:, 0] >= 4, -1.0, 1.0)  # good at the neighbour of level 3 only
    kernel = HeatKernel(2, described=(0,))
    posterior = condition(domain, kernel, np.array([1.0, 0.3, 0.9, 1.0, 1e-4]), tried, y)
    mean, _ = posterior.moments(points[points.h[:, 0] == 3])
    plain = condition(domain, HeatKernel(2), np.array([1.0, 0.3, 1.0, 1e-4]), tried, y)
    assert mean.max() < 0.2 < plain.moments(points[points.h[:, 0] == 3])[0].min()
