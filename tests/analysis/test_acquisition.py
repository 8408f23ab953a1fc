"""The slice through posterior and acquisition function."""

from __future__ import annotations

import numpy as np

import casmopolitan as cas
from casmopolitan.analysis.acquisition import acquisition_slice


def test_the_slice_is_in_the_users_units_and_its_peak_lies_in_the_box(tuned):
    seen = acquisition_slice(tuned, "learning rate")
    assert (seen.name, seen.log) == ("learning rate", True)
    assert np.allclose([seen.values[0], seen.values[-1]], [1e-5, 1e-1])
    assert seen.box[0] <= seen.values[seen.peak] <= seen.box[1]
    assert len(seen.observed) == len(seen.same) <= len(tuned.trials)
    assert seen.same.any()


def test_the_sign_of_a_maximisation_is_the_users():
    space = cas.Space({"x": cas.Real(0.0, 1.0)})
    found = [cas.Optimizer(space, seed=0, direction=direction) for direction in ("minimize", "maximize")]
    for sign, optimizer in zip((1.0, -1.0), found, strict=True):
        for k in range(6):
            optimizer.tell({"x": k / 6}, sign * (k - 2) ** 2)
    low, high = (acquisition_slice(optimizer) for optimizer in found)
    assert np.allclose(low.mean, -high.mean)
    assert np.allclose(low.acquisition, high.acquisition)
    assert (low.observed[:, 1] == -high.observed[:, 1]).all()
