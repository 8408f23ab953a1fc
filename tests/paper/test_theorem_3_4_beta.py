"""Theorem 3.4: β_i = 2B + 300 γ_i log³(i/ζ), with B = 1 and γ = ½ log |I + σ⁻² K| over D*."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from casmopolitan.config import Config
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.model import fit_model
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.points import Axis
from casmopolitan.core.restart import ZETA, root_beta

CONFIG = replace(Config(), restart_exploration="theory", fit_steps=10, fit_starts=1)


@pytest.mark.parametrize("i", [2, 5, 9])
@pytest.mark.parametrize("d_h", [0, 3])
def test_beta_is_the_formula(i, d_h):
    domain = Domain(np.full(d_h, 3), (None,) * d_h, (Axis(0.0, 1.0),) * 2)
    rng = np.random.default_rng(i)
    points, y = domain.draw(i - 1, rng), rng.normal(size=i - 1)
    model = fit_model(domain, CONFIG, points, y, y, None, rng)
    theta, output_scale, noise = model.posterior.hyperparameters
    K = output_scale * model.posterior.kernel.forward(theta, coded(domain, points))[0]
    gain = 0.5 * np.linalg.slogdet(np.eye(i - 1) + K / noise)[1]
    beta = 2 * 1 + 300 * gain * math.log(i / ZETA) ** 3
    assert root_beta(CONFIG, domain, model, i) ** 2 == pytest.approx(beta, rel=1e-8)
