"""The bowl against its formula, against dense algebra with the mean written out, and in the model that uses it."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.fit import fit_adam, fit_lbfgs, log_posterior
from casmopolitan.core.gp.likelihood import log_marginal_likelihood
from casmopolitan.core.gp.mean import CLEAR, Bowl, best_steepness, square_moments
from casmopolitan.core.gp.model import fit_model
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.points import Axis, Points
from casmopolitan.presets import DEFAULT, PAPER

ORDERED = [("mixed", "freed"), ("mixed", "paper"), ("continuous", "freed"), ("mixed", "one-hot"), ("ordinal", "freed")]


def bent(p, weight=3.0):
    """The problem's targets on top of a bowl of that steepness, and the bowl at the data."""
    phi = Bowl.of(p.domain)(p.points)
    return p.y + weight * phi, phi


def posterior_with_bowl(p):
    """Mixed data on a bowl, conditioned with it."""
    y, _ = bent(p)
    posterior = condition(p.domain, p.kernel, p.theta, p.points, y, Bowl.of(p.domain))
    assert posterior.steepness > 0
    return posterior


def searched(y, phi, covariance):
    """β by a search of its posterior density, the mean written out: log N(y; βφ, K̃) + log N(β; 0, 1), β >= 0."""

    def loss(beta):
        return -multivariate_normal.logpdf(y, beta * phi, covariance) + 0.5 * beta**2

    found = minimize_scalar(loss, bounds=(0.0, 20.0), method="bounded", options={"xatol": 1e-10})
    return found.x, -found.fun


AXES = {
    "real": Axis(0.0, 1.0),
    "integers": Axis(1.0, 5.0, 1.0),
    "integers on a log scale": Axis(1.0, 64.0, 1.0, log=True),
    "many integers": Axis(0.0, 1e6, 1.0),
    "a step that does not end at the bound": Axis(0.0, 1.0, 0.3),
}


@pytest.mark.parametrize("axis", AXES.values(), ids=AXES)
def test_the_moments_of_an_axis_are_those_of_random_points(axis):
    x = Domain(np.empty(0, dtype=np.int64), (), (axis,)).draw(400_000, np.random.default_rng(0)).x[:, 0]
    mean, variance = square_moments(axis)
    assert mean == pytest.approx(((x - 0.5) ** 2).mean(), rel=0.01)
    assert variance == pytest.approx(((x - 0.5) ** 2).var(), rel=0.02)


UNEVEN = np.array([0.0, 0.1, 0.5, 1.0])


def at(x, h=None):
    """Points with these x, and with these levels of h or with the first of one variable."""
    return Points(np.zeros((len(x), 1), dtype=np.int64) if h is None else np.array(h), np.array(x))


DOMAINS = {
    "a hundred real axes": Domain(np.array([3]), (None,), (AXES["real"],) * 100),
    "one": Domain(np.array([3]), (None,), (AXES["real"],)),
    "every kind of axis": Domain(np.array([3]), (None,), (*AXES.values(), Axis(0.0, 1.0, 1.0))),
    "ordinals": Domain(np.array([3, 4, 5, 2]), (None, UNEVEN, np.linspace(0, 1, 5), np.array([0.0, 1.0])), ()),
    "ordinals and axes": Domain(np.array([4, 3]), (UNEVEN, None), (AXES["real"], AXES["integers"])),
}


@pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS)
def test_over_the_domain_the_bowl_has_mean_zero_and_unit_variance_and_its_bottom_in_the_middle(domain):
    bowl, points = Bowl.of(domain), domain.draw(100_000, np.random.default_rng(0))
    assert bowl(points).mean() == pytest.approx(0.0, abs=0.02)
    assert bowl(points).std() == pytest.approx(1.0, abs=0.02)
    middle = [0 if p is None else int(np.argmin(np.abs(p - 0.5))) for p in domain.positions]
    assert bowl(at(np.full((1, domain.d_x), 0.5), [middle]))[0] <= bowl(points).min()


def test_a_real_axis_alone_is_the_formula():
    bowl = Bowl.of(Domain(np.array([2]), (None,), (Axis(-2.0, 2.0),) * 3))
    x = np.random.default_rng(0).random((5, 3))
    assert bowl(at(x)) == pytest.approx((((x - 0.5) ** 2).sum(axis=1) - 3 / 12) / np.sqrt(3 / 180))


def test_an_ordinal_alone_is_the_formula_and_a_move_changes_the_bowl_by_its_rise():
    domain = Domain(np.array([3, 4]), (None, UNEVEN), ())
    bowl, squares = Bowl.of(domain), (UNEVEN - 0.5) ** 2
    points = Points(np.array([[j % 3, j] for j in range(4)]), np.empty((4, 0)))
    assert bowl(points) == pytest.approx((squares - squares.mean()) / squares.std())
    for before, after in ((0, 2), (3, 1), (2, 2)):
        which, levels = np.array([1, 0]), (np.array([before, 2]), np.array([after, 0]))
        assert bowl.rise(which, *levels) == pytest.approx([bowl(points)[after] - bowl(points)[before], 0.0])


def test_two_values_are_both_extremes_and_make_no_bowl():
    switch, ends = Axis(0.0, 1.0, 1.0), np.array([0.0, 1.0])
    assert Bowl.of(Domain(np.array([2]), (None,), (switch, switch))) is None
    assert Bowl.of(Domain(np.array([2]), (None,), ())) is None
    assert Bowl.of(Domain(np.array([2, 2]), (None, ends), ())) is None
    bowl = Bowl.of(Domain(np.array([2]), (ends,), (switch, Axis(0.0, 1.0))))
    x = np.array([[0.0, 0.3], [1.0, 0.3], [0.5, 0.3]])
    assert np.ptp(bowl(at(x, [[0], [1], [1]]))) == 0.0
    assert not bowl.gradient(x)[:, 0].any()


def test_the_gradient_of_the_bowl_is_its_slope():
    bowl = Bowl.of(Domain(np.array([2]), (None,), (Axis(0.0, 1.0), Axis(1.0, 5.0, 1.0), Axis(1.0, 9.0, log=True))))
    x, step = np.random.default_rng(1).random((4, 3)), 1e-6
    for k in range(3):
        nudge = step * np.eye(3)[k]
        slope = (bowl(at(x + nudge)) - bowl(at(x - nudge))) / (2 * step)
        assert bowl.gradient(x)[:, k] == pytest.approx(slope, rel=1e-7, abs=1e-8)


@pytest.mark.parametrize(("by_y", "by_bowl", "expected"), [(6.0, 2.0, 2.0), (-6.0, 2.0, 0.0), (0.0, 0.0, 0.0)])
def test_steepness_is_shrunk_by_its_prior_and_never_a_dome(by_y, by_bowl, expected):
    assert best_steepness(by_y, by_bowl) == expected


@pytest.mark.parametrize(("by_y", "by_bowl", "expected"), [(3.9, 3.0, 0.0), (4.1, 3.0, 4.1 / 4.0), (-4.1, 3.0, 0.0)])
def test_a_clear_steepness_is_at_least_two_deviations_above_zero(by_y, by_bowl, expected):
    """The posterior of β is normal with mean by_y / (by_bowl + 1) and variance 1 / (by_bowl + 1)."""
    assert best_steepness(by_y, by_bowl, CLEAR) == expected


def test_a_clear_steepness_of_nan_stays_nan():
    assert np.isnan(best_steepness(float("nan"), 3.0, CLEAR))


def test_a_clear_steepness_is_zero_if_rounding_makes_the_precision_negative():
    assert best_steepness(1.0, -1.5, CLEAR) == 0.0


@pytest.mark.parametrize(("where", "model"), ORDERED)
@pytest.mark.parametrize("weight", [3.0, -3.0])
def test_the_likelihood_is_the_dense_one_at_the_best_steepness(problem, dense, where, model, weight):
    p = problem(where, model)
    y, phi = bent(p, weight)
    n = len(y)
    covariance = dense(p, p.points[:1])[:n, :n] + p.hyper.noise * np.eye(n)
    beta, value = searched(y, phi, covariance)
    assert log_marginal_likelihood(p.kernel, p.theta, p.data, y, phi)[0] == pytest.approx(value, rel=1e-8)
    posterior = condition(p.domain, p.kernel, p.theta, p.points, y, Bowl.of(p.domain))
    assert posterior.steepness == pytest.approx(beta, abs=1e-5)
    assert (posterior.steepness == 0.0) == (weight < 0)


@pytest.mark.parametrize(("where", "model"), ORDERED)
@pytest.mark.parametrize("weight", [3.0, -3.0])
def test_the_gradient_of_the_likelihood_follows_the_steepness(problem, where, model, weight):
    p = problem(where, model)
    y, phi = bent(p, weight)
    _, gradient = log_marginal_likelihood(p.kernel, p.theta, p.data, y, phi)
    for i in range(len(p.theta)):
        nudge = np.zeros_like(p.theta)
        nudge[i] = 1e-5 * p.theta[i]
        up, down = (log_marginal_likelihood(p.kernel, p.theta + s * nudge, p.data, y, phi)[0] for s in (1, -1))
        assert gradient[i] == pytest.approx((up - down) / (2 * nudge[i]), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize(("where", "model"), ORDERED)
def test_moments_are_the_dense_formulas_around_the_bowl(problem, dense, where, model):
    p = problem(where, model)
    (y, phi), n = bent(p), len(p.y)
    z = p.domain.draw(11, np.random.default_rng(5))
    K = dense(p, z)
    inverse = np.linalg.inv(K[:n, :n] + p.hyper.noise * np.eye(n))
    beta = phi @ inverse @ y / (phi @ inverse @ phi + 1)
    posterior = condition(p.domain, p.kernel, p.theta, p.points, y, Bowl.of(p.domain))
    mean, variance = posterior.moments(z)
    np.testing.assert_allclose(mean, beta * Bowl.of(p.domain)(z) + K[n:, :n] @ inverse @ (y - beta * phi), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(variance, np.diagonal(K[n:, n:] - K[n:, :n] @ inverse @ K[:n, n:]), rtol=1e-8, atol=1e-8)


def test_the_gradient_of_the_mean_in_x_holds_the_bowl(problem):
    p = problem("mixed", "freed")
    posterior = posterior_with_bowl(p)
    z, step = p.domain.draw(6, np.random.default_rng(2)), 1e-6
    gradient = posterior.rule_with_gradient(z, lambda mean, variance: (mean, np.ones(6), np.zeros(6)))[1]
    for k in range(2):
        up, down = (posterior.moments(Points(z.h, z.x + s * step * np.eye(2)[k]))[0] for s in (1, -1))
        assert gradient[:, k] == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-6)


def test_draws_are_around_the_bowl(problem):
    p = problem("mixed", "freed")
    posterior = posterior_with_bowl(p)
    z = p.domain.draw(5, np.random.default_rng(6))
    mean, variance = posterior.moments(z)
    draws = posterior.sample(z, 20_000, np.random.default_rng(7))
    assert draws.mean(axis=0) == pytest.approx(mean, abs=5 * float(np.sqrt(variance.max() / 20_000)))


def test_nan_is_no_steepness():
    assert np.isnan(best_steepness(float("nan"), 1.0))


def test_believing_keeps_the_steepness_and_meets_what_is_believed(problem):
    p = problem("mixed", "freed")
    posterior = posterior_with_bowl(p)
    pending = p.domain.draw(3, np.random.default_rng(3))
    mean, _ = posterior.moments(pending)
    believed = posterior.extended(pending, mean)
    assert believed.steepness == posterior.steepness
    z = p.domain.draw(9, np.random.default_rng(4))
    np.testing.assert_allclose(believed.moments(z)[0], posterior.moments(z)[0], rtol=1e-6, atol=1e-6)


def test_both_optimisers_fit_with_the_bowl_taken_out(problem):
    p = problem("mixed", "freed")
    y, phi = bent(p)
    plain, _ = log_posterior(p.kernel, p.parameters, p.parameters.start, p.data, y, phi)
    lbfgs = fit_lbfgs(p.kernel, p.parameters, p.data, y, phi=phi)
    adam = fit_adam(p.kernel, p.parameters, p.data, y, [p.parameters.start], phi=phi)
    for fit in (lbfgs, adam):
        assert fit.value > plain
        assert fit.value == pytest.approx(log_posterior(p.kernel, p.parameters, fit.theta, p.data, y, phi)[0], rel=1e-9)
    assert lbfgs.value > fit_lbfgs(p.kernel, p.parameters, p.data, y).value


CUBE = Domain(np.array([2] * 5), (None,) * 5, (Axis(0.0, 1.0),) * 40)


def model_of(config, sign=1.0, domain=CUBE):
    points = domain.draw(20, np.random.default_rng(0))
    y = sign * ((points.x - 0.4) ** 4).sum(axis=1)
    return fit_model(domain, config, points, y, y, None, np.random.default_rng(0))


def test_the_default_sees_from_the_initial_sample_that_the_middle_is_better():
    model = model_of(DEFAULT)
    h = np.zeros((2, 5), dtype=np.int64)
    middle, corner = model.predict(Points(h, np.array([[0.5] * 40, [1.0] * 40])))[0]
    assert model.posterior.steepness > 0.2
    assert middle < model.targets.invert(model.posterior.y, model.posterior.y)[0].min() < corner


def test_where_the_middle_is_no_better_there_is_no_bowl():
    for model in (model_of(DEFAULT, sign=-1.0), model_of(PAPER), model_of(replace(DEFAULT, mean="zero"))):
        assert model.posterior.bowl is None
        assert model.posterior.steepness == 0.0


def test_a_clear_bowl_is_left_out_where_the_data_hardly_show_it():
    clear = replace(DEFAULT, mean="clear-bowl")
    assert model_of(clear).posterior.steepness == model_of(DEFAULT).posterior.steepness > 0.2
    rng = np.random.default_rng(0)
    points, y = CUBE.draw(12, rng), rng.normal(size=12)
    some, none = (
        fit_model(CUBE, c, points, y, y, None, np.random.default_rng(0)).posterior.steepness for c in (DEFAULT, clear)
    )
    assert some > 0.1
    assert none == 0.0


def test_integers_of_few_values_have_a_bowl_too():
    domain = Domain(np.array([7] * 30), (np.linspace(0, 1, 7),) * 30, ())
    points = domain.draw(20, np.random.default_rng(0))
    y = ((points.h - 2.5) ** 2).sum(axis=1)
    model = fit_model(domain, DEFAULT, points, y, y, None, np.random.default_rng(0))
    middle, corner = model.predict(Points(np.array([[3] * 30, [6] * 30]), np.empty((2, 0))))[0]
    assert middle < y.min() < corner


def test_choices_alone_have_no_bowl():
    domain = Domain(np.array([3] * 6), (None,) * 6, ())
    points = domain.draw(15, np.random.default_rng(0))
    y = points.h.sum(axis=1).astype(float)
    assert fit_model(domain, DEFAULT, points, y, y, None, np.random.default_rng(0)).posterior.bowl is None
