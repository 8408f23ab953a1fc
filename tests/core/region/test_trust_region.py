from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from casmopolitan.config import Config
from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Axis
from casmopolitan.core.region.trust_region import TrustRegion, exhausted, grown, initial, shrunk, updated

CONFIG = Config()


def domain(d_h, d_x):
    return Domain(np.full(d_h, 3), (None,) * d_h, (Axis(0.0, 1.0),) * d_x)


def test_growth_from_small_radii_takes_at_least_one_step():
    region, radii = TrustRegion(1, None), [1]
    for _ in range(6):
        region = grown(region, CONFIG, d_h=12)
        radii.append(region.radius)
    assert radii == [1, 2, 3, 4, 6, 9, 12]
    assert grown(region, CONFIG, d_h=12).radius == 12


def test_shrinking_floors_down_to_zero():
    region, radii = TrustRegion(20, None), [20]
    while region.radius:
        region = shrunk(region, CONFIG)
        radii.append(region.radius)
    assert radii == [20, 13, 8, 5, 3, 2, 1, 0]


def test_the_length_grows_to_its_maximum_and_shrinks_by_the_factor():
    region = TrustRegion(None, 0.8)
    assert grown(region, CONFIG, d_h=0).length == pytest.approx(1.2)
    assert grown(grown(region, CONFIG, d_h=0), CONFIG, d_h=0).length == 1.6
    assert shrunk(region, CONFIG).length == pytest.approx(0.8 / 1.5)


@pytest.mark.parametrize(("d_h", "radius"), [(25, 20), (50, 40), (1, 1), (2, 2), (3, 3), (10, 8), (60, 48)])
def test_the_first_radius_is_four_fifths_of_the_variables_rounded_up(d_h, radius):
    assert initial(domain(d_h, 0), CONFIG) == TrustRegion(radius, None)


def test_an_absent_part_has_no_length():
    assert initial(domain(0, 2), CONFIG) == TrustRegion(None, 0.8)
    assert initial(domain(4, 2), CONFIG) == TrustRegion(4, 0.8)


def test_a_configured_radius_is_cut_at_the_number_of_variables():
    config = replace(CONFIG, initial_radius=20)
    assert initial(domain(2, 0), config).radius == 2
    assert initial(domain(30, 0), config).radius == 20


def test_without_trust_regions_nothing_is_confined_and_nothing_changes():
    config = replace(CONFIG, trust_region=False)
    region = initial(domain(3, 1), config)
    assert region == TrustRegion(None, None)
    for improved in (True, False) * 50:
        region, change = updated(region, improved, config, d_h=3)
        assert change == "held"
    assert not exhausted(region, config)


def test_two_successes_in_a_row_grow_and_reset_the_counters():
    region, change = updated(TrustRegion(4, 0.8), True, CONFIG, d_h=10)
    assert (change, region) == ("held", TrustRegion(4, 0.8, 1, 0))
    region, change = updated(region, True, CONFIG, d_h=10)
    assert (change, region) == ("grew", TrustRegion(6, 0.8 * 1.5))


def test_a_failure_breaks_a_run_of_successes_and_the_other_way_round():
    region, _ = updated(TrustRegion(4, None, 1, 0), False, CONFIG, d_h=10)
    assert (region.successes, region.failures) == (0, 1)
    region, _ = updated(TrustRegion(4, None, 0, 39), True, CONFIG, d_h=10)
    assert (region.successes, region.failures) == (1, 0)


def test_forty_failures_in_a_row_shrink_and_reset_the_counters():
    region = TrustRegion(20, 0.8)
    for _ in range(39):
        region, change = updated(region, False, CONFIG, d_h=25)
        assert change == "held"
    region, change = updated(region, False, CONFIG, d_h=25)
    assert (change, region.radius, region.failures) == ("shrank", 13, 0)


@pytest.mark.parametrize(
    ("region", "over"),
    [
        (TrustRegion(0, None), True),
        (TrustRegion(1, None), False),
        (TrustRegion(None, 0.5**7), True),
        (TrustRegion(None, 0.008), False),
        (TrustRegion(5, 0.001), True),
        (TrustRegion(0, 0.8), True),
        (TrustRegion(None, None), False),
    ],
)
def test_a_region_is_exhausted_when_either_present_part_is_at_its_minimum(region, over):
    assert exhausted(region, CONFIG) is over


def test_where_both_parts_must_be_exhausted_the_first_to_end_waits_for_the_other():
    config = replace(Config(), exhausted_by="both")
    region, lengths = TrustRegion(2, 0.8), []
    while not exhausted(region, config):
        lengths.append((region.radius, region.length))
        region = shrunk(region, config)
    assert [radius for radius, _ in lengths][:4] == [2, 1, 1, 1]
    assert lengths[-1][1] > config.minimum_length
    assert lengths[-1][1] / config.factor <= config.minimum_length
    wide = TrustRegion(50, 2 * config.minimum_length)
    for _ in range(4):
        wide = shrunk(wide, config)
    assert (wide.radius, wide.length > config.minimum_length) == (9, True)


def test_where_both_must_end_a_radius_that_begins_at_its_minimum_does_not_end_the_region():
    config = Config(minimum_radius=1, initial_radius=2, exhausted_by="both")
    assert not exhausted(TrustRegion(1, 0.5), config)
    assert exhausted(TrustRegion(1, config.minimum_length), config)
    assert exhausted(TrustRegion(1, 0.5), replace(config, exhausted_by="either"))
    assert exhausted(TrustRegion(1, None), config)
