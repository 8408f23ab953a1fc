from __future__ import annotations

import numpy as np

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.limit_model import bilog, fit_limit
from casmopolitan.core.points import Axis, Points
from casmopolitan.presets import DEFAULT

LINE = Domain(np.empty(0, dtype=np.int64), (), (Axis(0.0, 1.0),))


def at(x):
    x = np.asarray(x, dtype=float)[:, None]
    return Points(np.empty((len(x), 0), dtype=np.int64), x)


def test_bilog_keeps_the_sign_and_compresses():
    s = np.array([-1e6, -1.0, -0.0, 0.0, 2.0])
    np.testing.assert_allclose(bilog(s), np.sign(s) * np.log(1.0 + np.abs(s)))


def test_the_limit_is_met_where_the_excess_is_below_zero_in_any_unit():
    x = np.linspace(0.0, 1.0, 15)
    for unit in (1e-6, 1.0, 1e9):
        excesses = unit * (x - 0.6)
        model = fit_limit(LINE, DEFAULT, at(x), excesses, excesses[:8], None, np.random.default_rng(0))
        assert model.met(at([0.1, 0.5, 0.57, 0.63, 0.9])).tolist() == [True, True, True, False, False]


def test_the_model_of_a_smooth_limit_passes_close_to_the_data():
    domain = Domain(np.array([3]), (None,), (Axis(0.0, 1.0), Axis(0.0, 1.0)))
    points = domain.draw(20, np.random.default_rng(0))
    excesses = 100.0 * ((points.h[:, 0] + 1.0) * points.x[:, 0] * (0.3 + points.x[:, 1]) - 0.8)
    model = fit_limit(domain, DEFAULT, points, excesses, excesses[:10], None, np.random.default_rng(0))
    misses = np.abs(model.posterior.moments(points)[0] - model.posterior.y)
    assert misses.max() < 3e-3


def test_excesses_that_are_all_equal_are_modelled():
    model = fit_limit(LINE, DEFAULT, at([0.1, 0.5]), np.array([3.0, 3.0]), np.array([3.0, 3.0]), None, np.random.default_rng(0))
    assert not model.met(at([0.1, 0.3])).any()
