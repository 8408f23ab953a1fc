"""A study's trials as plain rows: what every table, picture and export is made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from casmopolitan.formatting import significant_digits
from casmopolitan.scalars import key
from casmopolitan.trial import Direction, Status, Trial, sign_of

State = Literal["complete", "failed", "running", "asked", "waiting", "cancelled"]
"""`asked`: reserved by hand with `casmopolitan ask`; `waiting`: to be run next; `cancelled`: given back, counts for nothing."""

STATUS: dict[State, Status] = {
    "complete": "complete",
    "failed": "failed",
    "running": "pending",
    "asked": "pending",
    "waiting": "pending",
    "cancelled": "cancelled",
}

EXPLAINED = ("source", "region", "radius", "length", "acquisition", "mean", "deviation", "success", "note")
"""What a row's record says of why it was suggested; the centre would be a second configuration in each."""


@dataclass(frozen=True)
class Row:
    """One trial: what was tried, why, what came of it, and what it printed."""

    number: int
    state: State
    value: float | None
    configuration: dict[str, Any]
    explanation: dict[str, Any] = field(default_factory=dict)
    known: bool = False
    """Whether it is a result from outside, which the budget does not count."""
    seconds: float | None = None
    error: str | None = None
    ending: str | None = None
    tail: str = ""
    attempts: int = 1
    began: float | None = None
    """When it started, in seconds since 1970."""
    worker: str | None = None
    """Machine and process that ran it."""
    predicted: float | None = None
    """What the model of all trials predicts at its point: filled in where values are noisy and it decides which is the best."""
    evaluations: int | None = None
    """How many of the rows it was listed among have its configuration: filled in where it stands for them all."""

    @property
    def trial(self) -> Trial:
        """The same as a trial of the library, for its pictures."""
        return Trial(self.number, self.configuration, self.explanation, STATUS[self.state], self.value)

    @property
    def result(self) -> float:
        """The value of a row that has one: never a number in place of a missing one."""
        if self.value is None:
            raise TypeError(f"trial {self.number} has no value")
        return self.value

    @property
    def counts(self) -> bool:
        """Whether it counts against the budget: handed out or ended, and not given back or known before."""
        return not self.known and self.state in ("complete", "failed", "running", "asked")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "number": self.number,
            "state": self.state,
            "value": self.value,
            "configuration": self.configuration,
            "known": self.known,
            **{name: self.explanation.get(name) for name in EXPLAINED},
            **({} if self.predicted is None else {"predicted": self.predicted}),
            **({} if self.evaluations is None else {"evaluations": self.evaluations}),
            "seconds": self.seconds,
            "error": self.error,
            "attempts": self.attempts,
            "worker": self.worker,
        }


def said(row: Row, rows: Iterable[Row]) -> str:
    """The value of a row that is the best, in words: of a noisy study's the mean that was predicted, and what was seen."""
    if row.predicted is None:
        return f"{row.value:.{precision(rows)}g} (trial {row.number})"
    return f"{row.predicted:.6g} by the model's mean (trial {row.number}, which gave {row.value:.6g})"


def precision(rows: Iterable[Row]) -> int:
    """How many significant digits tell the rows' values apart."""
    return significant_digits(row.value for row in rows)


def complete(rows: Iterable[Row]) -> list[Row]:
    """The rows that have a value."""
    return [row for row in rows if row.state == "complete" and row.value is not None]


def ranked(rows: Sequence[Row], direction: Direction) -> list[Row]:
    """The rows that have a value, best first, the earlier of equals first."""
    sign = sign_of(direction)
    return sorted(complete(rows), key=lambda row: (sign * row.result, row.number))


def distinct(rows: Sequence[Row]) -> list[Row]:
    """The rows with each configuration once, where it comes first, and how often it comes."""
    identities = [tuple(sorted((name, key(word)) for name, word in row.configuration.items())) for row in rows]
    often, first = Counter(identities), dict(zip(reversed(identities), reversed(rows), strict=True))
    return [replace(first[identity], evaluations=n) for identity, n in often.items()]
