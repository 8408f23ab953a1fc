from __future__ import annotations

import numpy as np
import pytest

from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.hyperparameters import paper_parameters
from casmopolitan.core.gp.posterior import condition
from casmopolitan.core.kernels.select import kernel_for
from casmopolitan.core.points import Axis, no_points, stack
from casmopolitan.core.search.believer import kriging_believer


@pytest.fixture
def posterior():
    rng = np.random.default_rng(0)
    domain = Domain(np.array([3, 4]), (None, None), (Axis(0.0, 1.0),))
    kernel = kernel_for(domain, "categorical", ard=True, trade_off=0.5)
    theta = paper_parameters(kernel).start
    return condition(domain, kernel, theta, domain.draw(9, rng), rng.standard_normal(9))


def test_nothing_pending_is_the_posterior_itself(posterior):
    assert kriging_believer(posterior, no_points(2, 1)) is posterior


def test_belief_is_conditioning_on_the_predicted_means_without_refitting(posterior):
    pending = posterior.domain.draw(3, np.random.default_rng(1))
    mean, before = posterior.moments(pending)
    believed = kriging_believer(posterior, pending)
    anew = condition(
        posterior.domain, posterior.kernel, posterior.theta, stack([posterior.points, pending]), np.append(posterior.y, mean)
    )
    where = posterior.domain.draw(20, np.random.default_rng(2))
    for one, two in zip(believed.moments(where), anew.moments(where), strict=True):
        assert one == pytest.approx(two, abs=1e-8)
    assert believed.theta.tolist() == posterior.theta.tolist()
    after = believed.moments(pending)
    assert after[0] == pytest.approx(mean, abs=1e-6)
    assert (after[1] < before).all()
