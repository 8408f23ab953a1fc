from dataclasses import replace

import numpy as np
import pytest

from casmopolitan.core.algorithm import local_model
from casmopolitan.core.ask import Ask
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp import fit as module
from casmopolitan.core.gp.fit import fit_adam
from casmopolitan.core.gp.model import Model, fit_model, nearest, overall_model
from casmopolitan.core.gp.posterior import Breakdown
from casmopolitan.core.gp.targets import FAR, NEAR
from casmopolitan.core.kernels.base import dimension
from casmopolitan.core.kernels.coding import Coding
from casmopolitan.core.points import Axis
from casmopolitan.presets import DEFAULT, PAPER
from runs import MIXED, QUICK, heard, run

DOMAIN = Domain(np.array([2, 3, 4]), (None,) * 3, (Axis(0.0, 1.0),) * 2)


@pytest.fixture(scope="module")
def observed():
    points = DOMAIN.draw(25, np.random.default_rng(0))
    return points, 100.0 + 30.0 * points.h[:, 1] + 20.0 * np.sin(3 * points.x[:, 0])


def model_of(observed, config=PAPER, seed=0, start=None):
    return fit_model(DOMAIN, config, *observed, observed[1][:20], start, np.random.default_rng(seed))


@pytest.mark.parametrize("fit", ["adam", "lbfgs"])
def test_a_model_predicts_its_own_data_in_the_users_units(observed, fit):
    model = model_of(observed, replace(PAPER, fit=fit))
    mean, deviation = model.predict(observed[0])
    assert np.corrcoef(mean, observed[1])[0, 1] > 0.98
    assert mean.mean() == pytest.approx(observed[1].mean(), rel=0.05)
    assert (deviation > 0).all()


def test_equal_arguments_give_equal_models(observed):
    first, second = model_of(observed), model_of(observed)
    assert np.array_equal(first.posterior.theta, second.posterior.theta)


def test_a_start_of_another_length_is_a_cold_start(observed):
    cold = model_of(observed, replace(PAPER, fit="lbfgs"))
    odd = model_of(observed, replace(PAPER, fit="lbfgs"), start=np.ones(2))
    assert np.array_equal(cold.posterior.theta, odd.posterior.theta)


def test_the_box_gets_one_lengthscale_a_continuous_variable_with_and_without_ard(observed):
    for ard in (True, False):
        assert model_of(observed, replace(PAPER, ard=ard)).lengthscales().shape == (2,)


@pytest.mark.parametrize(("d_h", "rates"), [(800, 800), (801, 1)])
def test_rates_of_too_many_variables_are_fitted_as_one(d_h, rates):
    domain = Domain(np.full(d_h, 2), (None,) * d_h, ())
    points = domain.draw(6, np.random.default_rng(0))
    model = fit_model(domain, DEFAULT, points, np.arange(6.0), np.arange(6.0), None, np.random.default_rng(0))
    assert dimension(model.posterior.kernel) == rates


def test_a_function_that_is_a_sum_is_predicted_once_every_part_has_been_seen():
    """Its rates are next to nothing and nearly all of its outputscale is a constant: a prior around 1 would not let it be."""
    domain, rng = Domain(np.full(20, 2), (None,) * 20, ()), np.random.default_rng(0)
    points, others, parts = domain.draw(60, rng), domain.draw(200, rng), rng.normal(size=20)
    y = points.h @ parts
    model = fit_model(domain, DEFAULT, points, y, y[:20], None, rng)
    np.testing.assert_allclose(model.predict(others)[0], others.h @ parts, atol=1e-3)
    assert model.posterior.hyperparameters.output_scale > 100


@pytest.mark.parametrize(("axes", "knee"), [((), FAR), ((Axis(0.0, 1.0),), NEAR)])
def test_bad_values_are_compressed_sooner_where_there_are_numbers(axes, knee):
    domain = Domain(np.array([3, 4]), (None, None), axes)
    points = domain.draw(8, np.random.default_rng(0))
    model = fit_model(domain, DEFAULT, points, np.arange(8.0), np.arange(8.0), None, np.random.default_rng(0))
    assert model.targets.knee == knee


def test_targets_that_are_not_finite_are_a_typed_outcome(observed):
    with np.errstate(invalid="ignore"):
        outcome = model_of((observed[0], np.full(25, np.nan)))
    assert outcome == Breakdown("the targets are not finite")


def test_one_observation_and_equal_observations_give_models(observed):
    points, _ = observed
    for n in (1, 2, 25):
        y = np.full(n, 3.0)
        assert isinstance(fit_model(DOMAIN, PAPER, points[:n], y, y, None, np.random.default_rng(0)), Model)


@pytest.mark.parametrize("count", [1, 3])
def test_adam_starts_from_the_last_fit_and_from_so_many_random_places(observed, monkeypatch, count):
    begun = []

    def watched(kernel, parameters, data, y, starts, *rest):
        begun.extend(starts)
        return fit_adam(kernel, parameters, data, y, starts, *rest)

    monkeypatch.setattr(module, "fit_adam", watched)
    last = model_of(observed, replace(PAPER, fit_steps=2)).posterior.theta
    begun.clear()
    model_of(observed, replace(PAPER, fit_steps=2, fit_starts=count), start=last)
    assert len(begun) == len({start.tobytes() for start in begun}) == count
    assert np.array_equal(begun[0], last)


def test_the_model_sees_the_best_and_the_nearest_when_data_exceed_its_capacity():
    rng = np.random.default_rng(0)
    points = DOMAIN.draw(200, rng)
    y = rng.normal(size=200)
    kept, values = nearest(points, y, 50)
    assert len(kept) == len(values) == 50
    assert set(np.sort(y)[:10]) <= set(values)
    centre = points[int(np.argmin(y))]
    away = (points.h != centre.h).mean(1) + ((points.x - centre.x) ** 2).mean(1)
    inside = np.isin(y, values)
    others = inside & ~np.isin(y, np.sort(y)[:10])
    assert away[others].max() <= away[~inside].min()
    assert nearest(points, y, 200)[0] is points


def test_unknown_places_are_expected_at_the_initial_samples_level_even_when_the_model_sees_other_data():
    config = replace(QUICK, kernel="heat", priors="freed", fit="lbfgs", targets="robust", capacity=6, failure_tolerance=50)
    state, _ = run(MIXED, config, 2, 24)
    model = local_model(Ask(MIXED, config, 2, state, 24))
    assert len(model.posterior.y) == 6
    level, _ = model.targets.invert(np.zeros(1), np.ones(1))
    assert level[0] == pytest.approx(np.median([o.value for o in state.observations[:4]]))


def test_the_model_of_everything_takes_the_level_of_unknown_places_from_the_design():
    """The values after the design are all far better: centred on them, unknown places would be expected to be so too."""
    domain, config = Domain(np.full(12, 3), (None,) * 12, ()), replace(DEFAULT, n_initial=6)
    points = domain.draw(40, np.random.default_rng(0))
    values = [*np.linspace(9.0, 11.0, 6), *np.linspace(-1.0, 1.0, 34)]
    model = overall_model(domain, config, 0, heard(domain, config, points, values))
    assert model.targets.invert(np.zeros(1), np.ones(1))[0][0] == pytest.approx(10.0)


def test_the_points_of_a_fit_are_coded_once(monkeypatch):
    domain, rng, made = Domain(np.full(6, 3), (None,) * 6, ()), np.random.default_rng(0), []
    points, y = domain.draw(15, rng), rng.standard_normal(15)
    real = Coding.of.__func__
    monkeypatch.setattr(Coding, "of", classmethod(lambda cls, *given: made.append(given) or real(cls, *given)))
    model = fit_model(domain, DEFAULT, points, y, y, None, rng)
    model.posterior.moments(points)
    assert len(made) == 1
