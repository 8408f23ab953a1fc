from itertools import product

import numpy as np
import pytest

import casmopolitan as cas
from benchmarks.peers import bocs, load

RNG = np.random.default_rng


def switches(d):
    return cas.Space({f"s{i}": cas.Categorical(["off", "on"]) for i in range(d)})


@pytest.mark.parametrize("shape", [(6, 3), (3, 5)])
@pytest.mark.parametrize("sampler", [bocs.coefficients_of_few, bocs.coefficients_of_many])
def test_given_the_shrinkage_both_samplers_draw_from_the_exact_posterior(sampler, shape):
    rng, draws = RNG(0), 8000
    F, y, scales, sigma2 = rng.standard_normal(shape), rng.standard_normal(shape[0]), rng.uniform(0.2, 3.0, shape[1]), 0.3
    covariance = sigma2 * np.linalg.inv(F.T @ F + np.diag(1 / scales))
    mean = covariance @ F.T @ y / sigma2
    sample = np.array([sampler(F, y, scales, sigma2, rng) for _ in range(draws)])
    deviation = np.sqrt(np.diag(covariance))
    assert np.abs((sample.mean(axis=0) - mean) / deviation).max() < 5 / np.sqrt(draws)
    assert np.abs((np.cov(sample.T) - covariance) / np.outer(deviation, deviation)).max() < 10 / np.sqrt(draws)


def test_the_fast_sampler_is_for_more_coefficients_than_data(monkeypatch):
    for name in ("coefficients_of_few", "coefficients_of_many"):
        monkeypatch.setattr(bocs, name, lambda F, *rest, name=name: name)
    assert bocs.coefficients(np.zeros((3, 3)), None, None, None, None) == "coefficients_of_few"
    assert bocs.coefficients(np.zeros((3, 4)), None, None, None, None) == "coefficients_of_many"


def test_the_chain_has_the_moments_of_the_horseshoe_posterior():
    """The oracle integrates β₁, β₂ and τ on a grid, σ² and α in closed form."""
    F = np.array([[1.0, 0], [1, 1], [0, 1], [0, 0], [1, 0], [0, 1]])
    F -= F.mean(axis=0)
    y = F @ [1.5, -0.3] + 0.4 * RNG(2).standard_normal(6)
    y -= y.mean()
    u = np.linspace(-12, 12, 73)
    weights = np.exp(u) / (1 + np.exp(2 * u))  # the half-Cauchy density of e^u times its Jacobian
    one, two, tau = np.exp(2 * np.stack(np.meshgrid(u, u, u, indexing="ij")))
    scales = np.stack([one * tau, two * tau], axis=-1).reshape(-1, 2)
    A = F.T @ F + np.eye(2) / scales[:, None, :]
    mean = np.linalg.solve(A, np.broadcast_to(F.T @ y, (len(A), 2))[..., None])[..., 0]
    rest = y @ y - mean @ (F.T @ y)
    evidence = np.einsum("i,j,k->ijk", weights, weights, weights).ravel()
    evidence *= (np.linalg.det(A) * scales.prod(axis=1)) ** -0.5 * rest ** (-(len(y) - 1) / 2)
    evidence /= evidence.sum()

    rng, chain, seen = RNG(0), bocs.Chain(np.zeros(2), np.ones(2), np.ones(2)), []
    for _ in range(12_000):
        chain = bocs.gibbs_step(chain, F, y, rng)
        seen.append([*chain.alpha, 1 / chain.sigma2])
    found = np.mean(seen[100:], axis=0)
    assert found[:2] == pytest.approx(evidence @ mean, abs=0.03)
    assert found[2] == pytest.approx(evidence @ ((len(y) - 1) / rest), rel=0.05)


def test_the_quadratic_form_is_the_regression():
    rng, X = RNG(0), np.array(list(product([0.0, 1.0], repeat=4)))
    alpha = rng.standard_normal(10)
    linear, pairs = bocs.quadratic(alpha, 4)
    assert X @ linear + 0.5 * np.einsum("ni,ij,nj->n", X, pairs, X) == pytest.approx(bocs.features(X) @ alpha)


@pytest.mark.parametrize("seed", range(5))
def test_annealing_finds_the_least_point_of_a_quadratic(seed):
    rng, X = RNG(seed), np.array(list(product([0.0, 1.0], repeat=10)))
    alpha = rng.standard_normal(55)
    values = bocs.features(X) @ alpha
    found = bocs.anneal(*bocs.quadratic(alpha, 10), rng)
    assert found.shape == (bocs.RESTARTS, 10)
    assert (bocs.features(found) @ alpha).min() == pytest.approx(values.min())


def test_a_tried_least_point_gives_way_to_its_least_neighbour():
    linear, pairs, point = np.array([-1.0, 0.1, 0.5]), np.zeros((3, 3)), np.array([[1.0, 0, 0]])
    tried = {point[0].tobytes()}
    assert bocs.least_untried(point, linear, pairs, tried, RNG(0)).tolist() == [1, 1, 0]
    assert bocs.least_untried(point, linear, pairs, set(), RNG(0)).tolist() == [1, 0, 0]


def test_no_point_is_suggested_twice_until_all_are_tried(monkeypatch):
    monkeypatch.setattr(bocs, "STEPS", 5)
    space = cas.Space(
        {
            "a": cas.Categorical([None, True]),
            "b": cas.Ordinal([8, 64]),
            "c": cas.Integer(3, 4),
            "d": cas.Categorical(["x", "y"]),
        }
    )
    initial = [(configuration, 1.0) for configuration in space.sample(1, 0)]
    method, seen = load("bocs")(space, initial, 0), [initial[0][0]]
    for count in (1, 4, 10):
        configurations = method.ask(count)
        for configuration in configurations:
            space.validate(configuration)
            assert configuration not in seen
            seen.append(configuration)
        method.tell(configurations, [float(c["c"] + (c["a"] is None)) for c in configurations])
    assert len(seen) == 16
    assert method.ask(1)[0] in seen


def test_it_finds_the_optimum_of_a_quadratic_programme_where_random_search_does_not(monkeypatch):
    monkeypatch.setattr(bocs, "STEPS", 100)
    problem = cas.problems.get("bqp-10")
    for seed in (0, 1):
        best = {}
        for name in ("bocs", "random"):
            tried = [(configuration, problem(configuration)) for configuration in problem.space.sample(20, seed)]
            method = load(name)(problem.space, tried, seed)
            for _ in range(30):
                (configuration,) = method.ask(1)
                tried.append((configuration, problem(configuration)))
                method.tell([configuration], [tried[-1][1]])
            best[name] = min(value for _, value in tried)
        assert best["bocs"] == pytest.approx(problem.optimum.value)
        assert best["random"] > best["bocs"] + 0.1


@pytest.mark.parametrize("variable", [cas.Categorical([1, 2, 3]), cas.Real(0.0, 1.0), cas.Integer(0, 2)])
def test_anything_but_binary_variables_is_refused(variable):
    with pytest.raises(SystemExit, match="binary variables only"):
        load("bocs")(cas.Space({"a": cas.Categorical([0, 1]), "b": variable}), [], 0)
