"""The event log of an optimiser, and the trials that it describes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from operator import is_
from typing import Any

import numpy as np

from casmopolitan.config import Config
from casmopolitan.core.changed_space import moved_state, with_observations
from casmopolitan.core.front import non_dominated
from casmopolitan.core.gp.model import Model
from casmopolitan.core.partial import Fixed
from casmopolitan.core.past import Past
from casmopolitan.core.points import Array, Points
from casmopolitan.core.state import Asked, Cancelled, Event, Given, Observation, Suggestion, Told, Value, opening, tell
from casmopolitan.errors import DataError, SpaceError
from casmopolitan.goals import Goals, Outcome
from casmopolitan.past import completed
from casmopolitan.scalars import Scalar, is_whole
from casmopolitan.space import Categorical, Space
from casmopolitan.space.variables import columns
from casmopolitan.trial import EXPLANATION_FIELDS, Configuration, Status, Trial, reason_of


@dataclass(frozen=True, eq=False)
class Extended:
    """The space was changed; trials without a variable count as if they had the value in `values`."""

    space: Space
    values: Mapping[str, Scalar]

    def to_dict(self) -> dict[str, Any]:
        """Return the event as JSON."""
        return {"event": "extended", "space": self.space.to_dict(), "values": dict(self.values)}


class TrialLog:
    """Events in the order they happened, the state they lead to, and the trials they describe.

    Values inside events and state are in the core's sign (minimisation), those of trials in the user's. Not thread-safe.
    """

    def __init__(self, space: Space, config: Config, goals: Goals, past: Past | None = None) -> None:
        self.space = space
        self.config = config
        self.goals = goals
        self.first_space = space
        self.values: Mapping[str, Scalar] = {}
        """The values that trials had before a variable was added, of all extensions so far."""
        self.events: list[Event | Extended] = []
        self.state = opening(space.domain, config, goals.outcomes, past)
        self._trials: dict[int, Trial] = {}
        self._observed: list[Observation] = []  # also those that do not fit the space any more
        self._ended_at: dict[bytes, tuple[int, ...]] = {}  # numbers of the trials that ended at a point, by its identity

    def __len__(self) -> int:
        return len(self._trials)

    @property
    def trials(self) -> list[Trial]:
        """All trials, by number."""
        return [self._trials[number] for number in sorted(self._trials)]

    @property
    def pending(self) -> list[Trial]:
        """The trials that were asked for and neither told nor cancelled."""
        return [self._trials[number] for number in sorted({**self.state.pending, **self.state.outside})]

    def extend(self, event: Extended, past: Past | None) -> list[Trial]:
        """Continue in another space, with the trials of earlier studies that fit it; return the trials that do not fit it."""
        before, space, values = self.space, event.space, {**self.values, **event.values}
        points = {number: _point_in(space, trial.configuration, values) for number, trial in self._trials.items()}
        ended = [one for one in self.events if isinstance(one, Told | Given)]
        failed = [one.number for one in ended if self._trials[one.number].status == "failed"]
        seen = [replace(o, point=p, centre=None) for o in self._observed if (p := points[o.number]) is not None]

        def moved(point: Points) -> Points | None:
            return _point_in(space, before.decode(point)[0], values)

        kept = moved_state(
            self.state,
            space.domain,
            self.config,
            points.__getitem__,
            failed,
            moved,
            self.state.outside,
            added_choices(before, space) | _carried(self.state.added, before, space),
        )
        state = with_observations(replace(kept, past=past), seen, space.domain, self.config)
        live = ("pending", "complete", "failed")
        trials = {n: replace(trial, outside=trial.status in live and points[n] is None) for n, trial in self._trials.items()}
        self.events.append(event)
        self.space, self.state, self.values, self._trials, self._ended_at = space, state, values, trials, {}
        for one in ended:
            point = points[one.number]
            if point is not None:
                self._ended_at |= self._end_entries(self._trials[one.number], point)
        return [trial for trial in self.trials if trial.outside]

    def best(self, model: Model | None, fixed: Fixed | None = None) -> Trial:
        """Return the completed trial with the best value, or the best predicted mean if there is a model.

        If some values are fixed, only trials with these values count.
        """
        if not self.goals.single:
            raise DataError("there are several objectives, so there is no single best trial; use pareto_front")
        complete = [trial for _, trial in sorted(self._trials.items()) if trial.status == "complete"]
        if not complete:
            raise DataError("no trial has been completed yet, so there is no best one")
        complete, values = self._candidates()
        if not complete:
            raise DataError("no trial is known to meet all limits yet, so there is no best one")
        if fixed is not None:
            agree = np.flatnonzero(fixed.agrees(self.space.encode([t.configuration for t in complete])))
            complete, values = [complete[k] for k in agree], values[agree]
            if not complete:
                raise DataError("no completed trial has these values and meets all limits, so there is no best one")
        scores = values[:, 0]
        if model is not None:
            scores = model.posterior.moments(self.space.encode([t.configuration for t in complete]))[0]
        return complete[int(np.argmin(scores))]

    def front(self, models: tuple[Model, ...] | None) -> tuple[list[Trial], Array]:
        """Return the trials that no other dominates, and their objectives in the core's order and sign: (n, m).

        If there are models, the objectives are posterior means in the user's units.
        """
        trials, values = self._candidates()
        if models is not None and trials:
            points = self.space.encode([trial.configuration for trial in trials])
            values = np.stack([model.predict(points)[0] for model in models], axis=1)
        kept = np.flatnonzero(non_dominated(values)).tolist() if trials else []
        return [trials[k] for k in kept], values[kept]

    def _candidates(self) -> tuple[list[Trial], Array]:
        """Return the trials that may be the best or on the front, by number, and their objectives: (n, m)."""
        outcomes = self.state.outcomes
        observed = sorted(self.state.observations, key=lambda o: o.number)
        values = outcomes.array(o.values for o in observed)
        kept = np.flatnonzero(outcomes.candidates(values)).tolist()
        return [self._trials[observed[k].number] for k in kept], values[kept][:, : outcomes.objectives]

    def copied(self) -> TrialLog:
        """Return an independent log with the same content."""
        twin = copy(self)
        twin.events, twin._trials, twin._ended_at = list(self.events), dict(self._trials), dict(self._ended_at)
        twin._observed = list(self._observed)
        return twin

    def append(self, event: Event) -> Trial:
        """Append the event and return its trial; an interruption leaves the log as it was."""
        state = tell(self.state, event, self.space.domain, self.config)
        number, ended_at = event.number, {}
        observed = list(state.observations[len(self.state.observations) :])
        match event:
            case Asked(_, suggestion):
                trial = Trial(number, self.space.decode(suggestion.point)[0], self._explanation(suggestion))
            case Given(_, point, value):
                given = Trial(number, self.space.decode(point)[0], {"source": "given", "region": state.current})
                trial = self._ended(given, value)
                ended_at = self._end_entries(trial, point)
            case Told(_, value):
                trial = replace(self._ended(self._trials[number], value), outside=number in self.state.outside)
                asked = self.state.pending.get(number)
                if asked is not None:
                    ended_at = self._end_entries(trial, asked.point)
                elif value is not None:
                    away, values = self.state.outside[number], value if isinstance(value, tuple) else (value,)
                    observed = [Observation(number, away.point, values, away.provenance.region, away.provenance.source)]
            case Cancelled(_):
                trial = replace(self._trials[number], status="cancelled")
        self.events.append(event)
        self._observed += observed
        self.state, self._trials[number] = state, trial
        self._ended_at |= ended_at
        return trial

    def tell(self, trial: Trial | int | Mapping[str, Any], outcome: Outcome) -> Trial:
        """Record a value or a dict of outcomes, or a failure if it is None; see `Optimizer.tell`."""
        point = self._point_of(trial) if isinstance(trial, Mapping) else None
        known = self._find(trial) if point is None else self._pending_at(point)
        if known is None:
            if point is None:
                raise DataError(f"trial {getattr(trial, 'number', trial)!r} was never asked for; tell its configuration")
            return self._add_past(point, outcome) if self.config.noisy else self._add_past_once(point, outcome)
        if known.status == "pending":
            return self.append(Told(known.number, self.goals.to_core(outcome)))
        if known.status == "cancelled":
            return self._add_past_once(self.space.encode([known.configuration]), outcome)
        if not _ended_with(known, outcome):
            raise DataError(f"trial {known.number} was told {_told(known)!r} already; it cannot become {outcome!r}")
        return known

    def tell_as_run(self, trial: Trial | int | Mapping[str, Any], outcome: Outcome, as_run: Mapping[str, Any]) -> Trial:
        """Record an outcome at the configuration that was run instead of that of a pending trial; see `Optimizer.tell`."""
        known = self._find(trial)
        if known is None or known.status != "pending":
            raise DataError(f"trial {getattr(trial, 'number', trial)!r} is not pending; tell the configuration that was run")
        run = self.space.read({**known.configuration, **as_run})
        if run == known.configuration:
            return self.tell(known.number, outcome)
        told = self.tell(run, outcome)
        self.append(Cancelled(known.number))
        return told

    def cancel(self, trial: Trial | int) -> Trial:
        """Cancel a pending trial; see `Optimizer.cancel`."""
        known = self._find(trial)
        if known is None or known.status != "pending":
            raise DataError(f"trial {getattr(trial, 'number', trial)!r} is not pending, so it cannot be cancelled")
        return self.append(Cancelled(known.number))

    def first_untried(self, configurations: Iterable[Mapping[str, Any]], fixed: Fixed | None = None) -> Points | None:
        """Return the first of the configurations that is neither evaluated nor pending; None if there is none.

        A configuration that is listed several times counts once, unless the objective is noisy. If some values are fixed,
        configurations with other values are skipped.
        """
        used, pending = Counter[bytes](), Counter(k for s in self.state.pending.values() for k in s.point.identities())
        for point in map(self.space.encode, ([configuration] for configuration in configurations)):
            key = point.identities()[0]
            if fixed is not None and not fixed.agrees(point)[0]:
                continue
            if used[key] >= len(self._ended_at.get(key, ())) + pending[key]:
                return point
            used[key] += self.config.noisy
        return None

    def _point_of(self, configuration: Mapping[str, Any]) -> Points:
        """Return the point of a configuration that must be valid and satisfy the constraint."""
        if self.space.domain.feasible is not None:
            self.space.validate(configuration)
        return self.space.encode([configuration])

    def _pending_at(self, point: Points) -> Trial | None:
        """Return the first pending trial at a point, or with the configuration of that point; None if there is none."""
        for number, suggestion in self.state.pending.items():
            if np.array_equal(point.h, suggestion.point.h) and point in (
                suggestion.point,
                self.space.rounded(suggestion.point),
            ):
                return self._trials[number]
        return None

    def _find(self, trial: Trial | int | Mapping[str, Any]) -> Trial | None:
        """Return the recorded trial, if any; for a configuration, the first pending trial that has it."""
        if isinstance(trial, Mapping):
            return self._pending_at(self._point_of(trial))
        number = trial.number if isinstance(trial, Trial) else trial
        if not is_whole(number):
            raise DataError(f"got {trial!r} as a trial; give the trial, its number or its configuration")
        known = self._trials.get(int(number))
        if known is not None and isinstance(trial, Trial) and self._contradicts(trial.configuration, known):
            raise DataError(
                f"trial {number} has another configuration in this optimiser; is it another optimiser's, or was it changed in "
                "place? Tell the configuration that was evaluated, or the trial's number"
            )
        return known

    def _contradicts(self, given: Configuration, known: Trial) -> bool:
        """Return whether a valid configuration differs from the trial's. Invalid ones pass: an objective may `pop` entries."""
        own = known.configuration
        if isinstance(given, dict) and [*given] == [*own] and all(map(is_, given.values(), own.values())):
            return False
        try:
            return self.space.encode([given]) != self.space.encode([own])
        except SpaceError:
            return False

    def _add_past(self, point: Points, outcome: Outcome) -> Trial:
        """Append one more trial, evaluated elsewhere."""
        return self.append(Given(len(self), point, self.goals.to_core(outcome)))

    def _add_past_once(self, point: Points, outcome: Outcome) -> Trial:
        """Append past data unless it is recorded already; DataError if it had another value and the objective is not noisy."""
        ended = [self._trials[number] for number in self._ended_at.get(point.identities()[0], ())]
        same = next((trial for trial in ended if _ended_with(trial, outcome)), None)
        if same is not None:
            return same
        told = next((trial for trial in ended if trial.status == "complete"), None)
        if told is not None and not self.config.noisy:
            raise DataError(
                f"trial {told.number} with this configuration was told {_told(told)!r} already; it cannot become {outcome!r}. "
                "Create the optimiser with noisy=True if repeated evaluations differ"
            )
        return self._add_past(point, outcome)

    def _ended(self, trial: Trial, value: Value) -> Trial:
        """Return the trial as complete with a value in the core's sign, or as failed if it is None."""
        status: Status = "failed" if value is None else "complete"
        told, goals = self.goals.from_core(value), self.goals
        if not goals.named or told is None:
            shown = told if isinstance(told, float) else None
            return Trial(trial.number, trial.configuration, trial.explanation, status, shown)
        outcomes: dict[str, float | None] = told if isinstance(told, dict) else {goals.names[0]: told}
        only = outcomes[goals.names[0]] if goals.single else None
        return Trial(trial.number, trial.configuration, trial.explanation, status, only, outcomes, goals.feasible(value))

    def _end_entries(self, trial: Trial, point: Points) -> dict[bytes, tuple[int, ...]]:
        """Return the entries for `_ended_at`: by the point itself, and by the point of its decoded configuration."""
        keys = {*point.identities(), *(self.space.rounded(point).identities() if point.x.size else ())}
        return {key: (*self._ended_at.get(key, ()), trial.number) for key in keys}

    def _explanation(self, s: Suggestion) -> dict[str, Any]:
        """Return why a point was suggested, in the user's terms and sign."""
        decided, centre, mean = s.explanation(), s.provenance.centre, s.prediction.mean
        explained = {
            **{name: decided[name] for name in EXPLANATION_FIELDS},
            "centre": None if centre is None else self.space.decode(centre)[0],
            "mean": None if mean is None else self.goals.signs[0] * mean,
        }
        explained["reason"] = reason_of({**explained, "means": s.prediction.means})
        if self.goals.limits:
            explained["feasible"] = s.prediction.feasible
            names, limits = sorted(self.goals.limits), s.prediction.limits
            explained["limits"] = None if limits is None else {names[j]: probability for j, probability in limits.items()}
        if s.prediction.means is not None and s.prediction.deviations is not None:
            signed = (sign * m for sign, m in zip(self.goals.signs, s.prediction.means, strict=False))
            explained["means"] = dict(zip(self.goals.names, signed, strict=False))
            explained["deviations"] = dict(zip(self.goals.names, s.prediction.deviations, strict=False))
        return explained


def _point_in(space: Space, configuration: Configuration, values: Mapping[str, Scalar]) -> Points | None:
    """Return the point of a configuration, with `values` of variables that it does not have; None if it does not fit."""
    whole = completed(space, configuration, values)
    return space.encode([whole]) if space.allows(whole) else None


def added_choices(before: Space, after: Space) -> frozenset[tuple[int, int]]:
    """Return the choices of categorical variables that another space did not have: column of h, and level."""
    names = columns(after.variables)[0]
    return frozenset(
        (j, level)
        for j, name in enumerate(names)
        if isinstance(new := after[name], Categorical) and isinstance(old := before.variables.get(name), Categorical)
        for level in set(range(new.count)) - {new.index(v) for v in old.choices if v in new.choices}
    )


def _carried(added: Iterable[tuple[int, int]], before: Space, after: Space) -> frozenset[tuple[int, int]]:
    """Return choices that were added before, by their columns and levels in another space."""
    names, now = columns(before.variables)[0], columns(after.variables)[0]
    found = ((names[j], before[names[j]].at(level)) for j, level in added)
    kept = [(name, value) for name, value in found if name in now and isinstance(after[name], Categorical)]
    return frozenset((now.index(n), after[n].index(v)) for n, v in kept if v in after[n].choices)  # type: ignore[union-attr]


def _told(trial: Trial) -> Outcome:
    """Return what a trial was told."""
    return trial.outcomes if trial.value is None else trial.value


def _ended_with(trial: Trial, outcome: Outcome) -> bool:
    """Return whether a trial ended with that value or these outcomes, or failed if it is None."""
    told = trial.outcomes if isinstance(outcome, dict) else trial.value
    return (told, trial.status) == (outcome, "failed" if outcome is None else "complete")


def read_initial(space: Space, initial: Iterable[Mapping[str, Any]]) -> list[Configuration]:
    """Return the initial configurations with native values; one SpaceError lists all problems."""
    read, problems = [], []
    for i, configuration in enumerate(initial):
        try:
            read.append(space.read(configuration))
        except SpaceError as error:
            problems += [f"initial[{i}]: {text}" for text in error.problems]
    if problems:
        raise SpaceError(problems)
    return read
