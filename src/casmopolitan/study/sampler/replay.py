"""From Optuna's trials to events, and from events to the state: a pure function of what the storage has recorded.

Completed trials count in the order (time of completion, number), each as its ask and its outcome; those that run, or wait
with all their parameters fixed, follow as pending. A trial with the record of this study's sampler is `Asked` and `Told`; any
other that fits the space is `Given`, such as one that was copied from another study.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from datetime import datetime
from typing import Final

from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from casmopolitan.config import Config
from casmopolitan.core.state import Asked, Cancelled, Event, Given, Provenance, State, Suggestion, Told, opening, tell
from casmopolitan.journal import suggestion_from_dict
from casmopolitan.study.compat import trial_id
from casmopolitan.study.sampler import records
from casmopolitan.study.sampler.prefix_cache import Prefixes
from casmopolitan.study.sampler.search_space import Border, Params
from casmopolitan.trial import Direction


class Killed:
    """The type of KILLED."""


KILLED: Final = Killed()
"""The outcome of a trial that was not evaluated to its end: it neither counts nor is avoided."""


def direction_of(study: Study) -> Direction:
    """Return the study's direction as the library names it."""
    return "maximize" if study.direction == StudyDirection.MAXIMIZE else "minimize"


def outcome(trial: FrozenTrial, sign: float) -> float | Killed | None:
    """What came of a finished trial: a value in the core's sign, None for a failure, or KILLED.

    Infinite values and infeasible trials are failures; a pruned trial has its last intermediate value, and is a failure
    without one. A failed trial counts when the sampler saw it fail: one whose worker died was not seen.
    """
    if trial.state == TrialState.FAIL:
        return None if trial.system_attrs.get(records.FAILED) is True else KILLED
    value = trial.value
    if value is None or not math.isfinite(value) or not feasible(trial):
        return None
    return sign * value


def feasible(trial: FrozenTrial) -> bool:
    """Whether every constraint that the trial has set is satisfied, i.e. at most 0."""
    return all(value <= 0 for value in trial.constraints.values())


def known_params(trial: FrozenTrial) -> Params:
    """The parameters that a trial has, or will have because they were enqueued."""
    fixed = trial.system_attrs.get("fixed_params")
    return {**(fixed if isinstance(fixed, dict) else {}), **trial.params}


def suggestion_of(trial: FrozenTrial, border: Border) -> Suggestion | None:
    """The suggestion recorded with a trial for the same space, when the trial kept to it; damaged records are none."""
    record = records.read(trial.system_attrs)
    if record is None or record.get("space") != border.fingerprint:
        return None
    try:
        suggestion = suggestion_from_dict(record["suggestion"], border.space.domain)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError):
        return None
    if not 0 <= suggestion.provenance.region <= trial.number:  # a region has at least one trial
        return None
    return suggestion if border.agrees(suggestion.point, known_params(trial)) else None


def written_here(trial: FrozenTrial, writer: str | None) -> bool:
    """Whether a trial's record is this study's: made with its settings for this trial, or for one that it tries again.

    A copy of a whole study has its settings and numbers. A record without a signature is taken for it; None accepts all.
    """
    record, tries = records.read(trial.system_attrs) or {}, trial.system_attrs.get("retry_history")
    numbers = [trial.number, *(tries if isinstance(tries, list) else [])]
    return writer is None or (record.get("writer", writer) == writer and record.get("number", trial.number) in numbers)


def finished_key(trial: FrozenTrial) -> Hashable:
    """The identity of a finished trial, which never changes again; databases reuse the ids of deleted trials."""
    return trial_id(trial), trial.datetime_complete


def completion(trial: FrozenTrial) -> tuple[datetime, int]:
    """Where a finished trial stands in the order of completion."""
    return trial.datetime_complete or datetime.min, trial.number


def completed(trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
    """The finished trials in the order of completion."""
    return sorted((trial for trial in trials if trial.state.is_finished()), key=completion)


class History:
    """The state of a study in one space; what it remembers are the results of whole prefixes, so it answers as if afresh."""

    def __init__(self, border: Border, config: Config, sign: float, writer: str | None = None) -> None:
        self.border = border
        self.config = config
        self.sign = sign
        self.writer = writer
        self._states = Prefixes(opening(border.space.domain, config))

    def state(self, trials: Sequence[FrozenTrial], number: int) -> State:
        """The state as trial `number` finds it."""
        done = completed(trials)
        state = self._states.fold([finished_key(trial) for trial in done], done, self._after)
        for asked in self.pending(trials, number, state.current):
            state = tell(state, asked, self.border.space.domain, self.config)
        return state

    def _after(self, state: State, trial: FrozenTrial) -> State:
        for event in self.events(trial):
            state = tell(state, event, self.border.space.domain, self.config)
        return state

    def events(self, trial: FrozenTrial) -> list[Event]:
        """What a finished trial adds to the log: nothing when it does not fit the space."""
        result = outcome(trial, self.sign)
        suggestion = suggestion_of(trial, self.border) if written_here(trial, self.writer) else None
        if suggestion is not None:
            ended = Cancelled(trial.number) if isinstance(result, Killed) else Told(trial.number, result)
            return [Asked(trial.number, suggestion), ended]
        point = None if isinstance(result, Killed) else self.border.point(trial.params)
        return [] if point is None or isinstance(result, Killed) else [Given(trial.number, point, result)]

    def pending(self, trials: Sequence[FrozenTrial], number: int, region: int) -> list[Asked]:
        """The running and waiting trials other than trial `number` whose point is known, by number."""
        found = []
        for trial in trials:
            if trial.state.is_finished() or trial.number == number:
                continue
            suggestion = suggestion_of(trial, self.border)
            if suggestion is None and (point := self.border.point(known_params(trial))) is not None:
                suggestion = Suggestion(point, Provenance(region, "given"))
            if suggestion is not None:
                found.append(Asked(trial.number, suggestion))
        return found
