import math
from functools import reduce

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.stats import multivariate_normal

import casmopolitan as cas
from benchmarks.cell import initial_points
from benchmarks.peers import combo, load
from benchmarks.peers.combo import BETA, MEAN, NOISE, SIGNAL, Graphs, Posterior, log_prior, slice_step, swept

SMALL = cas.Space({"a": cas.Categorical(["p", "q", "r"]), "b": cas.Ordinal([1, 2, 4, 8]), "c": cas.Categorical([False, True])})


def edges_of_the_product(space):
    """Return all vertices in lexicographic order, and for each variable which pairs an edge of it joins."""
    h = space.domain.every_point().h
    gaps = np.abs(h[:, None] - h[None])
    joined = []
    for j, positions in enumerate(space.domain.positions):
        alone = (np.delete(gaps, j, axis=2) == 0).all(axis=2)
        joined.append(alone & (gaps[:, :, j] == 1 if positions is not None else gaps[:, :, j] > 0))
    return h, joined


def kernel(graphs, h, log_beta):
    return reduce(np.multiply, (graphs.factor(j, b)[np.ix_(h[:, j], h[:, j])] for j, b in enumerate(log_beta)))


def test_the_kernel_is_the_exponential_of_the_laplacian_of_the_product_graph():
    h, joined = edges_of_the_product(SMALL)
    beta = np.array([0.3, 1.7, 0.05])
    weighted = sum(b * edges for b, edges in zip(beta, joined, strict=True))
    diffusion = expm(weighted - np.diag(weighted.sum(axis=1)))
    assert kernel(Graphs(SMALL.domain), h, np.log(beta)) == pytest.approx(diffusion / np.diag(diffusion).mean(), abs=1e-12)


def test_neighbours_are_the_vertices_that_edges_join():
    h, joined = edges_of_the_product(SMALL)
    near, rows = Graphs(SMALL.domain).neighbours(h)
    expected = {(i, *h[k]) for i, k in zip(*np.nonzero(sum(joined)), strict=True)}
    assert {(row, *vertex) for row, vertex in zip(rows, near, strict=True)} == expected
    assert len(near) == len(expected)


def test_the_extremes_are_those_of_the_spectrum():
    h, _ = edges_of_the_product(SMALL)
    graphs = Graphs(SMALL.domain)
    spectrum = np.linalg.eigvalsh(kernel(graphs, h, np.zeros(3)))
    assert list(graphs.extremes()) == pytest.approx(np.log([spectrum.min(), spectrum.max()]))


def test_the_posterior_is_that_of_a_gaussian_process():
    h, _ = edges_of_the_product(SMALL)
    graphs, y = Graphs(SMALL.domain), np.random.default_rng(0).standard_normal(6)
    theta = np.array([0.4, math.log(2.0), math.log(0.1), -1.0, 0.5, 0.2])
    K = 2.0 * kernel(graphs, h, theta[BETA:])
    gain = K[:, :6] @ np.linalg.inv(K[:6, :6] + (0.1 + 2.0 * combo.JITTER) * np.eye(6))
    ((mean, variance),) = Posterior(graphs, [theta], h[:6], y).moments(h)
    assert mean == pytest.approx(0.4 + gain @ (y - 0.4), abs=1e-4)
    assert variance == pytest.approx(np.diag(K - gain @ K[:6]), abs=1e-4)


def test_the_slice_sampler_draws_from_a_known_density():
    """Of log v where v is a gamma variable of shape 3: skew, with mean ψ(3) and variance ψ'(3)."""
    rng, state, states = np.random.default_rng(0), 0.0, []
    for _ in range(6000):
        state = slice_step(lambda x: 3 * x - math.exp(x), state, rng)
        states.append(state)
    assert np.mean(states) == pytest.approx(0.9228, abs=0.06)
    assert np.std(states) == pytest.approx(math.sqrt(0.3949), abs=0.06)


def test_every_likelihood_of_a_sweep_is_that_of_the_hyperparameters(monkeypatch):
    graphs, rng = Graphs(SMALL.domain), np.random.default_rng(2)
    h, y = SMALL.domain.draw(10, rng).h, rng.standard_normal(10)
    exact, count = combo.log_likelihood, []

    def checked(K, theta, y):
        covariance = math.exp(theta[SIGNAL]) * (kernel(graphs, h, theta[BETA:]) + combo.JITTER * np.eye(10))
        covariance += math.exp(theta[NOISE]) * np.eye(10)
        density = multivariate_normal(np.full(10, theta[MEAN]), covariance).logpdf(y) + 5 * math.log(2 * math.pi)
        assert exact(K, theta, y) == pytest.approx(density)
        count.append(1)
        return density

    monkeypatch.setattr(combo, "log_likelihood", checked)
    theta = np.array([0.0, 0.0, -2.0, 0.0, 0.0, 0.0])
    for _ in range(3):
        before, theta = theta, swept(theta, graphs, h, y, rng)
        assert (theta != before).all()
    assert len(count) > 3 * len(theta)


def test_a_slice_step_stays_inside_the_support():
    rng, state = np.random.default_rng(1), 0.5
    for _ in range(300):
        state = slice_step(lambda x: 0.0 if 0 <= x <= 1 else -math.inf, state, rng)
        assert 0 <= state <= 1


def test_the_priors_are_proper_densities_of_the_papers_shape():
    y, extremes = np.array([-1.0, 3.0]), (-4.0, 2.0)

    def relative(place, a, b):
        return math.exp(log_prior(place, a, y, extremes) - log_prior(place, b, y, extremes))

    assert relative(MEAN, 1.0, 2.0) == pytest.approx(math.exp(0.5))
    assert log_prior(MEAN, 3.1, y, extremes) == -math.inf
    assert relative(SIGNAL, 1.0, 2.5) == pytest.approx(math.exp(0.5))
    # Densities of v and β themselves, times the derivative by the logarithm.
    assert relative(NOISE, math.log(0.1), math.log(0.2)) == pytest.approx(math.log(2) / math.log(1.25) * 0.5)
    assert relative(BETA, math.log(5), math.log(10)) == pytest.approx(math.log(3) / math.log(1.5) * 0.5)
    assert log_prior(BETA + 1, 5.0, y, extremes) == -math.inf


@pytest.fixture
def small_effort(monkeypatch):
    monkeypatch.setattr(combo, "VERTICES", 300)
    monkeypatch.setattr(combo, "BURN_IN", 20)
    monkeypatch.setattr(combo, "SAMPLES", 3)


@pytest.mark.usefixtures("small_effort")
def test_suggestions_lie_in_the_space_and_are_new():
    allowed = cas.Space(SMALL.variables, constraint=cas.Forbid({"a": "q", "b": 4}))
    tried = [(configuration, float(i)) for i, configuration in enumerate(allowed.sample(5, 0))]
    method = load("combo")(allowed, tried, 0)
    for count in (1, 3, 4):
        configurations = method.ask(count)
        assert len(configurations) == count
        for configuration in configurations:
            allowed.validate(configuration)
            assert configuration not in [known for known, _ in tried]
            tried.append((configuration, float(len(tried) % 4)))
        method.tell(configurations, [loss for _, loss in tried[-count:]])


@pytest.mark.usefixtures("small_effort")
def test_equal_losses_and_an_exhausted_space_are_no_problem():
    space = cas.Space({"a": cas.Categorical([0, 1]), "b": cas.Categorical([0, 1])})
    every = space.decode(space.domain.every_point())
    (configuration,) = load("combo")(space, [(c, 1.0) for c in every], 0).ask(1)
    assert configuration in every


def test_real_numbers_are_refused():
    with pytest.raises(SystemExit, match="categorical and ordinal"):
        load("combo")(cas.Space({"x": cas.Real(0.0, 1.0)}), [], 0)


@pytest.mark.usefixtures("small_effort")
def test_it_beats_random_search_on_a_problem_of_its_paper():
    problem = cas.problems.get("pest-25")
    found = {"combo": [], "random": []}
    for name, losses in found.items():
        for seed in range(2):
            initial = [(configuration, problem(configuration)) for configuration in initial_points(problem.space, seed)]
            method, best = load(name)(problem.space, initial, seed), min(loss for _, loss in initial)
            for _ in range(20):
                (configuration,) = method.ask(1)
                method.tell([configuration], [problem(configuration)])
                best = min(best, problem(configuration))
            losses.append(best)
    assert np.mean(found["combo"]) < np.mean(found["random"]) - 0.5
