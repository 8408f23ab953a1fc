"""Trials as JSON, and results from CSV and JSON files."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from casmopolitan.analysis.row import TrialRow
from casmopolitan.errors import DataError
from casmopolitan.goals import Goals, Outcome
from casmopolitan.scalars import is_number
from casmopolitan.spreadsheet.files import TableError
from casmopolitan.study.trials.known import KnownResult, compare_results, csv_results, record_known
from casmopolitan.study.trials.open import OpenStudy

FORMAT, VERSION = "casmopolitan-trials", 1
LARGEST = 200_000_000


def as_json(opened: OpenStudy, rows: Sequence[TrialRow]) -> str:
    """Return every trial as JSON, without the centre of its region."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "study": opened.spec.name,
        **goals_of(opened.goals),
        "space": opened.space.to_dict(),
        "trials": [row.to_dict() for row in rows],
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def goals_of(goals: Goals) -> dict[str, Any]:
    """Return the objectives and limits for JSON: the direction alone if there is one objective without a name."""
    named = {"objectives": goals.objectives, "limits": goals.limits}
    return named if goals.named else {"direction": goals.direction}


@dataclass(frozen=True)
class Imported:
    """What `import_file` did."""

    added: int
    known: int
    """Results that the study already had."""
    left_out: int
    """Entries without a result in the current space."""
    ignored: list[str]
    """Columns of the file that were not read."""


def import_file(opened: OpenStudy, path: Path) -> Imported:
    """Add the results of a file, all or none."""
    ignored: list[str] = []
    comma = None
    if path.suffix.lower() == ".json":
        results, left_out = _json_results(opened, path)
    else:
        results, sheet = csv_results(opened.space, path, opened.goals)
        left_out, ignored, comma = sheet.unfilled, sheet.ignored, sheet.comma
    new, against = compare_results(results, opened.trials(), opened.space, opened.goals, noisy=opened.config.noisy)
    if against:
        raise TableError(str(path), [one.with_advice("`casmopolitan tell --replace` corrects a value") for one in against])
    record_known(opened, new)
    opened.remember_comma(comma)
    return Imported(len(new), len(results) - len(new), left_out, ignored)


def _json_results(opened: OpenStudy, path: Path) -> tuple[list[KnownResult], int]:
    try:
        if path.stat().st_size > LARGEST:
            raise DataError(f"{path} is larger than {LARGEST // 10**6} MB")
        document = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT or not isinstance(document.get("trials"), list):
        raise DataError(f"{path} is not an export of trials: its 'format' should be {FORMAT!r}, its 'trials' a list")
    if document.get("version") != VERSION:
        raise DataError(f"{path} has version {document.get('version')!r}; this casmopolitan reads version {VERSION}")
    results: list[KnownResult] = []
    problems: list[str] = []
    left_out = 0
    for k, trial in enumerate(document["trials"]):
        state = trial.get("state") if isinstance(trial, dict) else None
        if state not in ("complete", "failed") or trial.get("outside") is True:
            left_out += 1
            continue
        told, configuration = None, trial.get("configuration")
        if state == "complete":
            found = _results(trial, opened.goals, f"trials[{k}]", problems)
            if found is None:
                continue
            told = found
        wrong = opened.space.problems(configuration)
        if wrong:
            problems += [f"trials[{k}].configuration: {text}" for text in wrong]
            continue
        comment = trial.get("comment")
        results.append(KnownResult(configuration, told, f"trials[{k}]", comment if isinstance(comment, str) else ""))
    if problems:
        raise TableError(str(path), problems)
    return results, left_out


def _results(trial: dict[str, Any], goals: Goals, where: str, problems: list[str]) -> Outcome:
    """Return the result of a complete trial; None, with its problems listed, if it is not valid."""
    name = "value" if goals.outcomes.plain else "outcomes"
    told = trial.get(name)
    try:
        found = None if is_number(told) and not math.isfinite(told) else goals.read(told)
        if found is None:
            raise DataError(f"got {told!r:.60}; a value is a finite number")
        return found
    except DataError as error:
        problems += [f"{where}.{name}: {text.strip()}" for text in str(error).splitlines()]
        return None
