"""Theorem 3.3: β_i = 2 log( |H| i² π² / 6ζ ) at the i-th restart of a categorical problem."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import casmopolitan.core.restart as restart
from casmopolitan.config import Config
from casmopolitan.core.domain import Domain
from casmopolitan.core.search.eligibility import Eligibility

THEORY = replace(Config(), restart_exploration="theory", fit_steps=2, fit_starts=1)


@pytest.mark.parametrize("i", [1, 2, 7])
@pytest.mark.parametrize("levels", [[2, 3, 5], [2] * 25, [5] * 80])
def test_beta_is_the_formula(i, levels):
    domain = Domain(np.array(levels), (None,) * len(levels), ())
    size = math.prod(levels)
    beta = 2 * (math.log(size) + math.log(i**2 * math.pi**2 / (6 * restart.ZETA)))
    assert restart.root_beta(THEORY, domain, None, i) ** 2 == pytest.approx(beta)


@pytest.mark.parametrize("finished", [1, 3])
def test_at_the_ith_restart_d_star_has_i_minus_one_entries(finished, monkeypatch):
    seen = []
    monkeypatch.setattr(restart, "root_beta", lambda config, domain, model, i: seen.append((i, len(model.posterior.y))) or 1.0)
    domain = Domain(np.array([3, 3, 3]), (None,) * 3, ())
    rng = np.random.default_rng(0)
    regions = [restart.Finished(domain.draw(4, rng), rng.normal(size=4)) for _ in range(finished)]
    restart.next_centre(domain, THEORY, regions, Eligibility(domain, frozenset()), rng)
    assert seen == [(finished + 1, finished)]
