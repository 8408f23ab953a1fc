"""Whether the values of a study look like times, which trials that run in parallel would distort."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from casmopolitan.analysis.row import TrialRow
from casmopolitan.goals import Goals

WORDS = re.compile(
    r"(?:^|[^a-z])(?:(?:run|wall|cpu|elapsed)?_?time|times|runtimes?|seconds|secs?|milliseconds|ms|latency|duration|throughput|fps)"
    r"(?:$|[^a-z])"
)
"""Words in the name of an outcome that is a measured time, or a number of things per time."""
ENOUGH = 8
"""Trials needed to compare their values with their running times."""
CLOSE = 0.9
"""Correlation of values and running times from which the values are taken for times."""


def timing_warning(goals: Goals, key: str, rows: Sequence[TrialRow]) -> str:
    """Return a warning for trials that run in parallel, if a name or the values suggest that times are measured; else ''.

    `key` is the name of the value in the program's output, if the objective has none.
    """
    advice = "trials in parallel slow each other down: measure times with one trial at a time, -p 1"
    for name in goals.order if goals.named else [key]:
        if WORDS.search(name.lower()):
            return f"{name!r} sounds like a measured time, and {advice}"
    timed = [(row.value, row.seconds) for row in rows if row.value is not None and row.seconds is not None]
    if len(timed) < ENOUGH or goals.direction == "maximize":
        return ""
    with np.errstate(all="ignore"):
        correlation = float(np.atleast_2d(np.corrcoef(timed, rowvar=False))[0, 1])  # NaN if all are equal
    if not correlation >= CLOSE:
        return ""
    return f"the values follow the running times of the trials (correlation {correlation:.2f}), and {advice}"
