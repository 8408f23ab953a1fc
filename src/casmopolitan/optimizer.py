"""The one mutable object: ask for points to evaluate, tell what came of them."""

from __future__ import annotations

import json
import math
import os
import secrets
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, overload

import numpy as np

from casmopolitan import journal
from casmopolitan.blas import one_thread
from casmopolitan.config import Config
from casmopolitan.core.algorithm import ask, overall_model
from casmopolitan.core.arrays import Array
from casmopolitan.core.gp.model import Model
from casmopolitan.core.points import Points, stack
from casmopolitan.core.state import Asked, Cancelled, Event, Given, State, Suggestion, Told, opening, tell
from casmopolitan.errors import CasmopolitanError, DataError, ExhaustedError, SpaceError
from casmopolitan.files import write_atomically
from casmopolitan.presets import DEFAULT
from casmopolitan.space import Space
from casmopolitan.trial import EXPLANATION_FIELDS, Configuration, Direction, Failed, Trial, measured, sign_of


def _copied(trial: Trial) -> Trial:
    """A trial with dicts of its own, so that whoever changes them changes nothing here."""
    return replace(trial, configuration=dict(trial.configuration), explanation=deepcopy(trial.explanation))


def _read_all(space: Space, initial: list[Mapping[str, Any]]) -> list[Configuration]:
    """The initial configurations as the space writes them; one SpaceError lists everything wrong with any of them."""
    read, problems = [], []
    for i, configuration in enumerate(initial):
        try:
            read.append(space.read(configuration))
        except SpaceError as error:
            problems += [f"initial[{i}]: {text}" for text in error.problems]
    if problems:
        raise SpaceError(problems)
    return read


def _came_to(trial: Trial, outcome: float | None) -> bool:
    """Whether a trial has ended with that value, or failed where there is none."""
    return (trial.value, trial.status) == (outcome, "failed" if outcome is None else "complete")


class Optimizer:
    """Ask and tell over a search space; `minimize` is the loop around it.

    All that happens is an event appended to a log, and the state is a fold over it: saving is writing the log, loading is
    replaying it. `ask` and `tell` may be called from several threads.
    """

    def __init__(
        self,
        space: Space,
        *,
        seed: int | None = None,
        config: Config = DEFAULT,
        direction: Direction = "minimize",
        noisy: bool | None = None,
        initial: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        if direction not in ("minimize", "maximize"):
            raise DataError(f"direction is {direction!r}; it must be 'minimize' or 'maximize'")
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0):
            raise DataError(f"seed is {seed!r}; it must be a whole number of at least 0, or None to have one drawn")
        if not isinstance(space, Space):
            raise DataError(f"space is {space!r}; give a Space, e.g. Space({{'x': Real(0.0, 1.0)}})")
        if not isinstance(config, Config):
            raise DataError(f"config is {config!r}; give a Config, e.g. casmopolitan.PAPER")
        if isinstance(initial, Mapping) or not isinstance(initial, Iterable):
            raise DataError(f"initial is {initial!r}; give a list of configurations: [configuration, ...]")
        self.space = space
        self.seed = secrets.randbits(32) if seed is None else int(seed)
        self.config = config if noisy is None else replace(config, noisy=noisy)
        self.direction: Direction = direction
        self.initial = _read_all(space, list(initial))
        self._sign = sign_of(direction)
        self._lock = threading.RLock()
        self._events: list[Event] = []
        self._trials: dict[int, Trial] = {}
        self._places: dict[bytes, tuple[int, ...]] = {}  # the trials that have ended at a point, by its identity
        self._state = opening(space.domain, self.config)
        self._model: tuple[int, Model | None] = (-1, None)

    @overload
    def ask(self) -> Trial: ...
    @overload
    def ask(self, n: int) -> list[Trial]: ...
    def ask(self, n: int | None = None) -> Trial | list[Trial]:
        """The next trial, or a list of up to n; trials still pending are taken into account.

        Raises ExhaustedError when a finite space has no point left; a list is shorter when it ran out on the way.
        """
        if n is None:
            return self._ask()
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise DataError(f"ask({n!r}): the number of trials is a whole number of at least 1")
        with self._lock:
            trials = [self._ask()]
            while len(trials) < n:
                try:
                    trials.append(self._ask())
                except ExhaustedError:
                    break
            return trials

    def _ask(self) -> Trial:
        with self._lock:
            number = len(self._trials)
            suggestion = self._requested()
            if suggestion is None:
                with one_thread():
                    suggestion = ask(self.space.domain, self.config, self.seed, self._state, number)
            return self._append(Asked(number, suggestion))

    def _requested(self) -> Suggestion | None:
        """The next of the user's own initial configurations that is neither evaluated nor pending.

        One that stands there several times is one, unless the objective is noisy.
        """
        if not self.initial:
            return None
        state = self._state
        points = [o.point for o in state.observations] + [s.point for s in state.pending.values()] + list(state.failures)
        known = Counter(stack(points).identities() if points else ())
        for point in map(self.space.encode, ([configuration] for configuration in self.initial)):
            key = point.identities()[0]
            if not known[key]:
                return Suggestion(point, state.current, "initial", note="requested")
            if self.config.noisy:
                known[key] -= 1
        return None

    def tell(self, trial: Trial | int | Mapping[str, Any], value: float | Failed) -> Trial:
        """What came of a trial (the trial, its number, or its configuration); nan, ±inf or FAILED marks a failure.

        Telling a trial the same value again is harmless; telling it another one is an error. A configuration that is no
        pending trial's is past data, one more trial: evaluated outside, believed all the same. Where the objective is not noisy
        the same holds for a configuration: its value again changes nothing, another one is an error, unless it only failed.
        """
        outcome = measured(value)
        with self._lock:
            known = self._found(trial)
            if known is None:
                if not isinstance(trial, Mapping):
                    raise DataError(f"trial {getattr(trial, 'number', trial)!r} was never asked for; tell its configuration")
                point = self.space.encode([self.space.read(trial)])
                return self._given(point, outcome) if self.config.noisy else self._given_once(point, outcome)
            if known.status == "pending":
                return self._append(Told(known.number, self._signed(outcome)))
            if known.status == "cancelled":
                return self._given_once(self.space.encode([known.configuration]), outcome)
            if not _came_to(known, outcome):
                raise DataError(f"trial {known.number} was told {known.value!r} already; it cannot become {outcome!r}")
            return _copied(known)

    def _signed(self, outcome: float | None) -> float | None:
        """An outcome in the core's sign."""
        return None if outcome is None else self._sign * outcome

    def _given(self, point: Points, outcome: float | None) -> Trial:
        """One more trial, evaluated outside."""
        return self._append(Given(len(self._trials), point, self._signed(outcome)))

    def _given_once(self, point: Points, outcome: float | None) -> Trial:
        """The same, unless a trial there has come to that already; DataError where an exact objective came to another value."""
        ended = [self._trials[number] for number in self._places.get(point.identities()[0], ())]
        same = next((trial for trial in ended if _came_to(trial, outcome)), None)
        if same is not None:
            return _copied(same)
        told = next((trial for trial in ended if trial.status == "complete"), None)
        if told is not None and not self.config.noisy:
            raise DataError(
                f"trial {told.number} with this configuration was told {told.value!r} already; it cannot become {outcome!r}. "
                "Make the optimiser with noisy=True if the objective answers differently each time"
            )
        return self._given(point, outcome)

    def _found(self, trial: Trial | int | Mapping[str, Any]) -> Trial | None:
        """The recorded trial that is meant; for a configuration, the first pending one that has it."""
        if isinstance(trial, Mapping):
            point = self.space.encode([self.space.read(trial)])
            for number, suggestion in self._state.pending.items():
                if suggestion.point == point or self._stands_at(self._trials[number], point):
                    return self._trials[number]
            return None
        number = trial.number if isinstance(trial, Trial) else trial
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise DataError(f"got {trial!r} as a trial; give the trial, its number or its configuration")
        known = self._trials.get(int(number))
        if known is not None and isinstance(trial, Trial) and self._contradicts(trial.configuration, known):
            raise DataError(
                f"trial {number} has another configuration here; is it another optimiser's, or was it changed in place? Tell "
                "the configuration itself if that is what was evaluated, or the trial's number"
            )
        return known

    def _stands_at(self, trial: Trial, point: Points) -> bool:
        """Whether a trial's configuration is that of a point."""
        return self.space.encode([trial.configuration]) == point

    def _contradicts(self, given: Configuration, known: Trial) -> bool:
        """Whether a configuration is another one of the space; what an objective has made of its own, by `pop` say, is none."""
        try:
            return self.space.encode([given]) != self.space.encode([known.configuration])
        except SpaceError:
            return False

    def cancel(self, trial: Trial | int) -> Trial:
        """Give a pending trial back: it neither counts nor is avoided."""
        with self._lock:
            known = self._found(trial)
            if known is None or known.status != "pending":
                raise DataError(f"trial {getattr(trial, 'number', trial)!r} is not pending, so it cannot be cancelled")
            return self._append(Cancelled(known.number))

    def _append(self, event: Event) -> Trial:
        """The event joins the log, state and trial follow from it: worked out first, so that an interrupt changes nothing."""
        state = tell(self._state, event, self.space.domain, self.config)
        number, places = event.number, {}
        match event:
            case Asked(_, suggestion):
                trial = Trial(number, self.space.decode(suggestion.point)[0], self._explained(suggestion))
            case Given(_, point, value):
                explanation = {"source": "given", "region": state.current}
                trial = self._ended(Trial(number, self.space.decode(point)[0], explanation), value)
                places = self._placed(trial, point)
            case Told(_, value):
                trial = self._ended(self._trials[number], value)
                places = self._placed(trial, self._state.pending[number].point)
            case Cancelled(_):
                trial = replace(self._trials[number], status="cancelled")
        self._events.append(event)
        self._state, self._trials[number] = state, trial
        self._places |= places
        return _copied(trial)

    def _placed(self, trial: Trial, point: Points) -> dict[bytes, tuple[int, ...]]:
        """Where a trial ended, for `_places`: its point as it was given, and as its configuration says in full digits."""
        keys = {*point.identities(), *self.space.encode([trial.configuration]).identities()}
        return {key: (*self._places.get(key, ()), trial.number) for key in keys}

    def _ended(self, trial: Trial, value: float | None) -> Trial:
        if value is None:
            return replace(trial, status="failed")
        return replace(trial, status="complete", value=self._sign * value)

    def _explained(self, s: Suggestion) -> dict[str, Any]:
        """A suggestion in people's words and the user's sign."""
        return {
            **{name: getattr(s, name) for name in EXPLANATION_FIELDS},
            "centre": None if s.centre is None else self.space.decode(s.centre)[0],
            "mean": None if s.mean is None else self._sign * s.mean,
        }

    @property
    def trials(self) -> list[Trial]:
        """Every trial so far, by number."""
        with self._lock:
            return [_copied(self._trials[number]) for number in sorted(self._trials)]

    @property
    def pending(self) -> list[Trial]:
        """Trials asked for and not yet told or cancelled."""
        with self._lock:
            return [_copied(self._trials[number]) for number in self._state.pending]

    @property
    def best_trial(self) -> Trial:
        """The best completed trial; with a noisy objective the one whose predicted mean is best."""
        with self._lock:
            complete = [self._trials[n] for n in sorted(self._trials) if self._trials[n].status == "complete"]
            if not complete:
                raise DataError("no trial has been completed yet, so there is no best one")
            values = [self._sign * t.value for t in complete if t.value is not None]
            model = self._overall() if self.config.noisy else None
            if model is not None:
                values = list(model.posterior.moments(self.space.encode([t.configuration for t in complete]))[0])
            return _copied(complete[int(np.argmin(values))])

    @property
    def best_value(self) -> float:
        """The best value observed; with a noisy objective the predicted mean at the best trial, where there is one."""
        with self._lock:
            best = self.best_trial
            predicted = float(self.predict([best.configuration])[0][0]) if self.config.noisy else math.nan
        return predicted if math.isfinite(predicted) else float(best.value)  # type: ignore[arg-type]

    @property
    def best_configuration(self) -> Configuration:
        """The configuration of the best trial."""
        return self.best_trial.configuration

    def predict(self, configurations: Sequence[Mapping[str, Any]]) -> tuple[Array, Array]:
        """Mean and deviation at each configuration, in the user's units, from a model of all completed trials."""
        points = self.space.encode(configurations)
        with self._lock:
            model = self._overall()
            if model is None:
                raise DataError("nothing can be predicted before a trial has been completed")
            mean, deviation = model.predict(points)
            return self._sign * mean, deviation

    def _overall(self) -> Model | None:
        """The model of everything observed, fitted once for each length of the log."""
        if self._model[0] != len(self._events):
            with one_thread():
                model = overall_model(self.space.domain, self.config, self.seed, self._state)
            self._model = (len(self._events), model)
        return self._model[1]

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The whole optimiser as JSON text, pending trials included; also written to `path`, atomically, when given."""
        with self._lock:
            document = {
                "format": journal.FORMAT,
                "version": journal.VERSION,
                "direction": self.direction,
                "seed": self.seed,
                "space": self.space.to_dict(),
                "config": self.config.to_dict(),
                "initial": self.initial,
                "events": [journal.event_to_dict(event) for event in self._events],
            }
        text = json.dumps(document, allow_nan=False)
        if path is not None:
            write_atomically(text, path)
        return text

    @classmethod
    def from_json(cls, source: str | os.PathLike[str], *, constraint: Any = None) -> Optimizer:
        """The optimiser that `to_json` saved, from its text or its file; a callable constraint is passed again."""
        document = journal.read(source)
        try:
            space = Space.from_dict(document["space"], constraint=constraint)
            made = cls(
                space,
                seed=document["seed"],
                config=Config.from_dict(document["config"]),
                direction=document["direction"],
                initial=document["initial"],
            )
            for entry in document["events"]:
                event = journal.event_from_dict(entry, space.domain)
                made._append(journal.checked(event, len(made._trials), made._state.pending, made._state.current))
        except CasmopolitanError:
            raise
        except (KeyError, TypeError, AttributeError, IndexError, ValueError, OverflowError) as error:
            raise DataError(f"the record is damaged: {type(error).__name__} at {error}") from None
        return made

    @property
    def state(self) -> State:
        """The folded state, for those who want to look inside."""
        return self._state

    def __getstate__(self) -> dict[str, Any]:
        """For copies, and for results that come from another process: all but the lock."""
        with self._lock:
            own = {name: value for name, value in vars(self).items() if name != "_lock"}
            kept = {"_events": list(self._events), "_trials": dict(self._trials), "_places": dict(self._places)}
            return own | kept | {"initial": list(self.initial)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        count = len(self._trials)
        return f"Optimizer({len(self.space)} variables, {self.direction}, seed={self.seed}, {count} trials)"
