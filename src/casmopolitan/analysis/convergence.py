"""Values over the trials: the best so far, initial points and outliers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from casmopolitan.trial import Direction, Trial


def running_best(trials: Sequence[Trial], direction: Direction, *, limited: bool = False) -> list[float | None]:
    """Return the best value up to and including each trial; None before the first value.

    If outcomes have limits, `limited`, only trials that meet all of them count.
    """
    pick = min if direction == "minimize" else max
    best: float | None = None
    found: list[float | None] = []
    for trial in trials:
        if trial.value is not None and (not limited or trial.feasible is True):
            best = trial.value if best is None else pick(best, trial.value)
        found.append(best)
    return found


def without_outliers(values: Sequence[float], direction: Direction, reach: float) -> list[float]:
    """Drop values whose distance to the best exceeds `reach` times the distance of the 80th percentile."""
    ordered = sorted(values, reverse=direction == "maximize")
    best, usual = ordered[0], ordered[min(len(ordered) - 1, round(0.8 * len(ordered)))]
    return [value for value in values if abs(value - best) <= reach * abs(usual - best)]


def is_design(explanation: Mapping[str, Any]) -> bool:
    """Return whether a trial was part of an initial design or given by the user, not suggested by the model."""
    return explanation.get("source") not in ("acquisition", "global", "fallback")
