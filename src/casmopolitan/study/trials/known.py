"""Results from elsewhere, which cost no budget, and the initial configurations of a study file."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import optuna
from optuna.trial import FrozenTrial

from casmopolitan.analysis.row import identity
from casmopolitan.errors import MisfitError
from casmopolitan.goals import ONE_OBJECTIVE, Goals, Outcome, outcome_text
from casmopolitan.space import Space
from casmopolitan.spreadsheet.files import TableError
from casmopolitan.spreadsheet.table import Sheet, scan
from casmopolitan.study.file.goals import known_result
from casmopolitan.study.sampler.records import COMMENT, NOTE
from casmopolitan.study.sampler.replay import known_params
from casmopolitan.study.sampler.search_space import distributions_of
from casmopolitan.study.trials.open import OpenStudy
from casmopolitan.study.trials.outcomes import stored, told_of
from casmopolitan.study.trials.status import cancel_trial, state_of


class KnownResult(NamedTuple):
    """A result from elsewhere (a value, a dict of outcomes, None for a failure), and its place in a file."""

    configuration: Mapping[str, Any]
    value: Outcome
    where: str = ""
    comment: str = ""


class Contradiction(NamedTuple):
    """A result from elsewhere whose configuration already has another value, although the objective is not noisy."""

    result: KnownResult
    value: Outcome
    trial: int | None
    """The trial with the other value; None if it is in an earlier line of the same file."""
    line: str = ""
    """That line."""

    def __str__(self) -> str:
        where = f"{self.result.where}: " if self.result.where else ""
        other = self.line or "a line before it" if self.trial is None else f"trial {self.trial}"
        return f"{where}says {said(self.result.value)}, but {other} has {said(self.value)} at the same configuration"

    def with_advice(self, correction: str) -> str:
        """Return the contradiction and what to do: `correction` if a trial has the other value."""
        both = "keep one of the two, or set noisy = true in the study file if both were measured"
        return f"{self}; {both if self.trial is None else correction}"


def said(told: Outcome) -> str:
    """Return a result as text, every digit of it."""
    return repr(told) if isinstance(told, float) else outcome_text(told, 17)


def told_key(told: Outcome) -> Hashable:
    """Return a key that is equal for equal results."""
    return tuple(sorted(told.items(), key=lambda item: item[0])) if isinstance(told, dict) else told


def compare_results(
    results: Iterable[KnownResult],
    trials: Iterable[FrozenTrial],
    space: Space,
    goals: Goals = ONE_OBJECTIVE,
    *,
    noisy: bool,
) -> tuple[list[KnownResult], list[Contradiction]]:
    """Return the results that a study does not have yet, and those that contradict it.

    A noisy objective may have any number of results per configuration, equal ones too. If the file has more equal results
    than the study, only the surplus is new. Raises SpaceError if a configuration is not in the space.
    """
    ended = [trial for trial in trials if state_of(trial) in ("complete", "failed")]
    values = [(identity(known_params(trial)), told_of(trial, goals), trial.number) for trial in ended]
    there = Counter((key, told_key(value)) for key, value, _ in values)
    valued: dict[Any, tuple[Outcome, int | None, str]] = {
        key: (told, number, "") for key, told, number in values if told is not None
    }
    new: list[KnownResult] = []
    against: list[Contradiction] = []
    for given in results:
        result = given._replace(configuration=space.read(given.configuration))
        key, told = identity(result.configuration), told_key(result.value)
        if there[key, told]:
            if noisy:
                there[key, told] -= 1  # an equal result after this one is a replicate
        elif not noisy and key in valued:
            against.append(Contradiction(result, *valued[key]))
        else:
            new.append(result)
            if not noisy:
                there[key, told] += 1
            if result.value is not None:
                valued[key] = (result.value, None, result.where)
    return new, against


def add_known(opened: OpenStudy, results: Iterable[KnownResult]) -> tuple[int, list[Contradiction]]:
    """Record the results that a study does not have yet; return how many, and those that contradict it and were left out."""
    new, against = compare_results(results, opened.trials(), opened.space, opened.goals, noisy=opened.config.noisy)
    record_known(opened, new)
    return len(new), against


def record_known(opened: OpenStudy, new: Sequence[KnownResult]) -> None:
    """Record results from elsewhere as trials."""
    distributions = distributions_of(opened.space)
    for result in new:
        kept = stored(result.value, opened.goals)
        opened.study.add_trial(
            optuna.trial.create_trial(
                state=kept.state,
                values=kept.values,
                params=dict(result.configuration),
                distributions={name: distributions[name] for name in result.configuration},
                user_attrs={NOTE: {"by": "known"}, **({COMMENT: result.comment} if result.comment else {}), **kept.user_attrs},
                system_attrs=kept.system_attrs,
            )
        )


def csv_results(space: Space, path: Path, goals: Goals = ONE_OBJECTIVE) -> tuple[list[KnownResult], Sheet]:
    """Return the results of a CSV file or a workbook, and the file; TableError lists everything wrong with it."""
    sheet = scan(path, space, goals=goals)
    lines = sheet.lines
    missing = {line.row for line in lines if not space.activity.active(line.configuration) <= set(line.configuration)}
    problems = [*sheet.problems]
    problems += [f"row {line.row}: does not give every variable" for line in lines if line.row in missing]
    problems += [
        f"row {line.row}: {text}" for line in lines if line.row not in missing for text in space.problems(line.configuration)
    ]
    if problems:
        raise TableError(str(path), problems)
    return [KnownResult(line.configuration, line.value, f"row {line.row}", line.comment) for line in lines], sheet


def add_known_of_file(opened: OpenStudy) -> list[Contradiction]:
    """Record the known results of the study file; return those that contradict a trial."""
    spec = opened.spec
    if isinstance(spec.known, str):
        known, _ = csv_results(spec.space, spec.folder / spec.known, opened.goals)
    else:
        known = [
            KnownResult(entry.configuration, opened.goals.read(known_result(entry)), f"known.{i}")
            for i, entry in enumerate(spec.known)
        ]
    return add_known(opened, known)[1] if known else []


def enqueue_initial(opened: OpenStudy) -> None:
    """Queue the initial configurations of the study file that have no trial yet."""
    wanted = [opened.space.read(configuration) for configuration in opened.spec.initial]
    if not wanted:
        return
    there = [known_params(trial) for trial in opened.trials() if state_of(trial) != "cancelled"]
    noisy = opened.config.noisy
    for k, configuration in enumerate(wanted):
        often = wanted[: k + 1].count(configuration) if noisy else 1  # every replicate of a noisy objective is run
        if there.count(configuration) < often:
            there.append(configuration)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                opened.study.enqueue_trial(configuration)


def cancel_misfits(opened: OpenStudy) -> list[int]:
    """Cancel queued trials with values that the space no longer has; return their numbers."""
    waiting = [trial for trial in opened.trials() if state_of(trial) == "waiting"]
    misfits = [trial for trial in waiting if not _fits(known_params(trial), opened.space)]
    for trial in misfits:
        cancel_trial(opened.study, trial)
    return [trial.number for trial in misfits]


def _fits(params: Mapping[str, Any], space: Space) -> bool:
    """Return whether every parameter that the space has as a variable has a valid value."""
    try:
        for name in space:
            if name in params:
                space[name].read(params[name])
    except MisfitError:
        return False
    return True
