import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

import casmopolitan as cas
from benchmarks.peers import alebo
from embedded_branin import branin, space_of

SPACE = cas.Space({f"x{i}": cas.Real(-1.0, 1.0) for i in range(25)})


def data(n=12, d=3):
    rng = np.random.default_rng(0)
    Y = rng.standard_normal((n, d))
    theta = alebo.first_theta(d) + 0.3 * rng.standard_normal(d * (d + 1) // 2 + 2)
    return Y, np.sin(Y[:, 0]) + 0.3 * Y[:, 1], theta


def test_the_columns_of_the_embedding_lie_on_the_unit_sphere():
    method = alebo.start(SPACE, [], 0, "4")
    B = np.linalg.pinv(method.up)
    np.testing.assert_allclose(np.linalg.norm(B, axis=0), np.linalg.norm(B[:, 0]))
    np.testing.assert_allclose(np.linalg.norm(B[:, 0]), np.sqrt(3 * 4 / 25))


def test_the_kernel_is_the_gaussian_kernel_of_the_true_active_subspace():
    rng = np.random.default_rng(0)
    up, active, lengthscales = rng.standard_normal((9, 4)), rng.standard_normal((2, 9)), np.array([0.5, 2.0])
    Y, Z = rng.standard_normal((5, 4)), rng.standard_normal((6, 4))
    features = [(X @ up.T @ active.T) / lengthscales for X in (Y, Z)]
    gaussian = np.exp(-0.5 * ((features[0][:, None] - features[1][None]) ** 2).sum(axis=-1))
    np.testing.assert_allclose(alebo.kernel(Y, Z, up.T @ active.T / lengthscales), gaussian, rtol=1e-9)


def test_the_gradient_of_the_log_posterior_is_exact():
    Y, t, theta = data()
    numeric = approx_fprime(theta, lambda theta: alebo.log_posterior(theta, Y, t)[0], 1e-6)
    np.testing.assert_allclose(alebo.log_posterior(theta, Y, t)[1], numeric, rtol=1e-3, atol=1e-3)


def test_the_log_posterior_is_the_normal_density_and_the_prior():
    Y, t, theta = data()
    L, scale, noise = alebo.parts(theta, 3)
    away = Y[:, None] - Y[None]
    K = scale * np.exp(-0.5 * np.einsum("ijk,kl,ijl->ij", away, L @ L.T, away)) + noise * np.eye(len(Y))
    density = -0.5 * t @ np.linalg.inv(K) @ t - 0.5 * np.linalg.slogdet(K)[1] - 0.5 * 3 * (L**2).sum()
    assert alebo.log_posterior(theta, Y, t)[0] == pytest.approx(density)


def test_mean_and_variance_of_the_mixture_have_exact_gradients():
    Y, t, theta = data()
    posteriors = [alebo.Posterior(theta + shift, Y, t) for shift in (0.0, 0.1)]
    z = np.array([0.3, -0.2, 0.5])
    means, variances = np.array([p.moments(z[None])[:2] for p in posteriors])[:, :, 0].T
    mean, variance, by_z, variance_by_z = (part[0] for part in alebo.mixture(posteriors, z[None]))
    assert mean == pytest.approx(means.mean())
    assert variance == pytest.approx((variances + means**2).mean() - means.mean() ** 2)
    for index, gradient in ((0, by_z), (1, variance_by_z)):
        numeric = approx_fprime(z, lambda z, index=index: alebo.mixture(posteriors, z[None])[index][0], 1e-6)
        np.testing.assert_allclose(gradient, numeric, rtol=1e-3, atol=1e-5)


def test_draws_of_the_kernel_are_wider_where_the_data_say_less():
    rng = np.random.default_rng(1)
    Y = rng.standard_normal((40, 2)) * [1.0, 0.0]
    t = np.sin(2.0 * Y[:, 0])
    draws = alebo.laplace_draws(alebo.mode(Y, t, alebo.first_theta(2)), Y, t, rng)
    assert draws[:, 0].std() < 0.5 * draws[:, 2].std()
    assert (draws[:, -2:] == draws[0, -2:]).all()


def test_every_suggestion_lies_in_the_polytope_and_is_its_own_projection():
    space = cas.Space({f"x{i}": cas.Real(-1.0, 1.0) for i in range(8)})
    method = alebo.start(space, [], 0, "3")
    for count in (10, 1, 2, 1):
        configurations = method.ask(count)
        X = np.array([list(configuration.values()) for configuration in configurations])
        assert np.abs(method._pending @ method.up.T).max() <= 1.0 + 1e-12
        np.testing.assert_allclose(X, method._pending @ method.up.T, atol=1e-12)
        method.tell(configurations, (X[:, 0] - 1.0) ** 2)


@pytest.mark.parametrize("seed", range(3))
def test_it_finds_the_best_feasible_point_of_a_quadratic_function(seed):
    """The function depends on a plane of 20 dimensions. Its minimum over the polytope is computed by SLSQP."""
    space = cas.Space({f"x{i}": cas.Real(-1.0, 1.0) for i in range(20)})
    plane = np.linalg.qr(np.random.default_rng(0).standard_normal((20, 2)))[0]
    method = alebo.start(space, [], seed, "5")

    def quadratic(X):
        return ((X @ plane - [1.6, -1.2]) ** 2).sum(axis=-1)

    C = np.concatenate([method.up, -method.up])
    inside = {"type": "ineq", "fun": lambda y: 1.0 - C @ y}
    least = minimize(lambda y: quadratic(method.up @ y), np.zeros(5), method="SLSQP", constraints=inside).fun
    random = quadratic(method.feasible(20) @ method.up.T).min()
    losses = []
    for _ in range(20):
        configurations = method.ask(1)
        losses.append(quadratic(np.array([list(c.values()) for c in configurations]))[0])
        method.tell(configurations, losses[-1:])
    assert min(losses) - least < 0.2 * (random - least)


def test_most_embeddings_come_far_closer_to_the_optimum_of_branin_in_100_dimensions_than_random_search(monkeypatch):
    """A polytope of four dimensions contains no optimum in many cases, so the median is compared."""
    monkeypatch.setattr(alebo, "DRAWS", 4)
    space, found = space_of(100), []
    for seed in range(3):
        method, losses = alebo.start(space, [], seed, "4"), []
        for _ in range(30):
            configurations = method.ask(1)
            losses.append(branin(configurations[0]))
            method.tell(configurations, losses[-1:])
        found.append(min(losses))
    drawn = [min(map(branin, space.sample(30, seed))) for seed in range(3)]
    assert np.median(found) < 0.1 * np.median(drawn)
