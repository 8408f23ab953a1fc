"""Optuna trials -> events -> state: a pure function of what the storage has recorded, cached by prefix.

Completed trials count in the order (time of completion, number), each as its ask and its outcome. Running trials follow as
pending, and so do waiting trials whose parameters are all fixed. A trial with a record that this study's sampler wrote for the
present search space is `Asked` and `Told`. Any other trial that fits the space is `Given`: it was copied from another study, or
the search space has changed since. A trial that does not fit adds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Generic, TypeVar

from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from casmopolitan.config import Config
from casmopolitan.core.past import Past
from casmopolitan.core.points import Points
from casmopolitan.core.state import Asked, Cancelled, Event, Given, Provenance, State, Suggestion, Told, opening, tell
from casmopolitan.journal import suggestion_from_dict
from casmopolitan.study.compat import trial_id
from casmopolitan.study.sampler import records
from casmopolitan.study.sampler.outcomes import MINIMISE, Killed, StudyGoals, outcome
from casmopolitan.study.sampler.search_space import Params, Translation
from casmopolitan.trial import Direction

T = TypeVar("T")
Item = TypeVar("Item")

RECENT = 64
"""How many of the latest prefixes keep their result, so that completions slightly out of order cost little."""


class PrefixCache(Generic[T]):
    """A fold over lists that mostly grow at their end; it keeps the results of recent prefixes."""

    def __init__(self, start: T) -> None:
        self._keys: list[Hashable] = []
        self._results: dict[int, T] = {0: start}

    def fold(self, keys: Sequence[Hashable], items: Sequence[Item], step: Callable[[T, Item], T]) -> T:
        """Return the fold of `step` over all items; keys[i] identifies items[i]."""
        shared = self._shared(keys)
        first = max(n for n in self._results if n <= shared)
        result = self._results[first]
        self._results = {n: kept for n, kept in self._results.items() if n <= first}
        for n in range(first, len(items)):
            result = step(result, items[n])
            self._results[n + 1] = result
        self._keys = list(keys)
        for n in sorted(self._results)[1:-RECENT]:
            del self._results[n]
        return result

    def _shared(self, keys: Sequence[Hashable]) -> int:
        """Return the length of the prefix that these keys share with the last ones."""
        known = len(self._keys)
        if list(keys[:known]) == self._keys:
            return known
        return next(n for n, (a, b) in enumerate(zip([*keys, None], [*self._keys, ...], strict=False)) if a != b)


def direction_of(study: Study) -> Direction:
    """Return the study's direction as the library names it."""
    return "maximize" if study.direction == StudyDirection.MAXIMIZE else "minimize"


def known_params(trial: FrozenTrial) -> Params:
    """Return the parameters that a trial has, or will have because they were enqueued."""
    fixed = trial.system_attrs.get("fixed_params")
    return {**(fixed if isinstance(fixed, dict) else {}), **trial.params}


def suggestion_of(trial: FrozenTrial, translation: Translation) -> Suggestion | None:
    """Return the suggestion recorded with a trial.

    Returns None if there is no valid record for the present search space, or if the trial has other parameters.
    """
    record = records.read(trial.system_attrs)
    if record is None or record.get("space") != translation.fingerprint:
        return None
    try:
        suggestion = suggestion_from_dict(record["suggestion"], translation.space.domain)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError):
        return None
    if not 0 <= suggestion.provenance.region <= trial.number:  # a region has at least one trial
        return None
    return suggestion if translation.agrees(suggestion.point, known_params(trial)) else None


def point_of(trial: FrozenTrial, params: Params, translation: Translation) -> Points | None:
    """Return the point of a trial with these parameters; None if it does not fit the search space.

    A trial of a study file has exactly the variables of the file. One with a further parameter has a variable that was removed
    from the file since, and the effect of that variable on the result is not known. Other trials may have further parameters.
    A trial that has started counts with the default of a parameter that was added since.
    """
    if records.NOTE in trial.user_attrs and any(name not in translation.space for name in params):
        return None
    return translation.point(params if trial.state == TrialState.WAITING else {**translation.defaults, **params})


def written_here(trial: FrozenTrial, writer: str | None) -> bool:
    """Return whether a trial's record belongs to this study: to its settings, and to this trial or one that it retries.

    A copy of a whole study has the same settings and numbers. A record without a signature is accepted; a writer of None
    accepts all records.
    """
    record, tries = records.read(trial.system_attrs) or {}, trial.system_attrs.get("retry_history")
    numbers = [trial.number, *(tries if isinstance(tries, list) else [])]
    return writer is None or (record.get("writer", writer) == writer and record.get("number", trial.number) in numbers)


def finished_key(trial: FrozenTrial) -> Hashable:
    """Return the identity of a finished trial and its result, which may be corrected later.

    Databases reuse the ids of deleted trials, so the time is a part of it.
    """
    result = (trial.state, tuple(trial.values or ()), records.FAILED in trial.system_attrs)
    partial = trial.system_attrs.get(records.PARTIAL)
    limited = (tuple(sorted(trial.constraints.items())), tuple(partial) if isinstance(partial, list) else None)
    return trial_id(trial), trial.datetime_complete, result, limited


def completion(trial: FrozenTrial) -> tuple[datetime, int]:
    """Return the sort key of a finished trial in the order of completion."""
    return trial.datetime_complete or datetime.min, trial.number


def completed(trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
    """Return the finished trials in the order of completion."""
    return sorted((trial for trial in trials if trial.state.is_finished()), key=completion)


class History:
    """The history of a study in one search space. The cache changes no result."""

    def __init__(
        self,
        translation: Translation,
        config: Config,
        goals: StudyGoals = MINIMISE,
        writer: str | None = None,
        past: Past | None = None,
    ) -> None:
        self.translation = translation
        self.config = config
        self.goals = goals
        self.writer = writer
        self._states = PrefixCache(opening(translation.space.domain, config, goals.outcomes, past))
        self._added: PrefixCache[frozenset[tuple[int, int]]] = PrefixCache(frozenset())

    def state(self, trials: Sequence[FrozenTrial], number: int) -> State:
        """Return the state before trial `number` is suggested."""
        done = completed(trials)

        def after(state: State, place: int) -> State:
            for event in self.events(done[place], done[:place]):
                state = tell(state, event, self.translation.space.domain, self.config)
            return state

        keys, places = [finished_key(trial) for trial in done], range(len(done))
        state = self._states.fold(keys, places, after)
        for asked in self.pending(trials, number, state.current):
            state = tell(state, asked, self.translation.space.domain, self.config)
        added = self._added.fold(keys, places, lambda found, k: found | self.translation.added(done[k].distributions))
        return replace(state, added=added)

    def events(self, trial: FrozenTrial, before: Sequence[FrozenTrial] = ()) -> list[Event]:
        """Return the events of a finished trial; none if it does not fit the search space.

        `before` holds the trials that finished before it: a pruned trial is compared with them.
        """
        result = outcome(trial, self.goals, before)
        suggestion = suggestion_of(trial, self.translation) if written_here(trial, self.writer) else None
        if suggestion is not None:
            ended = Cancelled(trial.number) if isinstance(result, Killed) else Told(trial.number, result)
            return [Asked(trial.number, suggestion), ended]
        if isinstance(result, Killed):
            return []
        point = point_of(trial, trial.params, self.translation)
        return [] if point is None else [Given(trial.number, point, result)]

    def pending(self, trials: Sequence[FrozenTrial], number: int, region: int) -> list[Asked]:
        """Return the running and waiting trials other than trial `number` whose point is known, by number."""
        found = []
        for trial in trials:
            if trial.state.is_finished() or trial.number == number:
                continue
            suggestion = suggestion_of(trial, self.translation)
            if suggestion is None and (point := point_of(trial, known_params(trial), self.translation)) is not None:
                suggestion = Suggestion(point, Provenance(region, "given"))
            if suggestion is not None:
                found.append(Asked(trial.number, suggestion))
        return found
