"""What every kernel promises: its formula, symmetry, positive semi-definiteness, and gradients."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casmopolitan.core.domain import Domain
from casmopolitan.core.kernels.base import Data, indexed
from casmopolitan.core.points import Axis, Points
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
        K = case.kernel.forward(case.theta, Data.of(domain, points))[0]
        assert np.linalg.eigvalsh(K).min() > -1e-12 * np.trace(K)


def test_one_name_belongs_to_each_hyper_parameter(case):
    assert len(set(case.kernel.names)) == len(case.kernel.names) == len(case.theta)


def test_relabelling_the_categories_changes_nothing(case, domain, data, seen, candidates):
    rng = np.random.default_rng(3)
    new_names = [
        rng.permutation(n) if positions is None else np.arange(n)
        for n, positions in zip(domain.levels, domain.positions, strict=True)
    ]

    def relabelled(points):
        h = np.stack([names[column] for names, column in zip(new_names, points.h.T, strict=True)], axis=1)
        return Points(h, points.x)

    other = Data.of(domain, relabelled(seen))
    K, cross = case.kernel.forward(case.theta, data)[0], case.kernel.cross(case.theta, data.encode(candidates), data)[0]
    np.testing.assert_allclose(case.kernel.forward(case.theta, other)[0], K, rtol=1e-12)
    np.testing.assert_allclose(case.kernel.cross(case.theta, other.encode(relabelled(candidates)), other)[0], cross, rtol=1e-12)


def test_the_gradient_by_hyper_parameters_is_the_slope_of_the_loss(case, data):
    S = np.random.default_rng(4).standard_normal((len(data), len(data)))
    S += S.T
    _, tape = case.kernel.forward(case.theta, data)
    gradient = case.kernel.backward(case.theta, data, tape, folded(S))
    slopes = central(lambda theta: float(np.vdot(S, case.kernel.forward(theta, data)[0])), case.theta)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-6 * np.abs(slopes).max(initial=0.0))


def test_backward_leaves_the_matrix_it_was_given_alone(case, data):
    W = folded(np.ones((len(data), len(data))))
    before = W.copy()
    _, tape = case.kernel.forward(case.theta, data)
    first = case.kernel.backward(case.theta, data, tape, W)
    assert np.array_equal(W, before)
    assert np.array_equal(case.kernel.backward(case.theta, data, tape, W), first)


def test_the_pull_on_the_inputs_is_the_slope_of_the_loss(case, data, candidates):
    V = np.random.default_rng(5).standard_normal((len(candidates), len(data)))
    rows = data.encode(candidates)
    _, tape = case.kernel.cross(case.theta, rows, data)
    pulled = case.kernel.pull(case.theta, rows, data, tape, V)

    def loss(x):
        return float(np.vdot(V, case.kernel.cross(case.theta, data.encode(Points(candidates.h, x)), data)[0]))

    slopes = central(loss, candidates.x)
    np.testing.assert_allclose(pulled, slopes, rtol=1e-6, atol=1e-6 * np.abs(slopes).max())


def test_the_pull_leaves_what_it_was_given_alone(case, data, candidates):
    rows, V = data.encode(candidates), np.ones((len(candidates), len(data)))
    _, tape = case.kernel.cross(case.theta, rows, data)
    first = case.kernel.pull(case.theta, rows, data, tape, V)
    assert (V == 1.0).all()
    assert np.array_equal(case.kernel.pull(case.theta, rows, data, tape, V), first)


def test_the_pull_at_a_datum_is_finite(case, data, seen):
    rows = data.encode(seen)
    _, tape = case.kernel.cross(case.theta, rows, data)
    pulled = case.kernel.pull(case.theta, rows, data, tape, np.ones((len(seen), len(data))))
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
    data = Data.of(domain, points)
    for name in ("categorical, ard", "heat, ard"):
        kernel, formula = type(cases[name].kernel)(len(levels)), cases[name].formula
        K, cross = kernel.forward(theta, data)[0], kernel.cross(theta, data.encode(others), data)[0]
        np.testing.assert_allclose(K, pairwise(domain, formula, theta, points, points), rtol=1e-12)
        np.testing.assert_allclose(cross, pairwise(domain, formula, theta, others, points), rtol=1e-12)


@pytest.mark.parametrize(("ard", "names"), [(True, ("rate[0]", "rate[1]")), (False, ("rate",))])
def test_names_are_numbered_only_where_each_variable_has_its_own(ard, names):
    assert indexed("rate", 2, ard) == names


def test_data_know_their_number_and_encode_others_in_their_own_columns(data, candidates):
    assert len(data) == 14
    assert data.encode(candidates).F.shape == (21, data.rows.F.shape[1])
