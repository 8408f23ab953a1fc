"""Experiments run by hand: reserve trials, record results from a file, cancel reservations."""

from __future__ import annotations

import getpass
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as dc_replace
from typing import Any

from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import FrozenTrial

from casmopolitan.analysis.row import ENDED, TrialRow
from casmopolitan.errors import DataError, InfeasibleError
from casmopolitan.execution.process import signature
from casmopolitan.goals import Outcome
from casmopolitan.spreadsheet.files import TableError
from casmopolitan.spreadsheet.table import Line
from casmopolitan.study.compat import ask_with_attribute, read_trial, storage_of, study_id, trial_id
from casmopolitan.study.liveness import ASKING
from casmopolitan.study.sampler.records import COMMENT, NOTE
from casmopolitan.study.sampler.search_space import suggest
from casmopolitan.study.storage.corrections import set_trial_attributes
from casmopolitan.study.trials.correct import Correction, chosen, correct_values
from casmopolitan.study.trials.known import KnownResult, compare_results, record_known, said
from casmopolitan.study.trials.open import OpenStudy
from casmopolitan.study.trials.outcomes import record_result
from casmopolitan.study.trials.status import cancel_trial, is_redundant, repeats


def reserve_trials(opened: OpenStudy, count: int, fixed: Mapping[str, Any] | None = None) -> list[TrialRow]:
    """Reserve up to `count` trials until they are told or cancelled; return fewer if the space has no more points.

    `fixed` holds values that every trial must have; SpaceError if they do not fit the space.
    """
    if count < 1:
        raise DataError(f"cannot ask for {count} trials; ask for at least one")
    opened.space.fixed(fixed or {})
    study, noisy = opened.study, opened.config.noisy
    reserved: list[int] = []
    try:
        while len(reserved) < count:
            note = {"by": ASKING, "worker": signature()}  # the trial is released if this process is killed
            trial = ask_with_attribute(study, NOTE, note, fixed)
            reserved.append(trial_id(trial))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a repeated point is cancelled below
                suggest(trial, opened.space)
            trial.set_user_attr(NOTE, {"by": "hand", "worker": _user()})
            frozen, trials = read_trial(study, trial), opened.trials()
            redundant = is_redundant(frozen, trials, noisy=noisy)
            if redundant or repeats(frozen, trials, single_point=opened.space.size == 1, noisy=noisy):
                cancel_trial(study, frozen)
                reserved.pop()
                if not redundant or fixed:
                    break
    except InfeasibleError:
        cancel_trial(study, storage_of(study).get_trial(reserved.pop()))
    except BaseException:  # Ctrl-C too: nobody would know which trials are reserved
        for one in reserved:
            cancel_trial(study, storage_of(study).get_trial(one))
        raise
    trials = opened.trials()
    numbers = {trial.number for trial in trials if trial_id(trial) in reserved}
    return [row for row in opened.rows(trials) if row.number in numbers]


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


@dataclass(frozen=True)
class Recorded:
    """What `record_results` did."""

    told: list[int]
    """Trials that got their value."""
    known: int
    """Results from elsewhere that were added."""
    again: int
    """Lines that were already known."""
    corrected: list[int]
    """Trials that had another value before."""
    cancelled: list[int] = field(default_factory=list)
    """Cancelled trials whose results were added as new trials."""
    commented: list[int] = field(default_factory=list)
    """Trials with a new comment."""


def record_results(
    opened: OpenStudy,
    path: str,
    lines: Sequence[Line],
    *,
    replace: bool = False,
    as_run: bool = False,
    comments: Mapping[int, str] | None = None,
    problems: Sequence[str] = (),
) -> Recorded:
    """Record the lines of a results file; with `replace`, a line about a trial with another value corrects it.

    With `as_run`, a line about a reserved trial that has other settings says what was run: it is added as a result from
    elsewhere, and the trial is cancelled. `comments` are those of lines without a result, by trial.

    Raises TableError, and records nothing, if any line cannot be recorded, or if `problems` names other lines of the file.
    """
    trials = opened.trials()
    rows = {row.number: row for row in opened.rows(trials)}
    noisy = opened.config.noisy
    lines, deviating = _as_run(lines, rows) if as_run else (lines, [])
    lines, new, against = _compare_lines(opened, lines, trials, rows, replace, noisy)
    problems = [*problems, *against]
    problems += [text for line in lines for text in _line_problems(line, rows, opened, replace)]
    repeated: dict[int, Line] = {}
    replicate = ", or clear the number of a replicate and give its settings" if noisy else ""
    problems += [
        f"row {line.row}: trial {line.number} has another value in row {first.row}; keep one of the two{replicate}"
        for line in lines
        if line.number in rows and (first := repeated.setdefault(line.number, line)).value != line.value
    ]
    if problems:
        raise TableError(path, problems)
    commented = _record_comments(opened, lines, comments or {}, rows, trials)
    wrong: dict[int, Correction] = {
        line.number: line.value for line in lines if line.number is not None and _differs(line, rows[line.number])
    }
    if wrong:
        correct_values(opened, wrong, trials)
    told: list[int] = []
    again = 0
    added, asked = {result.where for result in new}, {trial.number: trial for trial in trials}
    for line in lines:
        row = None if line.number is None else rows.get(line.number)
        if row is not None and row.number in wrong:
            continue
        if row is not None and row.state == "asked" and row.number not in told:
            if _tell(opened, asked[row.number], line.value):
                told.append(row.number)
            else:
                again += 1
        elif row is not None and row.state != "cancelled":
            again += 1
        else:
            again += f"row {line.row}" not in added
    record_known(opened, new)
    if deviating:
        cancel_reserved(opened, deviating)
    late = [line.number for line in lines if line.number in rows and f"row {line.row}" in added]
    return Recorded(told, len(new), again, sorted(wrong), [number for number in late if number is not None], commented)


def _record_comments(
    opened: OpenStudy,
    lines: Sequence[Line],
    comments: Mapping[int, str],
    rows: Mapping[int, TrialRow],
    trials: Sequence[FrozenTrial],
) -> list[int]:
    """Record the comments on trials that the study does not have yet; return the numbers of these trials.

    The comment on a result that becomes a new trial is recorded with that trial.
    """
    about = {line.number: line.comment for line in lines if line.comment and line.number is not None and _live(line, rows)}
    new = {number: text for number, text in {**comments, **about}.items() if rows[number].comment != text}
    ids = {trial.number: trial_id(trial) for trial in trials}
    if new:
        by_id = {ids[number]: text for number, text in new.items()}
        set_trial_attributes(opened.database, study_id(opened.study), COMMENT, by_id)
    return sorted(new)


def _compare_lines(
    opened: OpenStudy,
    lines: Sequence[Line],
    trials: Sequence[FrozenTrial],
    rows: Mapping[int, TrialRow],
    replace: bool,
    noisy: bool,
) -> tuple[list[Line], list[KnownResult], list[str]]:
    """Return the lines, the new results from elsewhere among them, and the contradictions.

    A line from elsewhere that corrects a trial gets its number. Lines about trials are compared before the others, so that
    each result counts once.
    """
    about = {f"row {line.row}": row for line in lines if (row := _live(line, rows)) is not None}
    ordered = sorted(lines, key=lambda line: f"row {line.row}" not in about)
    results = [KnownResult(_configuration(line, rows), line.value, f"row {line.row}", line.comment) for line in ordered]
    inside = [one for one in results if opened.space.allows(one.configuration)]
    new, against = compare_results(inside, trials, opened.space, opened.goals, noisy=noisy)
    against = [one for one in against if one.result.where not in about or about[one.result.where].state == "asked"]
    number = {f"row {line.row}": line.number for line in lines}
    against = [  # two lines about one trial are named elsewhere
        one
        for one in against
        if one.trial is not None or number[one.result.where] is None or number[one.line] != number[one.result.where]
    ]
    elsewhere = [one for one in against if one.trial is not None and one.result.where not in about]
    corrects = {one.result.where: one.trial for one in elsewhere if replace}
    problems = [
        one.with_advice("`--replace` corrects it" if one in elsewhere else "keep one of the two")
        for one in against
        if one.result.where not in corrects
    ]
    numbered = [dc_replace(line, number=corrects.get(f"row {line.row}", line.number)) for line in lines]
    return numbered, [one for one in new if one.where not in about], problems


def _live(line: Line, rows: Mapping[int, TrialRow]) -> TrialRow | None:
    """Return the trial that a line is about; None if there is none, or it was cancelled."""
    row = None if line.number is None else rows.get(line.number)
    return None if row is None or row.state == "cancelled" else row


def _configuration(line: Line, rows: Mapping[int, TrialRow]) -> dict[str, Any]:
    """Return the configuration that a line is about: that of its trial, or its own."""
    row = None if line.number is None else rows.get(line.number)
    return line.configuration if row is None else row.configuration


def _tell(opened: OpenStudy, trial: FrozenTrial, told: Outcome) -> bool:
    """Record a result; return False if another process has recorded the same one, DataError if another one."""
    try:
        return record_result(opened.study, trial, told, opened.goals)
    except (ValueError, UpdateFinishedTrialError):
        row = next(row for row in opened.rows() if row.number == trial.number)
        if (row.state, row.told) == ("failed" if told is None else "complete", told):
            return False
        raise DataError(
            f"trial {trial.number} is already {row.state}, with {said(row.told)}: another process was faster. The lines before "
            "it are recorded; correct its line and tell the file again"
        ) from None


def _differs(line: Line, row: TrialRow) -> bool:
    """Return whether a trial has ended with another result than a line says."""
    return row.state in ENDED and row.told != line.value


def _as_run(lines: Sequence[Line], rows: Mapping[int, TrialRow]) -> tuple[list[Line], list[int]]:
    """Return the lines without the numbers of those reserved trials that were run with other settings, and these numbers."""
    found, numbers = [], []
    for line in lines:
        row = None if line.number is None else rows.get(line.number)
        if row is not None and row.state == "asked" and _deviations(line, row):
            numbers.append(row.number)
            found.append(dc_replace(line, number=None, configuration={**row.configuration, **line.configuration}))
        else:
            found.append(line)
    return found, numbers


def _deviations(line: Line, row: TrialRow) -> dict[str, Any]:
    """Return the values of a line that differ from those of its trial."""
    own = row.configuration
    return {name: v for name, v in line.configuration.items() if name in own and not _alike(v, own[name])}


def _line_problems(line: Line, rows: Mapping[int, TrialRow], opened: OpenStudy, replace: bool) -> list[str]:
    """Return why a line about a trial cannot be recorded."""
    if line.number is None:
        return []
    trial_cell, value_cell = (f"row {line.row}, column {column!r}" for column in ("trial", opened.goals.order[0]))
    row = rows.get(line.number)
    if row is None:
        return [f"{trial_cell}: there is no trial {line.number}; clear the cell to add the line as a result from elsewhere"]
    problems = [
        f"row {line.row}, column {name!r}: says {value!r}, but trial {row.number} has {row.configuration[name]!r}; restore it "
        "or, if the experiment was run with that value, tell the file with `--as-run`"
        for name, value in _deviations(line, row).items()
    ]
    if row.state in ("running", "waiting"):
        why = f"trial {row.number} is {row.state}, not asked for by hand; leave it to `casmopolitan run`"
        problems.append(f"{trial_cell}: {why}")
    if _differs(line, row) and not replace:
        problems.append(f"{value_cell}: trial {row.number} was already told {said(row.told)}; `--replace` corrects it")
    if row.state == "cancelled":
        problems += _cancelled_problems(line, row, rows, opened)
    return problems


def _cancelled_problems(line: Line, row: TrialRow, rows: Mapping[int, TrialRow], opened: OpenStudy) -> list[str]:
    """Return why the result of a cancelled trial cannot be added as one from elsewhere."""
    where = f"row {line.row}, column {opened.goals.order[0]!r}"
    if not opened.space.allows(row.configuration):
        return [f"{where}: trial {row.number} was cancelled, and its configuration is not in the current space"]
    noisy = opened.config.noisy
    return [
        f"{where}: trial {row.number} was cancelled, and trial {other.number} already has {said(other.told)} at the same "
        "configuration; correct that trial with `--replace`"
        for other in rows.values()
        if not noisy and other.state in ("complete", "failed")
        if other.configuration == row.configuration and other.told != line.value
    ]


def _alike(one: Any, other: Any) -> bool:
    """Return whether two values are equal; numbers to the six digits that tables and spreadsheets show."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 5e-6 * max(abs(one), abs(other))
    return type(one) is type(other) and one == other


def cancel_reserved(opened: OpenStudy, numbers: Sequence[int] | None) -> list[int]:
    """Cancel trials that were asked for by hand, by default all; return their numbers."""
    trials = opened.trials()
    hint = "`casmopolitan trials --state asked` lists the reserved trials; `--replace` cancels trials that have ended"
    wanted = chosen(trials, numbers, ("asked",), ("asked",), "is not reserved", hint)
    for trial in trials:
        if trial.number in wanted:
            cancel_trial(opened.study, trial)
    return wanted
