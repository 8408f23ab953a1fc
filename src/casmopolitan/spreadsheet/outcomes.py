"""The results in a spreadsheet: one cell per outcome."""

from __future__ import annotations

import math
from collections.abc import Mapping

from casmopolitan.analysis.row import TrialRow
from casmopolitan.errors import DataError, MisfitError
from casmopolitan.goals import Goals, Outcome
from casmopolitan.spreadsheet.cells import number_in

FAILURES = ("failed", "fail", "nan", "error")
"""Entries in the column of values that mark a failed experiment."""
UNKNOWN = ("unknown", "none", "null", "?")
"""Entries that mark an outcome that was not measured."""


def result_cells(row: TrialRow, goals: Goals) -> list[str | float]:
    """Return the cells of a trial's outcomes; 'unknown' for those of a complete trial that were not measured."""
    if row.state != "complete":
        return ["failed" if row.state == "failed" else ""] * len(goals.order)
    told = row.outcomes if row.outcomes is not None else {goals.order[0]: row.value}
    return [UNKNOWN[0] if (value := told[name]) is None else value for name in goals.order]


def outcome_of(texts: Mapping[str, str], goals: Goals, comma: bool = False) -> tuple[Outcome, dict[str, str]]:
    """Return the result in the texts of all outcomes, and what is wrong with each of them."""
    if all(not text.strip() or text.strip().casefold() in FAILURES for text in texts.values()):
        return None, {}
    told: dict[str, float | None] = {}
    wrong: dict[str, str] = {}
    for name, text in texts.items():
        try:
            told[name] = _outcome(text, comma) if goals.named else value_of(text, comma)
        except DataError as error:
            wrong[name] = str(error)
    return (None, wrong) if wrong else (goals.read(told if goals.named else told[goals.order[0]]), {})


def _outcome(text: str, comma: bool) -> float | None:
    """Return one of several outcomes, None if it is unknown; DataError for anything else."""
    if text.strip().casefold() in UNKNOWN:
        return None
    if not text.strip():
        raise DataError("is empty; write 'unknown' if it was not measured")
    if text.strip().casefold() in FAILURES:
        raise DataError(f"got {text.strip()!r}, but other outcomes are known; write 'unknown' if it was not measured")
    return value_of(text, comma)


def value_of(text: str, comma: bool = False) -> float | None:
    """Return a finite number, or None for a failure; DataError for anything else."""
    if text.strip().casefold() in FAILURES:
        return None
    try:
        number = number_in(text.strip(), comma)
    except MisfitError as unsure:
        raise DataError(str(unsure)) from None
    if number is None or not math.isfinite(number):
        raise DataError(f"got {text!r:.60} as a value; give a number, 'failed', or leave it empty")
    return number
