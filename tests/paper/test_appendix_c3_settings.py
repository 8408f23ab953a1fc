"""App. C.3 and B.5: every number the paper gives for CASMOPOLITAN, against PAPER."""

from __future__ import annotations

import numpy as np
import pytest

from casmopolitan import PAPER
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.priors import parameters_for
from casmopolitan.core.gp.targets import transformed
from casmopolitan.core.kernels.matern import MaternKernel
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis
from casmopolitan.core.region.trust_region import initial

MIXED = Domain(np.full(50, 2), (None,) * 50, (Axis(-1.0, 1.0),) * 3)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("n_initial", 20),
        ("minimum_radius", 0),
        ("failure_tolerance", 40),
        ("success_tolerance", 2),
        ("success_margin", 0.0),
        ("factor", 1.5),
        ("noise_bounds", (1e-5, 0.1)),
        ("lengthscale_bounds", (0.01, 0.5)),
        ("outputscale_bounds", (0.5, 5.0)),
        ("targets", "initial"),
        ("ard", "continuous"),
        ("trade_off", 0.5),
        ("minimum_length", 0.5**7),
        ("maximum_length", 1.6),
        ("initial_length", 0.8),
        ("restart_exploration", 1.96),
        ("search", "interleaved"),
        ("search_start", "best"),
        ("search_steps", 100),
        ("search_runs", 3),
        ("fit", "adam"),
        ("fit_rate", 0.1),
        ("fit_steps", 100),
        ("fit_starts", 3),
        ("acquisition", "ei"),
        ("incumbent", "observed"),
        ("kernel", "categorical"),
        ("priors", "bounds"),
        ("data", "region"),
        ("trust_region", True),
        ("noisy", False),
    ],
)
def test_the_paper_says(setting, value):
    assert getattr(PAPER, setting) == value


@pytest.mark.parametrize(("d_h", "radius"), [(25, 20), (50, 40)])
def test_the_initial_radius_of_pest_and_ackley(d_h, radius):
    assert initial(Domain(np.full(d_h, 2), (None,) * d_h, ()), PAPER).radius == radius


def test_the_shrinking_rate_is_the_inverse_of_the_expansion_rate():
    assert 1 / PAPER.factor == pytest.approx(0.667, abs=1e-3)


def test_the_maximum_radius_is_the_number_of_variables():
    assert initial(MIXED, PAPER).radius <= MIXED.d_h


def test_the_continuous_kernel_is_matern_five_halves_and_lambda_a_half():
    kernel = kernel_for(MIXED, PAPER.kernel, ard=PAPER.ard, trade_off=PAPER.trade_off)
    assert isinstance(kernel.continuous, MaternKernel)
    assert kernel.trade_off == 0.5


def test_the_hyper_parameters_are_bounded_as_said():
    kernel = kernel_for(MIXED, PAPER.kernel, ard=PAPER.ard, trade_off=PAPER.trade_off)
    parameters = parameters_for(kernel, PAPER, MIXED.d_h, MIXED.d_x)
    assert set(zip(parameters.low[:-2], parameters.high[:-2], strict=True)) == {(0.01, 0.5)}
    assert (parameters.low[-2], parameters.high[-2]) == (0.5, 5.0)
    assert (parameters.low[-1], parameters.high[-1]) == (1e-5, 0.1)


def test_targets_are_standardised_by_the_initial_sample():
    y = np.random.default_rng(0).normal(3, 5, 60)
    t, _ = transformed(y, PAPER.targets, y[: PAPER.n_initial])
    assert t == pytest.approx((y - y[:20].mean()) / y[:20].std())


def test_continuous_inputs_are_normalised_to_the_unit_cube():
    axis = MIXED.axes[0]
    assert axis.unit(np.array([-1.0, 0.0, 1.0])).tolist() == [0.0, 0.5, 1.0]
