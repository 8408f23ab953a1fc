"""Corrections of trials that have ended: another value, a failure, or no result at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from optuna.trial import FrozenTrial

from casmopolitan.analysis.row import ENDED
from casmopolitan.errors import DataError
from casmopolitan.goals import Goals, Outcome
from casmopolitan.study.compat import CONSTRAINT, study_id
from casmopolitan.study.liveness import release_stale_trials
from casmopolitan.study.sampler import records
from casmopolitan.study.sampler.records import NOTE
from casmopolitan.study.storage.corrections import TrialCorrection, correct_trials
from casmopolitan.study.trials.open import OpenStudy
from casmopolitan.study.trials.outcomes import stored, told_of
from casmopolitan.study.trials.status import note_of, state_of


class Withdrawn(Enum):
    """The type of WITHDRAWN."""

    WITHDRAWN = "cancelled"


WITHDRAWN = Withdrawn.WITHDRAWN
"""In place of a value: the trial is cancelled, costs no budget, and may be suggested again."""

Correction = Outcome | Withdrawn
"""A value, a dict of outcomes, None for a failure, or WITHDRAWN."""


def correct_values(opened: OpenStudy, outcomes: Mapping[int, Correction], trials: Sequence[FrozenTrial]) -> None:
    """Change the outcomes of finished trials in one transaction, with a record of each correction.

    Raises DataError, and records nothing, if a run is under way or one of the trials has changed since the snapshot `trials`.
    Optuna caches finished trials: open the study again to see the new values.
    """
    release_stale_trials(opened.study)
    wanted = [trial for trial in trials if trial.number in outcomes]
    corrections = [_correction(trial, outcomes[trial.number], opened.goals) for trial in wanted]
    correct_trials(opened.database, study_id(opened.study), corrections)


def _correction(trial: FrozenTrial, outcome: Correction, goals: Goals) -> TrialCorrection:
    result = stored(None if isinstance(outcome, Withdrawn) else outcome, goals)
    state = state_of(trial)
    before = told_of(trial, goals) if state == "complete" else state
    after = "failed" if outcome is None else WITHDRAWN.value if isinstance(outcome, Withdrawn) else outcome
    attributes = {} if isinstance(outcome, Withdrawn) else result.system_attrs
    told = [records.FAILED, records.PARTIAL, *(name for name in trial.system_attrs if name.startswith(CONSTRAINT))]
    error = ("ending", "error", "tail")  # of the result that is replaced
    note = {name: entry for name, entry in note_of(trial).items() if name not in error}
    return TrialCorrection(
        trial,
        result.state,
        result.values,
        audit={"trial": trial.number, "before": before, "after": after},
        user_attrs={**({NOTE: note} if note else {}), records.OUTCOMES: None, **result.user_attrs},
        system_attrs={**dict.fromkeys(told), **attributes},
    )


def withdraw_trials(opened: OpenStudy, numbers: Sequence[int] | None) -> list[int]:
    """Cancel trials that have ended, by default all that failed; return their numbers."""
    trials = opened.trials()
    wanted = chosen(trials, numbers, ("failed",), ENDED, "has not ended", "cancel it without `--replace`")
    if wanted:
        correct_values(opened, dict.fromkeys(wanted, WITHDRAWN), trials)
    return wanted


def chosen(
    trials: Sequence[FrozenTrial],
    numbers: Sequence[int] | None,
    default: Sequence[str],
    allowed: Sequence[str],
    problem: str,
    hint: str,
) -> list[int]:
    """Return the trials named by number, or all in a default state; DataError lists those in a state that is not allowed."""
    states = {trial.number: str(state_of(trial)) for trial in trials}
    wanted = sorted(set(numbers)) if numbers is not None else [n for n, state in states.items() if state in default]
    wrong = [f"trial {n} {problem} ({states.get(n, 'does not exist')})" for n in wanted if states.get(n) not in allowed]
    if wrong:
        raise DataError(f"{', '.join(wrong)}; {hint}")
    return wanted
