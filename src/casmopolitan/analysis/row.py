"""A study's trials as plain rows: the source of every table, figure and export."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from casmopolitan.analysis.front import best_first, front_of, hypervolumes, reference_of
from casmopolitan.formatting import significant_digits
from casmopolitan.goals import Goals, Outcome, outcome_text
from casmopolitan.scalars import Key, key
from casmopolitan.trial import EXPLANATION_COLUMNS, OUTCOME_FIELDS, Status, Trial

State = Literal["complete", "failed", "pruned", "running", "asked", "waiting", "cancelled"]
"""`pruned`: ended early, because it was worse than others. `asked`: reserved by hand with `casmopolitan ask`.
`waiting`: queued. `cancelled`: released, and not counted."""

ENDED: tuple[State, ...] = ("complete", "failed", "pruned")
"""The states of trials that have ended and count against the budget."""

STATUS: dict[State, Status] = {
    "complete": "complete",
    "failed": "failed",
    "pruned": "cancelled",
    "running": "pending",
    "asked": "pending",
    "waiting": "pending",
    "cancelled": "cancelled",
}


@dataclass(frozen=True)
class TrialRow:
    """One trial: its configuration, why it was suggested, its result and its output."""

    number: int
    state: State
    value: float | None
    """The value of a complete trial; None if there are several objectives."""
    configuration: dict[str, Any]
    explanation: dict[str, Any] = field(default_factory=dict)
    known: bool = False
    """Whether it is a result from elsewhere, which costs no budget."""
    outside: bool = False
    """Whether it lies outside the current space because the study file has changed: the model does not use it."""
    corrections: tuple[dict[str, Any], ...] = ()
    """Corrections of its value, oldest first: `before`, `after` and `when`."""
    seconds: float | None = None
    error: str | None = None
    ending: str | None = None
    tail: str = ""
    attempts: int = 1
    began: float | None = None
    """Start time, in seconds since 1970."""
    worker: str | None = None
    """Machine and process that ran it."""
    predicted: float | None = None
    """The model's prediction at its point; set if values are noisy and the prediction decides which trial is best."""
    comment: str = ""
    """What was written beside its result, such as "boiled over"."""
    means: dict[str, float] | None = None
    """The predictions of several objectives; set if values are noisy and the predictions decide which trials are best."""
    evaluations: int | None = None
    """How many of the listed trials have its configuration; set if the row stands for all of them."""
    outcomes: dict[str, float | None] | None = None
    """All outcomes of a complete trial by name, None for unknown ones; only with several objectives or limits."""
    feasible: bool | None = None
    """Whether a complete trial meets all limits; None without limits, or if an unknown outcome leaves it open."""

    @property
    def trial(self) -> Trial:
        """The same trial as a `casmopolitan.Trial`, for the figures."""
        status = STATUS[self.state]
        return Trial(self.number, self.configuration, self.explanation, status, self.value, self.outcomes, self.feasible)

    @property
    def told(self) -> Outcome:
        """What the trial was told: a value, a dict of outcomes, or None if it has failed or has not ended."""
        return self.value if self.outcomes is None else self.outcomes

    @property
    def result(self) -> float:
        """The value of a complete trial; TypeError for any other."""
        if self.value is None:
            raise TypeError(f"trial {self.number} has no value")
        return self.value

    @property
    def counts(self) -> bool:
        """Whether it counts against the budget."""
        return costs_budget(self.state, self.known)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "number": self.number,
            "state": self.state,
            "value": self.value,
            **({} if self.outcomes is None else {"outcomes": self.outcomes, "feasible": self.feasible}),
            "configuration": self.configuration,
            "known": self.known,
            **{name: self.explanation.get(name) for name in (*EXPLANATION_COLUMNS, "reason")},
            **{f"predicted_{name}": self.explanation[name] for name in OUTCOME_FIELDS if name in self.explanation},
            **({"outside": True} if self.outside else {}),
            **({"corrections": list(self.corrections)} if self.corrections else {}),
            **({} if self.predicted is None else {"predicted": self.predicted}),
            **({"comment": self.comment} if self.comment else {}),
            **({} if self.means is None else {"means": self.means}),
            **({} if self.evaluations is None else {"evaluations": self.evaluations}),
            "seconds": self.seconds,
            "error": self.error,
            "attempts": self.attempts,
            "worker": self.worker,
        }


def costs_budget(state: State, known: bool) -> bool:
    """Return whether a trial in this state counts against the budget; results from elsewhere never do."""
    return state in (*ENDED, "running", "asked") and not known


def identity(configuration: Mapping[str, Any]) -> tuple[tuple[str, Key], ...]:
    """Return a hashable key of a configuration in which 1, 1.0 and True differ."""
    return tuple((name, key(value)) for name, value in sorted(configuration.items()))


def correction_text(record: Mapping[str, Any]) -> str:
    """Return a correction as text: what a trial was told before and after it."""
    before, after = (outcome_text(told) if isinstance(told, dict) else told for told in map(record.get, ("before", "after")))
    return f"{before} became {after}"


def best_value_text(row: TrialRow, rows: Iterable[TrialRow]) -> str:
    """Return the value of the best row as text; in a noisy study the predicted mean comes first."""
    if row.predicted is None:
        return f"{row.value:.{precision(rows)}g} (trial {row.number})"
    return f"{row.predicted:.6g} by the model's mean (trial {row.number}, which gave {row.value:.6g})"


def precision(rows: Iterable[TrialRow]) -> int:
    """Return how many significant digits tell the rows' values apart."""
    return significant_digits(row.value for row in rows)


def complete(rows: Iterable[TrialRow]) -> list[TrialRow]:
    """Return the rows with a result, even if only some of their outcomes are known."""
    return [row for row in rows if row.state == "complete"]


def valued(rows: Iterable[TrialRow]) -> list[TrialRow]:
    """Return the rows with a value; none if there are several objectives."""
    return [row for row in complete(rows) if row.value is not None]


def ranked(rows: Sequence[TrialRow], goals: Goals) -> list[TrialRow]:
    """Return the rows in the current space that meet all limits, best first; see `best_first`."""
    return best_first([row for row in complete(rows) if not row.outside], goals)


def by_means(rows: Sequence[TrialRow], goals: Goals) -> list[TrialRow]:
    """Return rows with predictions of several objectives in the order of `best_first`, but by their predictions."""
    return _observed(best_first(_by_prediction(rows), replace(goals, limits={})), rows)


def leading(best: Sequence[TrialRow], goals: Goals) -> list[TrialRow]:
    """Return the rows on the front, given rows that meet all limits, best first; with one objective, the first row.

    Their predictions are compared if they have any.
    """
    return list(best[:1]) if goals.single else _observed(front_of(_by_prediction(best), replace(goals, limits={})), best)


def volume_of(best: Sequence[TrialRow], goals: Goals) -> tuple[float, dict[str, float] | None]:
    """Return the hypervolume of the front and its reference point, given rows that meet all limits, best first."""
    front, unlimited = _by_prediction(leading(best, goals)), replace(goals, limits={})
    return (hypervolumes(front, unlimited)[-1] if front else 0.0), reference_of(front, unlimited)


def _by_prediction(rows: Sequence[TrialRow]) -> list[TrialRow]:
    """Return rows whose objectives are predictions, where there are any."""
    return [row if row.means is None else replace(row, outcomes={**(row.outcomes or {}), **row.means}) for row in rows]


def _observed(chosen: Sequence[TrialRow], rows: Sequence[TrialRow]) -> list[TrialRow]:
    """Return the chosen rows as they were before `_by_prediction`."""
    before = {row.number: row for row in rows}
    return [before[row.number] for row in chosen]


def distinct(rows: Sequence[TrialRow]) -> list[TrialRow]:
    """Return the first row of each configuration, with the number of rows that share it."""
    identities = [identity(row.configuration) for row in rows]
    often, first = Counter(identities), dict(zip(reversed(identities), reversed(rows), strict=True))
    return [replace(first[one], evaluations=n) for one, n in often.items()]
