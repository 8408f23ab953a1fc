"""Predictions around the best point: two variables change, all others stay."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from casmopolitan.analysis.slices import predict_one, slice_values
from casmopolitan.optimizer import Optimizer
from casmopolitan.trial import Configuration

STEPS = 20
"""Steps from one end of a number's range to the other."""


@dataclass(frozen=True)
class Pair:
    """Predictions on a grid of two variables; `at` has their values at the best point."""

    names: tuple[str, str]
    at: tuple[Any, Any]
    values: tuple[list[Any], list[Any]]
    mean: list[list[float | None]]
    """One row per value of the first variable, one entry per value of the second; None where the space has no such point."""
    deviation: list[list[float | None]]


def pair_around(
    optimizer: Optimizer, best: Configuration, names: tuple[str, str], *, steps: int = STEPS, objective: str | None = None
) -> Pair | None:
    """Return the predictions on a grid of two variables, at allowed combinations only.

    Values without an allowed combination are left out. None if the model predicts no magnitudes, or if fewer than two values of
    a variable are left: it does not exist at the best point, or others depend on it.
    """
    first, second = names
    if first == second or not {first, second} <= set(best):
        return None
    at = optimizer.space[first].read(best[first]), optimizer.space[second].read(best[second])
    rows, columns = (slice_values(optimizer.space[name], value, steps) for name, value in zip(names, at, strict=True))
    cells = [[{**best, first: a, second: b} for b in columns] for a in rows]
    allowed = [[optimizer.space.allows(cell) for cell in row] for row in cells]
    lines = [i for i in range(len(rows)) if any(allowed[i])]
    stacks = [k for k in range(len(columns)) if any(row[k] for row in allowed)]
    if len(lines) < 2 or len(stacks) < 2:
        return None
    kept = [(i, k) for i in lines for k in stacks if allowed[i][k]]
    mean, deviation = predict_one(optimizer, [cells[i][k] for i, k in kept], objective)
    if not all(map(math.isfinite, [*mean, *deviation])):
        return None
    means, deviations = (dict(zip(kept, numbers, strict=True)) for numbers in (mean, deviation))
    return Pair(
        names,
        at,
        ([rows[i] for i in lines], [columns[k] for k in stacks]),
        [[means.get((i, k)) for k in stacks] for i in lines],
        [[deviations.get((i, k)) for k in stacks] for i in lines],
    )
