"""A problem with limits or several objectives, and how the results of a run are scored."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

import casmopolitan as cas

Row = Mapping[str, float]
"""The outcomes of one trial by name."""


@dataclass(frozen=True)
class Volume:
    """The reference point of the hypervolume in the order of the objectives, and the hypervolume of the exact front."""

    reference: np.ndarray
    whole: float


@dataclass(frozen=True)
class OutcomeProblem:
    """A function with its objectives and limits, and the exact answer.

    best: the best feasible value of one objective. volume: the hypervolume of several, all of them signed to be minimised.
    """

    space: cas.Space
    measure: Callable[[dict], Row]
    objectives: dict[str, str]
    limits: dict[str, str] = field(default_factory=dict)
    best: float | None = None
    volume: Volume | None = None

    @property
    def signs(self) -> np.ndarray:
        return np.array([1.0 if way == "minimize" else -1.0 for way in self.objectives.values()])

    def score(self, found: Sequence[Row | None]) -> float:
        """The best feasible value; with several objectives, the share of the exact hypervolume. None is a failed trial."""
        rows = [self.signs * [row[name] for name in self.objectives] for row in found if row is not None and self.feasible(row)]
        if self.volume is None:
            return float(self.signs[0] * min((row[0] for row in rows), default=math.inf))
        return hypervolume(np.array(rows).reshape(-1, len(self.signs)), self.volume.reference) / self.volume.whole

    def feasible(self, row: Row) -> bool:
        return all(excess(row[name], limit) <= 0 for name, limit in self.limits.items())


def excess(value: float, limit: str) -> float:
    """By how much a value is over its limit; at or below zero if it is met."""
    relation, bound = limit.split()
    return value - float(bound) if relation == "<=" else float(bound) - value


def volume_of(front: np.ndarray) -> Volume:
    """The hypervolume of an exact front, signed to be minimised, and its reference point: best values plus 1.1 of the range."""
    low, high = front.min(axis=0), front.max(axis=0)
    return volume_between(low, high, hypervolume((front - low) / (high - low), np.full(len(low), 1.1)))


def volume_between(ideal: Sequence[float], nadir: Sequence[float], scaled: float) -> Volume:
    """The same from a front's best and worst values and its hypervolume if they are scaled to 0 and 1."""
    low, span = np.array(ideal), np.array(nadir) - np.array(ideal)
    return Volume(low + 1.1 * span, scaled * float(np.prod(span)))


def hypervolume(values: np.ndarray, reference: np.ndarray) -> float:
    """The volume below the reference point that the rows dominate, by slices along the first objective."""
    values = values[(values < reference).all(axis=1)]
    if not len(values):
        return 0.0
    if values.shape[1] == 1:
        return float(reference[0] - values.min())
    values = values[np.argsort(values[:, 0])]
    ends = np.append(values[1:, 0], reference[0])
    return sum(
        (end - row[0]) * hypervolume(values[: k + 1, 1:], reference[1:])
        for k, (row, end) in enumerate(zip(values, ends, strict=True))
        if end > row[0]
    )
