"""Trials as JSON, and results from CSV and JSON files."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from casmopolitan.analysis.row import TrialRow
from casmopolitan.errors import DataError
from casmopolitan.spreadsheet.table import TableError
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
        "direction": opened.spec.direction,
        "space": opened.space.to_dict(),
        "trials": [row.to_dict() for row in rows],
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


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
    if path.suffix.lower() == ".json":
        results, left_out = _json_results(opened, path)
    else:
        results, sheet = csv_results(opened.space, path)
        left_out, ignored = sheet.unfilled, sheet.ignored
    new, against = compare_results(results, opened.trials(), opened.space, noisy=opened.config.noisy)
    if against:
        raise TableError(str(path), [f"{one}; `casmopolitan tell --replace` corrects a value" for one in against])
    record_known(opened, new)
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
        value, configuration = trial.get("value"), trial.get("configuration")
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        number = plain and -sys.float_info.max <= value <= sys.float_info.max
        if state == "complete" and not number:
            problems.append(f"trials[{k}].value: got {value!r:.60}; a value is a finite number")
            continue
        wrong = opened.space.problems(configuration)
        if wrong:
            problems += [f"trials[{k}].configuration: {text}" for text in wrong]
            continue
        results.append(KnownResult(configuration, float(value) if state == "complete" else None, f"trials[{k}]"))
    if problems:
        raise TableError(str(path), problems)
    return results, left_out
