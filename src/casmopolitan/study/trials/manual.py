"""Experiments run by hand: trials reserved in the database, results told from a file, reservations given back."""

from __future__ import annotations

import getpass
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as dc_replace
from typing import Any

from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import TrialState

from casmopolitan.errors import DataError, InfeasibleError
from casmopolitan.study.compat import read_trial, storage_of, suggest_parameter, trial_id
from casmopolitan.study.execution.liveness import ASKING, signature
from casmopolitan.study.sampler.records import NOTE
from casmopolitan.study.sampler.search_space import distributions_of
from casmopolitan.study.trials.anew import WITHDRAWN, corrected
from casmopolitan.study.trials.known import KnownResult, compare_results, record_known
from casmopolitan.study.trials.open import OpenStudy, ensure_not_replaced
from casmopolitan.study.trials.row import TrialRow
from casmopolitan.study.trials.spreadsheet import Line, TableError
from casmopolitan.study.trials.status import cancel_trial, is_redundant, repeats


def asked(opened: OpenStudy, count: int) -> list[TrialRow]:
    """Reserve up to `count` trials; fewer when the space has no more. Nobody else gets them until they are told or freed."""
    if count < 1:
        raise DataError(f"cannot ask for {count} trials; ask for at least one")
    study = opened.study
    taken: list[int] = []
    try:
        while len(taken) < count:
            trial = study.ask()
            taken.append(trial_id(trial))
            trial.set_user_attr(NOTE, {"by": ASKING, "worker": signature()})  # freed later, should this process be killed
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that a point is repeated: it is given back below
                for name, distribution in distributions_of(opened.space).items():
                    suggest_parameter(trial, name, distribution)
            trial.set_user_attr(NOTE, {"by": "hand", "worker": _person()})
            frozen = read_trial(study, trial)
            trials, noisy = opened.trials(), opened.config.noisy
            redundant = is_redundant(frozen, trials, noisy=noisy)
            if redundant or repeats(frozen, trials, single_point=opened.space.size == 1, noisy=noisy):
                cancel_trial(study, frozen)
                taken.pop()
                if not redundant:
                    break
    except InfeasibleError:
        cancel_trial(study, storage_of(study).get_trial(taken.pop()))
    except BaseException:  # Ctrl-C too: nobody would know what is reserved
        for one in taken:
            cancel_trial(study, storage_of(study).get_trial(one))
        raise
    ensure_not_replaced(opened)
    numbers = {storage_of(study).get_trial_number_from_id(one) for one in taken}
    return [row for row in opened.rows() if row.number in numbers]


def _person() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


@dataclass(frozen=True)
class Told:
    """What a results file came to."""

    told: list[int]
    """Trials that got their value."""
    known: int
    """Results from outside that were added."""
    again: int
    """Lines that said what was known already."""
    corrected: list[int]
    """Trials whose value was another before."""
    kept: str
    """What the study before the correction is called, if there was one."""


def told(opened: OpenStudy, path: str, lines: Sequence[Line], *, replace: bool = False) -> Told:
    """Record the lines of a results file; TableError, and nothing recorded, when any of them cannot be.

    replace: a line about a trial that was told another value corrects it; the study before is kept under another name.
    """
    rows = {row.number: row for row in opened.rows()}
    lines, new, problems = _sorted(opened, lines, rows, replace)
    problems += [text for line in lines for text in _line_problems(line, rows, opened, replace)]
    repeated: dict[int, Line] = {}
    problems += [
        f"row {line.row}: trial {line.number} has another value in row {first.row}; keep one of the two"
        for line in lines
        if line.number is not None and (first := repeated.setdefault(line.number, line)).value != line.value
    ]
    if problems:
        raise TableError(path, problems)
    wrong = {line.number: line.value for line in lines if line.number is not None and _differs(line, rows[line.number])}
    kept = ""
    if wrong:
        opened, kept = corrected(opened, wrong)
        lines = [line for line in lines if line.number not in wrong]
    numbers: list[int] = []
    again = 0
    for line in lines:
        row = rows.get(line.number) if line.number is not None else None
        if row is not None and row.state == "asked" and row.number not in numbers:
            if _recorded(opened, row.number, line.value):
                numbers.append(row.number)
            else:
                again += 1
        elif row is not None and row.state != "cancelled":
            again += 1
        else:
            again += f"row {line.row}" not in {outside.where for outside in new}
    record_known(opened, new)
    ensure_not_replaced(opened)
    return Told(numbers, len(new), again, sorted(wrong), kept)


def _sorted(
    opened: OpenStudy, lines: Sequence[Line], rows: dict[int, TrialRow], replace: bool
) -> tuple[list[Line], list[KnownResult], list[str]]:
    """The lines, which of them are new results from outside, and what is wrong.

    A line from outside that contradicts a trial stands under its number where it is to correct it. Lines about trials are
    sorted with the others, and before them, so that what they say counts once.
    """
    about = {f"row {line.row}": row for line in lines if (row := _live(line, rows)) is not None}
    own = sorted(lines, key=lambda line: f"row {line.row}" not in about)
    results = [KnownResult(_place(line, rows), line.value, f"row {line.row}") for line in own]
    new, against = compare_results(
        [one for one in results if opened.space.allows(one.configuration)],
        opened.trials(),
        opened.space,
        noisy=opened.config.noisy,
    )
    against = [one for one in against if one.result.where not in about or about[one.result.where].state == "asked"]
    outside = [one for one in against if one.trial is not None and one.result.where not in about]
    corrects = {one.result.where: one.trial for one in outside if replace}
    problems = [
        f"{one}; {'`--replace` corrects it' if one in outside else 'keep one of the two'}"
        for one in against
        if one.result.where not in corrects
    ]
    under = [dc_replace(line, number=corrects.get(f"row {line.row}", line.number)) for line in lines]
    return under, [one for one in new if one.where not in about], problems


def _live(line: Line, rows: dict[int, TrialRow]) -> TrialRow | None:
    """The trial that a line is about; None where there is none, or it was given back."""
    row = None if line.number is None else rows.get(line.number)
    return None if row is None or row.state == "cancelled" else row


def _place(line: Line, rows: dict[int, TrialRow]) -> dict[str, Any]:
    """The configuration that a line is about: its trial's, or its own."""
    row = None if line.number is None else rows.get(line.number)
    return line.configuration if row is None else row.configuration


def _recorded(opened: OpenStudy, number: int, value: float | None) -> bool:
    """Whether the trial got its value here; False where somebody else told it the same meanwhile, DataError where another."""
    try:
        if value is None:
            opened.study.tell(number, state=TrialState.FAIL)
        else:
            opened.study.tell(number, value)
    except (ValueError, UpdateFinishedTrialError):
        row = next(row for row in opened.rows() if row.number == number)
        if (row.state, row.value) == ("failed" if value is None else "complete", value):
            return False
        raise DataError(
            f"trial {number} is {row.state} by now, with {row.value!r}: somebody else was quicker. The lines before it are "
            "recorded; mend its line and tell the file again"
        ) from None
    return True


def _differs(line: Line, row: TrialRow) -> bool:
    """Whether a trial has ended otherwise than a line says."""
    return row.state in ("complete", "failed") and row.value != line.value


def _line_problems(line: Line, rows: dict[int, TrialRow], opened: OpenStudy, replace: bool) -> list[str]:
    """Why a line cannot be recorded."""
    if line.number is None:
        return []
    where = f"row {line.row}, column 'trial'"
    row = rows.get(line.number)
    if row is None:
        return [f"{where}: there is no trial {line.number}; clear the cell to add the line as a result from outside"]
    problems = [
        f"row {line.row}, column {name!r}: says {value!r}, but trial {row.number} has {row.configuration[name]!r}; put it back "
        "or, if that is what was run, clear the trial's number"
        for name, value in line.configuration.items()
        if name in row.configuration and not _alike(value, row.configuration[name])
    ]
    lacking = [name for name in opened.space if name not in row.configuration]
    if lacking:
        problems.append(f"{where}: trial {row.number} was never given a value of {lacking[0]!r}; cancel it and ask again")
    if row.state in ("running", "waiting"):
        problems.append(f"{where}: trial {row.number} is {row.state}, not asked for by hand; leave it to `casmopolitan run`")
    if _differs(line, row) and not replace:
        before = "failed" if row.value is None else repr(row.value)
        where = f"row {line.row}, column 'value'"
        problems.append(f"{where}: trial {row.number} was told {before} already; `--replace` corrects it")
    if row.state == "cancelled" and not opened.config.noisy:
        problems += [
            f"row {line.row}, column 'value': the point of trial {row.number}, which was cancelled, has "
            f"{'failed' if other.value is None else repr(other.value)} as trial {other.number} already; it cannot change"
            for other in rows.values()
            if other.state in ("complete", "failed") and other.configuration == row.configuration and other.value != line.value
        ]
    return problems


def _alike(one: Any, other: Any) -> bool:
    """Equal, or equal to the six digits that are shown of a number, here and in a spreadsheet."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 5e-6 * max(abs(one), abs(other))
    return type(one) is type(other) and one == other


def withdrawn(opened: OpenStudy, numbers: Sequence[int] | None) -> tuple[list[int], str]:
    """Take back trials that have ended, these or all that failed; their numbers, and what the study before is called now."""
    rows = {row.number: row for row in opened.rows()}
    wanted = [row.number for row in rows.values() if row.state == "failed"] if numbers is None else sorted(set(numbers))
    wrong = [number for number in wanted if number not in rows or rows[number].state not in ("complete", "failed")]
    if wrong:
        what = ", ".join(f"{n} ({rows[n].state if n in rows else 'does not exist'})" for n in wrong)
        raise DataError(f"not ended: trial {what}; without `--replace` those are cancelled that were asked for by hand")
    return (wanted, corrected(opened, dict.fromkeys(wanted, WITHDRAWN))[1]) if wanted else ([], "")


def given_back(opened: OpenStudy, numbers: Sequence[int] | None) -> list[int]:
    """Free trials that were asked for by hand: these, or all; their numbers."""
    frozen = {trial.number: trial for trial in opened.study.get_trials(deepcopy=False)}
    rows = {row.number: row for row in opened.rows()}
    wanted = [row.number for row in rows.values() if row.state == "asked"] if numbers is None else sorted(set(numbers))
    wrong = [number for number in wanted if number not in rows or rows[number].state != "asked"]
    if wrong:
        what = ", ".join(f"{n} ({rows[n].state if n in rows else 'does not exist'})" for n in wrong)
        ended = any(n in rows and rows[n].state in ("complete", "failed") for n in wrong)
        hint = "; `--replace` takes back what has ended" if ended else ""
        raise DataError(f"not asked for by hand: trial {what}; `casmopolitan trials --state asked` lists those that are{hint}")
    for number in wanted:
        cancel_trial(opened.study, frozen[number])
    return wanted
