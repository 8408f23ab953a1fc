"""The tables of a report: the best configurations, every trial, the next ones, and the variables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from casmopolitan.analysis.row import TrialRow, identity, precision
from casmopolitan.analysis.success import Chances
from casmopolitan.formatting import abbreviate, duration, join_values
from casmopolitan.goals import Goals
from casmopolitan.report.model import ModelSummary
from casmopolitan.space import Categorical, Integer, Ordinal, Real, Space, Variable

MOST = 20
"""Rows in the table of the best configurations."""
MOST_ON_FRONT = 60
"""Rows in the table of a front."""
MANY = 16
"""With more variables, only those of the next trials are listed that differ from the best trial."""
MOST_LISTED = 1000
"""Rows in the table of all trials: the latest."""
WORDS = {"asked": "reserved", "waiting": "queued", "pruned": "ended early"}
"""States of trials in a reader's words, where they differ."""

Table = list[list[str]]


def value_text(value: object) -> str:
    """Return a value of a configuration for a reader: floats to six digits."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _cell(value: object) -> str:
    return "" if value is None else abbreviate(value_text(value), 32)


def outcome_columns(rows: Sequence[TrialRow], goals: Goals, digits: int) -> dict[str, list[str]]:
    """Return the columns of the outcomes, limits in their headings."""
    if goals.outcomes.plain:
        return {goals.order[0]: ["" if row.value is None else f"{row.value:.{digits}g}" for row in rows]}
    found = {}
    for name in goals.order:
        told = [None if row.outcomes is None else "unknown" if (v := row.outcomes.get(name)) is None else v for row in rows]
        found[" ".join(filter(None, [name, goals.limits.get(name)]))] = [
            f"{value:.8g}" if isinstance(value, float) else str(value or "") for value in told
        ]
    return found


def best_table(best: Sequence[TrialRow], order: Sequence[str], goals: Goals, space: Space, chances: Chances | None) -> Table:
    """Return the table of the best configurations or of the front, headings first; nothing if there are none."""
    if not best:
        return []
    digits, shown = max(precision(best), 6), best[: MOST if goals.single else MOST_ON_FRONT]
    columns: dict[str, list[Any]] = {"trial": [row.number for row in shown]}
    if best[0].predicted is not None:
        columns["model's mean"] = ["" if row.predicted is None else f"{row.predicted:.6g}" for row in shown]
    for name in best[0].means or ():
        columns[f"model's {name}"] = ["" if row.means is None else f"{row.means[name]:.6g}" for row in shown]
    columns |= outcome_columns(shown, goals, digits)
    if any((row.evaluations or 1) > 1 for row in best):
        columns["evaluations"] = [row.evaluations for row in shown]
    inside = [row for row in shown if space.allows(row.configuration)]
    if chances is not None and inside:
        each = zip(inside, chances([row.configuration for row in inside]), strict=True)
        known = {row.number: f"{chance:.0%}" for row, chance in each}
        if set(known.values()) - {"100%"}:
            columns["chance of success"] = [known.get(row.number, "") for row in shown]
    return _table(columns, shown, order)


def trials_table(rows: Sequence[TrialRow], order: Sequence[str], goals: Goals) -> Table:
    """Return the table of the latest trials, the newest first, headings first."""
    shown = sorted(rows, key=lambda row: -row.number)[:MOST_LISTED]
    if not shown:
        return []
    columns: dict[str, list[Any]] = {
        "trial": [row.number for row in shown],
        "state": [WORDS.get(row.state, row.state) + (", known" if row.known else "") for row in shown],
        **outcome_columns(shown, goals, max(precision(shown), 6)),
    }
    if goals.limits:
        named = {True: "yes", False: "no", None: "unknown"}
        columns["meets limits"] = [named[row.feasible] if row.state == "complete" else "" for row in shown]
    columns["source"] = [row.explanation.get("source", "") for row in shown]
    optional: dict[str, list[Any]] = {
        "seconds": [None if row.seconds is None else f"{row.seconds:.3g}" for row in shown],
        "comment": [row.comment for row in shown],
    }
    columns |= {name: column for name, column in optional.items() if any(value not in (None, "") for value in column)}
    return _table(columns, shown, order)


def _table(columns: Mapping[str, Sequence[Any]], rows: Sequence[TrialRow], order: Sequence[str]) -> Table:
    lines = [
        [*values, *(row.configuration.get(name) for name in order)]
        for row, *values in zip(rows, *columns.values(), strict=True)
    ]
    return [[abbreviate(name, 40) for name in [*columns, *order]], *([_cell(cell) for cell in line] for line in lines)]


REPEAT = "The best trial again: its value is noisy, and another measurement tells more than a new point."
"""The reason of a suggestion that has the configuration of the best trial."""


class Next(NamedTuple):
    """A trial that is suggested or under way, as the page shows it."""

    title: str
    facts: list[tuple[str, str]]
    """Predictions and the chance of success."""
    reason: str
    pairs: list[tuple[str, str, bool]]
    """The variables, the most relevant first: name, value, and whether it differs from the best trial."""
    alike: int
    """How many more variables are as in the best trial; they are left out if there are many variables."""


def next_trials(
    rows: Sequence[TrialRow],
    order: Sequence[str],
    space: Space,
    models: Sequence[ModelSummary],
    chances: Chances | None,
    best: Mapping[str, Any] | None,
    *,
    under_way: bool = False,
) -> list[Next]:
    """Return trials that are suggested or under way, each with the prediction that it was chosen by, as `ask` shows it.

    Trials without one, such as those of the initial design, have that of the report's models.
    """
    known = dict(identity(best or {}))
    found = []
    for row in rows:
        own, facts = row.configuration, []
        if space.allows(own):
            for k, model in enumerate(models):
                mean, deviation = _recorded(row, k, len(models)) or (float(one[0]) for one in model.optimizer.predict([own]))
                name = "predicted" if len(models) == 1 else model.objective
                facts += [(name, f"{mean:.5g} ± {deviation:.2g}")] if math.isfinite(mean) else []
            success = row.explanation.get("success")
            if success is None or "feasible" in row.explanation:  # the first does not count limits
                success = None if chances is None else chances([own])[0]
            facts += [] if success is None else [("chance of success", f"{success:.0%}")]
        keys = dict(identity(own))
        pairs = [(name, _cell(own[name]), bool(known) and keys[name] != known.get(name)) for name in order if name in own]
        shown = [pair for pair in pairs if pair[2]] if known and len(pairs) > MANY else pairs
        title = f"trial {row.number}" + (f", {WORDS.get(row.state, row.state)}" if under_way else "")
        repeats = bool(known) and keys == known
        reason = REPEAT if repeats else str(row.explanation.get("reason", ""))
        found.append(Next(title, facts, reason, shown, len(pairs) - len(shown)))
    return found


def _recorded(row: TrialRow, k: int, objectives: int) -> tuple[float, float] | None:
    """Return the recorded prediction of objective k of a trial; None if there is none."""
    several = row.explanation.get("means"), row.explanation.get("deviations")
    if objectives > 1:
        mean, deviation = (part[k] if isinstance(part, list | tuple) and k < len(part) else None for part in several)
    else:
        mean, deviation = row.explanation.get("mean"), row.explanation.get("deviation")
    return None if mean is None or deviation is None else (float(mean), float(deviation))


def variable_text(variable: Variable) -> str:
    """Return what a variable may be, for a reader."""
    match variable:
        case Categorical(choices=choices):
            text = f"one of {join_values(choices, many=12)}".replace("'", "")
        case Ordinal(values=values):
            text = f"in order: {join_values(values, many=12)}".replace("'", "")
        case Integer(low, high, step):
            text = f"whole number from {low} to {high}" + (f" in steps of {step}" if step != 1 else "")
        case Real(low, high, step):
            text = f"number from {low:g} to {high:g}" + (f" in steps of {step:g}" if step is not None else "")
            text += f" with {variable.digits} significant digits" if variable.digits is not None else ""
    text += ", on a log scale" if isinstance(variable, Integer | Real) and variable.log else ""
    return text if variable.when is None else f"{text}; only if {variable.when}"


def seconds_of(rows: Sequence[TrialRow]) -> str:
    """Return the time that all trials took together; empty if it is less than a second."""
    seconds = sum(row.seconds or 0.0 for row in rows)
    return duration(seconds) if seconds >= 1 else ""
