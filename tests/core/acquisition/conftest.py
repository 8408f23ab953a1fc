"""A posterior over three categories of choices and two coordinates."""

from __future__ import annotations

import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.hyperparameters import paper_parameters
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis


@pytest.fixture
def domain():
    return Domain(np.array([3, 4]), (None, None), (Axis(0.0, 1.0), Axis(0.0, 1.0)))


@pytest.fixture
def posterior(domain):
    rng = np.random.default_rng(3)
    kernel = kernel_for(domain, "categorical", ard=True, trade_off=0.5)
    theta = paper_parameters(kernel).start.copy()
    theta[:4] = [0.4, 0.3, 0.3, 0.5]
    points = domain.draw(12, rng)
    return condition(domain, kernel, theta, points, rng.standard_normal(12))
