"""Assumption 3.2 bounds the last region before a restart by ⌈(L_min + 1)/α_s⌉ - 1: shrinking has to floor."""

from __future__ import annotations

import math

import pytest

from casmopolitan.config import Config
from casmopolitan.core.region.trust_region import TrustRegion, exhausted, shrunk

CONFIG = Config()


@pytest.mark.parametrize("first", range(1, 61))
def test_the_last_radius_in_use_is_within_the_bound(first):
    region = TrustRegion(first, None)
    last = first
    while not exhausted(region, CONFIG):
        last, region = region.radius, shrunk(region, CONFIG)
    alpha_s = 1 / CONFIG.factor
    assert last <= math.ceil((CONFIG.minimum_radius + 1) / alpha_s) - 1 == 1


def test_from_twenty_the_radii_are_those_of_floor():
    radii, region = [], TrustRegion(20, None)
    while True:
        radii.append(region.radius)
        if exhausted(region, CONFIG):
            break
        region = shrunk(region, CONFIG)
    assert radii == [20, 13, 8, 5, 3, 2, 1, 0]


def test_the_last_length_in_use_is_within_the_bound():
    region, last = TrustRegion(None, CONFIG.initial_length), math.inf
    while not exhausted(region, CONFIG):
        last, region = region.length, shrunk(region, CONFIG)
    assert last <= CONFIG.minimum_length * CONFIG.factor
