"""Whether values look like times."""

from __future__ import annotations

import pytest

from casmopolitan.analysis.row import TrialRow
from casmopolitan.analysis.timing import timing_warning
from casmopolitan.goals import ONE_OBJECTIVE, Goals

TIMES = [0.4, 0.5, 0.8, 0.6, 1.2, 0.9, 0.7, 1.1]


def rows(*values, seconds):
    return [TrialRow(k, "complete", value, {}, seconds=s) for k, (value, s) in enumerate(zip(values, seconds, strict=True))]


@pytest.mark.parametrize("name", ["seconds", "run_time", "Latency", "wall time", "p99-latency", "time_ms", "runtime"])
def test_the_name_of_a_time_is_a_reason_to_warn(name):
    said = f"{name!r} sounds like a measured time"
    assert timing_warning(ONE_OBJECTIVE, name, []).startswith(said)
    assert timing_warning(Goals.of(objectives={"error": "minimize", name: "minimize"}), "value", []).startswith(said)


@pytest.mark.parametrize("name", ["value", "error", "lifetimes", "lifetime", "items", "timesteps", "fpsx", "second"])
def test_other_names_are_not(name):
    assert timing_warning(ONE_OBJECTIVE, name, []) == ""


def test_values_that_follow_the_running_times_are_a_reason_to_warn():
    measured = rows(*[1000 * one for one in TIMES], seconds=[0.1 + one for one in TIMES])
    found = timing_warning(ONE_OBJECTIVE, "value", measured)
    assert found.startswith("the values follow the running times of the trials (correlation 1.00)")
    assert found.endswith("-p 1")
    assert timing_warning(Goals.of("maximize"), "value", measured) == ""


@pytest.mark.parametrize(
    ("values", "seconds"),
    [
        (TIMES[:4], TIMES[:4]),
        ([1.0] * 8, TIMES),
        ([9.0, 1.0, 8.0, 2.0, 7.0, 3.0, 6.0, 4.0], TIMES),
        ([-one for one in TIMES], TIMES),
        ([1.7e308, -1.7e308] * 4, TIMES),
    ],
)
def test_few_equal_unrelated_or_falling_values_are_not(values, seconds):
    assert timing_warning(ONE_OBJECTIVE, "value", rows(*values, seconds=seconds)) == ""
