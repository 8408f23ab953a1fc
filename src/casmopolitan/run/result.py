"""The result of a run: the best trial, all trials, the errors, and why it stopped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from casmopolitan.errors import DataError, MissingExtraError
from casmopolitan.formatting import column_name, counted, html_table, significant_digits
from casmopolitan.optimizer import Optimizer
from casmopolitan.run.evaluation import headline
from casmopolitan.trial import EXPLANATION_COLUMNS, Configuration, Trial

if TYPE_CHECKING:
    import pandas as pd

StopReason = Literal[
    "budget",
    "stop_at",
    "timeout",
    "patience",
    "exhausted",
    "interrupted",
    "callback",
    "hopeless",
    "unstartable",
    "storage",
    "fault",
]
"""Why a run ended. The last four occur only when a study runs a program."""

STOP_MESSAGES: Mapping[StopReason, str] = MappingProxyType(
    {
        "budget": "the budget is spent",
        "stop_at": "the value stop_at was reached",
        "timeout": "the time is up",
        "patience": "there was no improvement for `patience` evaluations",
        "exhausted": "no new feasible point is left, or none was found",
        "interrupted": "it was interrupted",
        "callback": "a callback returned True",
        "hopeless": "the first trials all failed",
        "unstartable": "the program cannot be started",
        "storage": "the database failed",
        "fault": "of an error outside the trials",
    }
)
"""Each reason as the end of the sentence "stopped because ..."."""

COLUMNS = ("number", "status", "value", *EXPLANATION_COLUMNS, "seconds", "error")
"""The columns of a row that are neither variables nor named outcomes."""


SHOWN = 30
"""How many variables, or trials of the front, the text of a result lists at most."""


class Best(NamedTuple):
    """The best trial, and its value or predicted mean."""

    trial: Trial
    value: float


@dataclass(frozen=True, repr=False)
class Result:
    """The result of `minimize`, `maximize` or `optimize` at the end of the run."""

    best: Best | DataError
    """The best trial and its value, or the error that says why there is none."""
    pareto_front: tuple[Trial, ...]
    """The trials that meet all limits and that no other trial dominates, by number; with one objective, the best trial."""
    trials: tuple[Trial, ...]
    """All trials by number, including those before a resumed run."""
    stopped: StopReason
    """Why the run ended: "budget", "stop_at", "timeout", "patience", "exhausted", "interrupted" or "callback"."""
    evaluations: int
    """The number of evaluations in this run, failed ones included."""
    seconds: float
    """The duration of this run."""
    optimizer: Optimizer
    """The optimiser, to resume (`minimize(..., optimizer=result.optimizer)`), to `predict`, or to save with `to_json`."""
    errors: Mapping[int, str] = field(default_factory=dict)
    """The error of each failed trial of this run, by number: type, message and place, then the traceback of an exception."""
    durations: Mapping[int, float] = field(default_factory=dict)
    """The duration of each evaluation of this run in seconds, by trial number; unknown if its worker died."""

    hypervolume: float | None = None
    """The volume that the front dominates, bounded by the reference point; None if there is one objective."""

    @property
    def best_trial(self) -> Trial:
        """The best completed trial that meets all limits; with a noisy objective the one with the best predicted mean.

        DataError if there are several objectives, or no trial meets all limits.
        """
        return self._found.trial

    @property
    def best_value(self) -> float:
        """The value of the best trial; with a noisy objective its predicted mean."""
        return self._found.value

    @property
    def best_configuration(self) -> Configuration:
        """The configuration of the best trial."""
        return dict(self.best_trial.configuration)

    def best_for(self, fixed: Mapping[str, Any]) -> Trial:
        """Return the best trial among those with some fixed values.

        Args:
            fixed: The values, by variable.

        Returns:
            The best trial that has these values, as `Optimizer.best_for` finds it.
        """
        return self.optimizer.best_for(fixed)

    @property
    def _found(self) -> Best:
        if isinstance(self.best, DataError):
            raise self.best
        return self.best

    @property
    def failures(self) -> tuple[Trial, ...]:
        """The trials that failed; `errors` holds the reasons."""
        return tuple(trial for trial in self.trials if trial.status == "failed")

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat dict per trial, ready for a CSV file or a data frame.

        Returns:
            Dicts with number, status, value, every variable, then source, region, radius, length, acquisition, mean,
            deviation, success, note, seconds and error. If outcomes have names, each of them and feasible come after the
            variables. A variable with one of these names has the column 'variable.<name>'.
        """
        return [self._row(trial) for trial in self.trials]

    def to_dataframe(self) -> pd.DataFrame:
        """Return the trials as a pandas data frame with the columns of `to_rows`; needs pandas.

        Returns:
            One row per trial, indexed by its number.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtraError("to_dataframe", "pandas", "dataframe") from None
        return pd.DataFrame(self.to_rows()).set_index("number")

    def _row(self, trial: Trial) -> dict[str, Any]:
        goals = self.optimizer.goals
        names = [*goals.order, "feasible"] if goals.named else []
        named = {column_name(name, (*COLUMNS, *names)): value for name, value in trial.configuration.items()}
        measured = {name: (trial.outcomes or {}).get(name) for name in names} | ({"feasible": trial.feasible} if names else {})
        return {
            "number": trial.number,
            "status": trial.status,
            "value": trial.value,
            **named,
            **measured,
            **{key: trial.explanation.get(key) for key in EXPLANATION_COLUMNS},
            "seconds": self.durations.get(trial.number),
            "error": headline(self.errors[trial.number]) if trial.number in self.errors else None,
        }

    @property
    def _evaluated(self) -> str:
        """The number of evaluations with its noun."""
        return counted(self.evaluations, "evaluation")

    def __repr__(self) -> str:
        failed = f", {len(self.errors)} failed" if self.errors else ""
        reason = Counter(map(headline, self.errors.values())).most_common(1)
        tail = f"{self._evaluated}{failed} in {self.seconds:.1f} s; stopped because {STOP_MESSAGES[self.stopped]}"
        most = [f"most often: {text}" if count > 1 else f"for example: {text}" for text, count in reason]
        return "\n".join([*(self._front_lines() if isinstance(self.best, DataError) else self._best_lines()), tail, *most])

    def _repr_html_(self) -> str:
        """Return the best trial, or the front, as a table, which notebooks show."""
        head, *lines = repr(self).splitlines()
        about = escape(next(line for line in lines if line.startswith(self._evaluated)))
        if not isinstance(self.best, DataError):
            table = html_table(list(self.best_configuration.items())[:SHOWN])
        else:
            shown = [{"trial": trial.number, **(trial.outcomes or {})} for trial in self.pareto_front[:SHOWN]]
            table = html_table([one.values() for one in shown], shown[0] if shown else ())
        return f"<p><b>{escape(head)}</b></p>{table}<p>{about}</p>"

    def _front_lines(self) -> list[str]:
        """Return the text if there is no best trial: the front, or that no trial meets all limits."""
        if not self.pareto_front:
            return ["Result: no trial meets all limits"]
        front = [f"    trial {trial.number}: {_outcomes_text(trial)}" for trial in self.pareto_front[:SHOWN]]
        more = [f"    ... ({len(self.pareto_front)} trials in all)"] if len(self.pareto_front) > SHOWN else []
        return [
            f"Result: {counted(len(self.pareto_front), 'trial')} on the front, hypervolume {self.hypervolume:.6g}",
            *front,
            *more,
        ]

    def _best_lines(self) -> list[str]:
        """Return the text about the best trial."""
        width = max(map(len, self.best_trial.configuration), default=0)
        lines = [f"    {name:<{width}}  {value!r}" for name, value in self.best_trial.configuration.items()]
        if len(lines) > SHOWN:
            lines = [*lines[:SHOWN], f"    ... ({len(lines)} variables in all)"]
        best = f"{self.best_value:.{significant_digits(trial.value for trial in self.trials)}g}"
        return [f"Result: best value {best} (trial {self.best_trial.number})", *lines]


def _outcomes_text(trial: Trial) -> str:
    """Return the outcomes of a trial as text."""
    known = {name: "unknown" if value is None else f"{value:.6g}" for name, value in (trial.outcomes or {}).items()}
    return ", ".join(f"{name} {text}" for name, text in known.items())
