"""Sec. 4.4: each ablation differs from the paper in the named fields only."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from casmopolitan import ABLATIONS, PAPER
from casmopolitan.core.domain import Domain
from casmopolitan.core.gp.priors import parameters_for
from casmopolitan.core.kernels.coding import coded
from casmopolitan.core.kernels.onehot import OneHotKernel
from casmopolitan.core.kernels.overlap import OverlapKernel
from casmopolitan.core.kernels.select import configured_kernel, kernel_for
from casmopolitan.core.points import Points

DIFFERENCES = {
    "Naive": {"trust_region": False, "kernel": "one-hot"},
    "TR": {"kernel": "one-hot"},
    "Overlap": {"trust_region": False, "kernel": "overlap"},
    "CatKer": {"trust_region": False},
    "CatKer+TR": {},
}


def test_the_papers_five_are_all_there():
    assert set(ABLATIONS) == set(DIFFERENCES)


@pytest.mark.parametrize("name", DIFFERENCES)
def test_it_differs_in_the_named_fields_only(name):
    config = ABLATIONS[name]
    changed = {f.name: getattr(config, f.name) for f in fields(config) if getattr(config, f.name) != getattr(PAPER, f.name)}
    assert changed == DIFFERENCES[name]


@pytest.mark.parametrize("name", ["Naive", "TR"])
def test_the_one_hot_baselines_can_be_as_smooth_as_the_others(name):
    """App. C.3 adapts them from TuRBO, so that one ℓ of 125 columns reaches √125. Up to 0.5 no two points would correlate."""
    domain = Domain(np.full(25, 5), (None,) * 25, ())
    kernel = configured_kernel(domain, ABLATIONS[name])
    high = parameters_for(kernel, ABLATIONS[name], 25, 0).high[:1]
    assert high == pytest.approx(np.sqrt(125))
    pair = Points(np.array([[0] * 25, [1] + [0] * 24]), np.empty((2, 0)))
    assert kernel.forward(high, coded(domain, pair))[0][0, 1] > 0.98
    assert kernel.forward(np.array([0.5]), coded(domain, pair))[0][0, 1] < 0.04


@pytest.mark.parametrize(("name", "kind"), [("Naive", OneHotKernel), ("TR", OneHotKernel), ("Overlap", OverlapKernel)])
def test_it_uses_the_kernel_it_names(name, kind):
    domain = Domain(np.array([3, 4]), (None, None), ())
    config = ABLATIONS[name]
    assert isinstance(kernel_for(domain, config.kernel, ard=config.ard, trade_off=config.trade_off), kind)
