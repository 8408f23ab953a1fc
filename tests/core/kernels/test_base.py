"""What every kernel promises: its formula, symmetry, positive semi-definiteness, and gradients."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casmopolitan.core.acquisition.acquisition import Score
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.fit import fit_lbfgs, log_posterior
from casmopolitan.core.gp.hyperparameters import paper_parameters
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.gp.priors import freed_parameters
from casmopolitan.core.kernels.base import Block, Kernel, Role, dimension, placed, quadratic_forms
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.points import Axis, Points
from casmopolitan.core.search.neighbours import Neighbours
from oracles import folded


def central(f, at, step=1e-5):
    """Central differences of a scalar function by every entry of an array."""
    slopes = np.empty_like(at)
    for i in np.ndindex(at.shape):
        up, down = at.copy(), at.copy()
        up[i] += step
        down[i] -= step
        slopes[i] = (f(up) - f(down)) / (2 * step)
    return slopes


def test_the_matrix_over_the_data_is_the_formula_in_loops(case, domain, data, seen, pairwise):
    expected = pairwise(domain, case.formula, case.theta, seen, seen)
    np.testing.assert_allclose(case.kernel.forward(case.theta, data)[0], expected, rtol=0, atol=1e-13 * expected.max())


def test_the_cross_matrix_is_the_formula_in_loops_whatever_levels_the_candidates_have(
    case, domain, data, seen, candidates, pairwise
):
    expected = pairwise(domain, case.formula, case.theta, candidates, seen)
    cross = case.kernel.cross(case.theta, data.encode(candidates), data)[0]
    np.testing.assert_allclose(cross, expected, rtol=0, atol=1e-13 * expected.max())


def test_the_matrix_is_symmetric_and_its_diagonal_is_the_kernels_own(case, data):
    K = case.kernel.forward(case.theta, data)[0]
    np.testing.assert_allclose(K, K.T, rtol=1e-13)
    np.testing.assert_allclose(np.diagonal(K), case.kernel.diagonal(case.theta), rtol=1e-14)


def test_the_cross_matrix_at_the_data_is_their_own_matrix(case, data, seen):
    cross = case.kernel.cross(case.theta, data.encode(seen), data)[0]
    np.testing.assert_allclose(cross, case.kernel.forward(case.theta, data)[0], rtol=1e-12)


def test_no_eigenvalue_of_the_matrix_is_negative(case, domain):
    for seed in range(3):
        points = domain.draw(40, np.random.default_rng(seed))
        K = case.kernel.forward(case.theta, coded(domain, points))[0]
        assert np.linalg.eigvalsh(K).min() > -1e-12 * np.trace(K)


def test_the_blocks_cover_every_hyper_parameter_once(case):
    assert dimension(case.kernel) == len(case.theta)
    places = [where for _, where in placed(case.kernel.blocks)]
    assert np.array_equal(np.concatenate([np.empty(0), *(case.theta[where] for where in places)]), case.theta)


def test_folding_keeps_sums_over_pairs_and_quadratic_forms():
    rng = np.random.default_rng(2)
    S, F = rng.standard_normal((9, 9)), rng.standard_normal((9, 4))
    S += S.T
    W = folded(S)
    assert np.array_equal(W, np.triu(W))
    assert W.sum() == pytest.approx(S.sum(), rel=1e-12)
    np.testing.assert_allclose(quadratic_forms(W, F), [f @ S @ f for f in F.T], rtol=1e-12)
    np.testing.assert_allclose(quadratic_forms(W, np.asfortranarray(F)[:, ::2]), [f @ S @ f for f in F.T[::2]], rtol=1e-12)


def test_quadratic_forms_of_no_columns_are_none():
    assert quadratic_forms(np.eye(3), np.empty((3, 0))).shape == (0,)


def test_relabelling_the_categories_changes_nothing(case, domain, data, seen, candidates):
    rng = np.random.default_rng(3)
    new_names = [
        rng.permutation(n) if positions is None else np.arange(n)
        for n, positions in zip(domain.levels, domain.positions, strict=True)
    ]

    def relabelled(points):
        h = np.stack([names[column] for names, column in zip(new_names, points.h.T, strict=True)], axis=1)
        return Points(h, points.x)

    other = coded(domain, relabelled(seen))
    K, cross = case.kernel.forward(case.theta, data)[0], case.kernel.cross(case.theta, data.encode(candidates), data)[0]
    np.testing.assert_allclose(case.kernel.forward(case.theta, other)[0], K, rtol=1e-12)
    np.testing.assert_allclose(case.kernel.cross(case.theta, other.encode(relabelled(candidates)), other)[0], cross, rtol=1e-12)


def test_the_gradient_by_hyper_parameters_is_the_slope_of_the_loss(case, data):
    S = np.random.default_rng(4).standard_normal((len(data), len(data)))
    S += S.T
    _, kept = case.kernel.forward(case.theta, data)
    gradient = case.kernel.backward(case.theta, data, kept, folded(S))
    slopes = central(lambda theta: float(np.vdot(S, case.kernel.forward(theta, data)[0])), case.theta)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-6 * np.abs(slopes).max(initial=0.0))


def test_backward_leaves_the_matrix_it_was_given_alone(case, data):
    W = folded(np.ones((len(data), len(data))))
    before = W.copy()
    _, kept = case.kernel.forward(case.theta, data)
    first = case.kernel.backward(case.theta, data, kept, W)
    assert np.array_equal(W, before)
    assert np.array_equal(case.kernel.backward(case.theta, data, kept, W), first)


def test_the_pull_on_the_inputs_is_the_slope_of_the_loss(case, data, candidates):
    V = np.random.default_rng(5).standard_normal((len(candidates), len(data)))
    rows = data.encode(candidates)
    _, kept = case.kernel.cross(case.theta, rows, data)
    pulled = case.kernel.pull(case.theta, rows, data, kept, V)

    def loss(x):
        return float(np.vdot(V, case.kernel.cross(case.theta, data.encode(Points(candidates.h, x)), data)[0]))

    slopes = central(loss, candidates.x)
    np.testing.assert_allclose(pulled, slopes, rtol=1e-6, atol=1e-6 * np.abs(slopes).max())


def test_the_pull_leaves_what_it_was_given_alone(case, data, candidates):
    rows, V = data.encode(candidates), np.ones((len(candidates), len(data)))
    _, kept = case.kernel.cross(case.theta, rows, data)
    first = case.kernel.pull(case.theta, rows, data, kept, V)
    assert (V == 1.0).all()
    assert np.array_equal(case.kernel.pull(case.theta, rows, data, kept, V), first)


def test_the_pull_at_a_datum_is_finite(case, data, seen):
    rows = data.encode(seen)
    _, kept = case.kernel.cross(case.theta, rows, data)
    pulled = case.kernel.pull(case.theta, rows, data, kept, np.ones((len(seen), len(data))))
    assert pulled.shape == seen.x.shape
    assert np.isfinite(pulled).all()


@settings(max_examples=25, deadline=None)
@given(
    levels=st.lists(st.integers(1, 5), min_size=1, max_size=5),
    ordered=st.lists(st.booleans(), min_size=5, max_size=5),
    n=st.integers(1, 8),
    seed=st.integers(0, 2**31),
)
def test_any_domain_gives_formula_matrices_for_any_data(pairwise, cases, levels, ordered, n, seed):
    rng = np.random.default_rng(seed)
    positions = tuple(
        np.sort(np.concatenate([[0.0, 1.0], rng.random(count - 2)])) if order and count > 2 else None
        for count, order in zip(levels, ordered, strict=False)
    )
    domain = Domain(np.array(levels), positions, (Axis(0.0, 1.0),))
    theta = rng.uniform(0.1, 2.0, len(levels))
    points, others = domain.draw(n, rng), domain.draw(6, rng)
    data = coded(domain, points)
    for name in ("categorical, ard", "heat, ard"):
        kernel, formula = type(cases[name].kernel)(len(levels)), cases[name].formula
        K, cross = kernel.forward(theta, data)[0], kernel.cross(theta, data.encode(others), data)[0]
        np.testing.assert_allclose(K, pairwise(domain, formula, theta, points, points), rtol=1e-12)
        np.testing.assert_allclose(cross, pairwise(domain, formula, theta, others, points), rtol=1e-12)


@pytest.mark.parametrize(("ard", "size", "shared_by"), [(True, 4, 1), (False, 1, 4)])
def test_a_block_has_one_entry_per_variable_or_one_for_all(ard, size, shared_by):
    assert Block.per_variable(Role.RATE, 4, ard) == Block(Role.RATE, size, shared_by)


def test_data_know_their_number_and_encode_others_in_their_own_columns(data, candidates):
    assert len(data) == 14
    assert data.encode(candidates).F.shape == (21, data.rows.F.shape[1])


@dataclass(frozen=True)
class RationalKernel(Kernel):
    """k(h, h') = 1 / (1 + Σ_j w_j δ_j), a mixture of heat kernels. No other module knows it."""

    d_h: int

    @property
    def blocks(self):
        return (Block(Role.DISCRETE_LENGTHSCALE, self.d_h),)

    def forward(self, theta, data):
        K = 1 / (1 + data.self_distances(theta))
        return K, K

    def backward(self, theta, data, kept, W):
        return -data.weight_gradient(W * kept**2)

    def cross(self, theta, rows, data):
        return 1 / (1 + data.distances(rows, theta)), None


@dataclass(frozen=True)
class LaplaceKernel(Kernel):
    """k(h, h') = exp(-Σ_j w_j δ_j) with the factors of a table of changes. No other module knows it."""

    d_h: int

    @property
    def blocks(self):
        return (Block(Role.RATE, self.d_h),)

    def forward(self, theta, data):
        K = np.exp(-data.self_distances(theta))
        return K, K

    def backward(self, theta, data, kept, W):
        return -data.weight_gradient(W * kept)

    def cross(self, theta, rows, data):
        return np.exp(-data.distances(rows, theta)), None

    def factors(self, theta, data, which, level):
        return np.exp(-theta[which][:, None] * data.level_distances(which, level))


@pytest.mark.parametrize("kind", [RationalKernel, LaplaceKernel])
@pytest.mark.parametrize("make", [paper_parameters, lambda kernel: freed_parameters(kernel, 3, 0)])
def test_a_kernel_of_one_class_is_fitted_predicts_and_searches_neighbours(kind, make):
    domain, rng = Domain(np.full(3, 3), (None,) * 3, ()), np.random.default_rng(0)
    points = domain.draw(24, rng)
    y = 1.0 * points.h[:, 0] + 0.3 * (points.h[:, 1] == 2)
    y = (y - y.mean()) / y.std()
    kernel, data = kind(3), coded(domain, points)
    parameters = make(kernel)
    value, gradient = log_posterior(kernel, parameters, parameters.start, data, y)
    slopes = central(lambda at: log_posterior(kernel, parameters, np.exp(at), data, y)[0], np.log(parameters.start))
    np.testing.assert_allclose(gradient, slopes, rtol=1e-4, atol=1e-5)
    fit = fit_lbfgs(kernel, parameters, data, y)
    assert fit.value > value
    posterior = condition(domain, kernel, fit.theta, points, y)
    everywhere = domain.every_point()
    assert np.corrcoef(posterior.moments(everywhere)[0], everywhere.h[:, 0])[0, 1] > 0.9
    score = Score(posterior, lambda mean, variance: (-mean, -mean, variance))
    near = Neighbours.of(score, rng)
    assert (near.changes[0].table is not None) == (kind is LaplaceKernel)
    start = everywhere[[5, 20]]
    values = near.values(start, start.h[:, near.moves.which] != near.moves.level)
    for row, move in zip(*np.nonzero(np.isfinite(values)), strict=True):
        h = start.h[[row]].copy()
        h[0, near.moves.which[move]] = near.moves.level[move]
        assert values[row, move] == pytest.approx(score(Points(h, start.x[[row]]))[0], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    "name", ["heat, ard", "smooth heat, shared", "mixed heat orders, ard", "mixed smooth heat weights, shared"]
)
def test_a_table_of_changes_gives_the_covariances_of_the_changed_points(cases, data, candidates, name):
    case, which = cases[name], np.repeat(np.arange(8), 2)
    level = np.array([0, 2, 1, 4, 0, 3, 0, 6, 1, 4, 0, 1, 0, 1, 0, 5])
    start = Points(np.tile(level[::2], (3, 1)), candidates.x[:3])
    table = case.kernel.change_table(case.theta, data, which, level, 2.5)
    at, new = np.repeat(np.arange(3), 16), np.tile(np.arange(16), 3)
    K = table.covariances(case.kernel.cross(case.theta, data.encode(start), data), at, 2 * (new // 2), new)
    changed = start.h[at]
    changed[np.arange(48), which[new]] = level[new]
    expected = case.kernel.cross(case.theta, data.encode(Points(changed, start.x[at])), data)[0]
    np.testing.assert_allclose(K, 2.5 * expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["overlap", "categorical, ard", "one-hot, ard", "mixed 0.5, ard", "mixed overlap"])
def test_a_kernel_without_factors_has_no_table(cases, data, name):
    case, one = cases[name], np.zeros(1, dtype=np.int64)
    assert case.kernel.change_table(case.theta, data, one, one, 1.0) is None
