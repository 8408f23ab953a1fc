"""Kernels on points with inactive variables: distances by their definition, and no negative eigenvalue."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casmopolitan.core.conditions import with_centre
from casmopolitan.core.kernels.base import dimension
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.space import Categorical, Integer, Ordinal, Real, Space
from strategies import conditional_spaces, seeds

SPACE = Space(
    {
        "m": Categorical(["a", "b", "c"]),
        "choice": Categorical(list("pqrst"), when={"m": "a"}),
        "two": Categorical(["y", "n"], when={"m": ["a", "b"]}),
        "size": Ordinal([1, 2, 5], when={"m": "b"}),
        "pair": Integer(0, 1, when={"choice": "p"}),
        "x": Real(0.0, 1.0, when={"m": "c"}),
    }
)

FEW = settings(max_examples=25, deadline=None)


def distance(domain, j, a, b):
    """δ_j of two codes, by its definition."""
    n = domain.levels[j]
    if domain.positions[j] is not None:
        place = [*domain.positions[j], 0.5]
        return abs(place[a] - place[b])
    if a == b:
        return 0.0
    return 1 - n**-0.5 if n in (a, b) else 1.0


@FEW
@given(conditional_spaces(), seeds(), st.integers(1, 12))
def test_coded_distances_are_the_weighted_sums_of_the_distances_of_the_codes(space, seed, n):
    domain, rng = space.domain, np.random.default_rng(seed)
    w = rng.uniform(0.1, 2.0, domain.d_h)
    points, others = domain.draw(n, rng), domain.draw(5, rng)
    data = coded(domain, points)
    cases = ((data.distances(data.encode(others), w), others), (data.self_distances(w), points))
    for found, rows in cases:
        expected = [[sum(w[j] * distance(domain, j, a[j], b[j]) for j in range(domain.d_h)) for b in points.h] for a in rows.h]
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_changes_to_a_level_have_the_distances_of_the_codes():
    domain = SPACE.domain
    data = coded(domain, domain.draw(30, np.random.default_rng(0)))
    which = np.repeat(np.arange(domain.d_h), domain.levels)
    level = np.concatenate([np.arange(n) for n in domain.levels])
    found = data.level_distances(which, level)
    expected = [[distance(domain, j, a, h[j]) for h in data.points.h] for j, a in zip(which, level, strict=True)]
    np.testing.assert_allclose(found, expected, atol=1e-15)


KINDS = [("heat", "orders"), ("heat", 0.5), ("categorical", 0.5), ("overlap", 0.3), ("one-hot", 0.5)]


@FEW
@given(conditional_spaces(), seeds(), st.sampled_from(KINDS))
def test_no_kernel_has_a_negative_eigenvalue_on_conditional_points(space, seed, kind):
    domain, rng = space.domain, np.random.default_rng(seed)
    kernel = kernel_for(domain, kind[0], ard=True, trade_off=kind[1])
    theta = np.exp(rng.uniform(np.log(0.01), np.log(3.0), dimension(kernel)))
    K = kernel.forward(np.minimum(theta, 1.0) if kind[0] == "heat" else theta, coded(domain, domain.draw(25, rng)))[0]
    assert np.linalg.eigvalsh(K).min() >= -1e-10 * np.trace(K)


def test_the_centre_of_the_choices_would_make_the_additive_kernel_indefinite():
    """1 - δ with δ = (g - 1) / 2g to each of g choices, against δ = 1 - 1/√g."""
    for g in (2, 3, 7):
        for away, sound in (((g - 1) / (2 * g), False), (1 - g**-0.5, True)):
            K = np.eye(g + 1)
            K[g, :g] = K[:g, g] = 1 - away
            assert (np.linalg.eigvalsh(K).min() >= -1e-12) == sound


@pytest.mark.parametrize("seed", range(5))
def test_the_centre_of_described_choices_keeps_their_distances_of_negative_type(seed):
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((6, 3))
    t = with_centre(np.linalg.norm(z[:, None] - z, axis=2))
    assert np.allclose(t, t.T)
    assert (t[-1, :-1] > 0).all()
    for rate in (0.1, 1.0, 10.0):
        assert np.linalg.eigvalsh(np.exp(-rate * t)).min() >= -1e-12


def test_a_described_variable_may_be_conditional():
    table = {"a": [0.0], "b": [1.0], "c": [3.0]}
    space = Space({"m": Categorical(["u", "v"]), "s": Categorical(list("abc"), descriptors=table, when={"m": "u"})})
    domain = space.domain
    kernel = kernel_for(domain, "heat", ard=True, trade_off=0.5)
    K = kernel.forward(np.array([0.7, 1.3, 0.5]), coded(domain, domain.every_point()))[0]
    assert np.linalg.eigvalsh(K).min() > 0
    assert dict(domain.described)[1].shape == (4, 4)
