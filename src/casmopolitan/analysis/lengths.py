"""The trust region over the trials: its lengths, and when it grew, shrank or restarted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from casmopolitan.trial import Trial

Happening = Literal["grew", "shrank", "restarted"]
Part = Literal["radius", "length"]
PARTS: tuple[Part, ...] = ("radius", "length")
"""L^h, the Hamming radius, and L^x, the side of the box, as explanations name them."""


@dataclass(frozen=True)
class Event:
    """A change of the region; trial `number` was the first asked after it."""

    number: int
    happening: Happening


@dataclass(frozen=True)
class Segment:
    """One length of one region: its size per trial number, and the trials at which it changed."""

    region: int
    sizes: dict[int, float]
    changes: dict[int, Happening]


def in_region(explanation: Mapping[str, Any]) -> bool:
    """Return whether a suggestion came from a trust region, whose lengths are then part of the explanation."""
    within = explanation.get("source") in ("acquisition", "fallback")
    return within and any(explanation.get(part) is not None for part in PARTS)


def segments(trials: Sequence[Trial], part: Part) -> list[Segment]:
    """Return one segment per region that has this length, in the order of the regions."""
    sizes: dict[int, dict[int, float]] = {}
    for trial in trials:
        if in_region(trial.explanation) and trial.explanation.get(part) is not None:
            sizes.setdefault(trial.explanation.get("region", 0), {})[trial.number] = trial.explanation[part]
    return [Segment(region, sizes[region], _changes(sizes[region])) for region in sorted(sizes)]


def _changes(sizes: Mapping[int, float]) -> dict[int, Happening]:
    pairs = zip(sizes.items(), list(sizes.items())[1:], strict=False)
    return {number: "grew" if size > before else "shrank" for (_, before), (number, size) in pairs if size != before}


def events(trials: Sequence[Trial]) -> list[Event]:
    """Return every growth, shrinkage and restart, read from the explanations of the trials."""
    found: list[Event] = []
    region, size = 0, None
    for trial in trials:
        explanation = trial.explanation
        now = explanation.get("radius") or 0, explanation.get("length") or 0
        if explanation.get("region", region) > region:
            found.append(Event(trial.number, "restarted"))
            region, size = explanation["region"], now
        elif in_region(explanation) and explanation.get("region") == region:
            if size is not None and now != size:
                found.append(Event(trial.number, "grew" if now > size else "shrank"))
            size = now
    return found


def restarts(trials: Sequence[Trial]) -> list[int]:
    """Return the first trial of each new region."""
    return [event.number for event in events(trials) if event.happening == "restarted"]
