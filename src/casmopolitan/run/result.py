"""What a run hands back: the best, every trial, every failure, and why it stopped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from casmopolitan.formatting import significant_digits
from casmopolitan.optimizer import Optimizer
from casmopolitan.trial import Configuration, Trial

Stopped = Literal["budget", "stop_at", "timeout", "patience", "exhausted", "interrupted", "callback"]

WHY: Mapping[Stopped, str] = MappingProxyType(
    {
        "budget": "the budget is spent",
        "stop_at": "the value asked for was reached",
        "timeout": "the time is up",
        "patience": "no improvement for as long as patience lasted",
        "exhausted": "no point was left, or found, that is new and allowed",
        "interrupted": "it was interrupted",
        "callback": "a callback asked for it",
    }
)
"""Why a run stopped, in words."""

EXPLAINED = ("region", "source", "radius", "length", "acquisition", "mean", "deviation", "success", "note")
COLUMNS = ("number", "status", "value", *EXPLAINED, "seconds", "error")
"""The columns of a row that are not variables."""
PREFIX = "variable."
"""Before a variable's name that is a column's."""


@dataclass(frozen=True, repr=False)
class Result:
    """The outcome of `minimize` or `maximize`, as it stood when the run ended."""

    best_trial: Trial
    """The best completed trial; with a noisy objective the one whose predicted mean is best."""
    best_value: float
    """Its value; with a noisy objective the predicted mean there."""
    trials: tuple[Trial, ...]
    """Every trial by number, those before a resumed run included."""
    stopped: Stopped
    """Why the run ended."""
    evaluations: int
    """Evaluations of this run, failed ones included: what counts against the budget."""
    seconds: float
    """How long the run took."""
    optimizer: Optimizer
    """To go on from: `minimize(..., optimizer=result.optimizer)`, `predict`, `to_json`."""
    errors: Mapping[int, str] = field(default_factory=dict)
    """What went wrong in each failed trial of this run, by its number."""
    durations: Mapping[int, float] = field(default_factory=dict)
    """Seconds each evaluation of this run took, by the trial's number."""

    @property
    def best_configuration(self) -> Configuration:
        """The configuration of the best trial."""
        return dict(self.best_trial.configuration)

    @property
    def failures(self) -> tuple[Trial, ...]:
        """The trials that failed; `errors` says how."""
        return tuple(trial for trial in self.trials if trial.status == "failed")

    def to_rows(self) -> list[dict[str, Any]]:
        """One flat dict a trial, ready for a CSV file or a data frame.

        Columns: number, status, value, every variable, then region, source, radius, length, acquisition, mean, deviation,
        success, note, seconds, error. A variable that bears the name of one of those is called 'variable.<name>', and so is one
        that bears that name already.
        """
        return [self._row(trial) for trial in self.trials]

    def _row(self, trial: Trial) -> dict[str, Any]:
        named = {_column(name): value for name, value in trial.configuration.items()}
        return {
            "number": trial.number,
            "status": trial.status,
            "value": trial.value,
            **named,
            **{key: trial.explanation.get(key) for key in EXPLAINED},
            "seconds": self.durations.get(trial.number),
            "error": self.errors.get(trial.number),
        }

    def __repr__(self) -> str:
        failed = f", {len(self.errors)} failed" if self.errors else ""
        reason = Counter(self.errors.values()).most_common(1)
        width = max(map(len, self.best_trial.configuration), default=0)
        lines = [f"    {name:<{width}}  {value!r}" for name, value in self.best_trial.configuration.items()]
        if len(lines) > 30:
            lines = [*lines[:30], f"    ... ({len(lines)} variables in all)"]
        best = f"{self.best_value:.{significant_digits(trial.value for trial in self.trials)}g}"
        head = f"Result: best value {best} (trial {self.best_trial.number})"
        tail = f"{self.evaluations} evaluations{failed} in {self.seconds:.1f} s; stopped because {WHY[self.stopped]}"
        most = [f"most often: {text}" if count > 1 else f"for example: {text}" for text, count in reason]
        return "\n".join([head, *lines, tail, *most])


def _column(name: str) -> str:
    """The column of a variable, another for each."""
    bare = name
    while bare.startswith(PREFIX):
        bare = bare.removeprefix(PREFIX)
    return PREFIX + name if bare in COLUMNS else name
