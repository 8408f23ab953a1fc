from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from casmopolitan.core.ask import Ask
from casmopolitan.core.domain import Domain
from casmopolitan.core.models import local_model, overall_model
from casmopolitan.presets import DEFAULT
from runs import MIXED, QUICK, heard, run


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
