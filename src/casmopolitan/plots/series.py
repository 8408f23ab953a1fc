"""What the pictures are drawn from: the trials of a result, an optimiser, or a plain list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from casmopolitan.errors import DataError
from casmopolitan.optimizer import Optimizer
from casmopolitan.run.result import Result
from casmopolitan.trial import Direction, Trial

Source = Result | Optimizer | Sequence[Trial]
Happening = Literal["grew", "shrank", "restarted"]


@dataclass(frozen=True)
class Event:
    """What happened to the region between the trial before and trial `number`, which was the first asked after it."""

    number: int
    happening: Happening


def trials_of(source: Source) -> list[Trial]:
    """The trials by number."""
    law = "a picture is drawn from a Result, an Optimizer or a list of trials"
    if not isinstance(source, Result | Optimizer | Sequence):
        raise DataError(f"{law}; got a {type(source).__name__}")
    trials = list(source if isinstance(source, Sequence) else source.trials)
    if not all(isinstance(trial, Trial) for trial in trials):
        odd = next(type(trial).__name__ for trial in trials if not isinstance(trial, Trial))
        raise DataError(f"{law}; got a list that holds a {odd}")
    return sorted(trials, key=lambda trial: trial.number)


def optimizer_of(source: Result | Optimizer) -> Optimizer:
    """The optimiser behind a source: some pictures need its model and its space."""
    if isinstance(source, Result):
        return source.optimizer
    if isinstance(source, Optimizer):
        return source
    raise DataError(f"this picture needs the model: give a Result or an Optimizer, not a {type(source).__name__}")


def direction_of(source: Source, direction: Direction | None) -> Direction:
    """Which way is better: the optimiser's own direction, or the one said for a list of trials (minimize if none is)."""
    if direction is not None:
        if direction not in get_args(Direction):
            raise DataError(f"direction is {direction!r}; it must be 'minimize' or 'maximize'")
        return direction
    return "minimize" if isinstance(source, Sequence) else optimizer_of(source).direction


def running_best(trials: Sequence[Trial], direction: Direction) -> list[float | None]:
    """The best value up to and including each trial; None before the first value."""
    pick = min if direction == "minimize" else max
    best: float | None = None
    found: list[float | None] = []
    for trial in trials:
        if trial.value is not None:
            best = trial.value if best is None else pick(best, trial.value)
        found.append(best)
    return found


def near(values: Sequence[float], direction: Direction, reach: float) -> list[float]:
    """The values but for bad ones that dwarf the rest: further from the best than `reach` times where four in five lie."""
    ordered = sorted(values, reverse=direction == "maximize")
    best, usual = ordered[0], ordered[min(len(ordered) - 1, round(0.8 * len(ordered)))]
    return [value for value in values if abs(value - best) <= reach * abs(usual - best)]


def confined(explanation: Mapping[str, Any]) -> bool:
    """Whether a suggestion was made within a trust region, whose lengths are then recorded with it."""
    within = explanation.get("source") in ("acquisition", "fallback")
    return within and (explanation.get("radius") is not None or explanation.get("length") is not None)


def size_of(explanation: dict[str, Any]) -> tuple[float, float]:
    """The region's lengths, as recorded with a trial (0 for an absent part)."""
    return explanation.get("radius") or 0, explanation.get("length") or 0


def events(trials: Sequence[Trial]) -> list[Event]:
    """Growing, shrinking and restarting, read off the explanations that were recorded with the trials."""
    found: list[Event] = []
    region, size = 0, None
    for trial in trials:
        explanation = trial.explanation
        if explanation.get("region", region) > region:
            found.append(Event(trial.number, "restarted"))
            region, size = explanation["region"], size_of(explanation)
        elif confined(explanation) and explanation.get("region") == region:
            now = size_of(explanation)
            if size is not None and now != size:
                found.append(Event(trial.number, "grew" if now > size else "shrank"))
            size = now
    return found
