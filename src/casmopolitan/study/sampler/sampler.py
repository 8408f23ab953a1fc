"""CASMOPOLITAN as a sampler of Optuna."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary
from zlib import crc32

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from casmopolitan.blas import one_thread
from casmopolitan.config import Config, config_problems, seed_problems
from casmopolitan.core.algorithm import ask
from casmopolitan.core.extensions.partial_trials import completion
from casmopolitan.core.points import Points
from casmopolitan.core.rng import Purpose, stream
from casmopolitan.core.state import Provenance, State, Suggestion
from casmopolitan.errors import DataError, ExhaustedError, InfeasibleError, SpaceError
from casmopolitan.journal import suggestion_to_dict
from casmopolitan.presets import DEFAULT
from casmopolitan.space import Constraint, Space
from casmopolitan.study.compat import (
    ensure_single_objective,
    read_trials,
    storage_of,
    study_id,
    trial_id,
    trials_of_ask,
    was_interrupted,
)
from casmopolitan.study.sampler import records
from casmopolitan.study.sampler.cache import Memory
from casmopolitan.study.sampler.claim import claimed, rivals
from casmopolitan.study.sampler.replay import History, known_params, suggestion_of
from casmopolitan.study.sampler.search_space import Border, Distributions, Params, border_of
from casmopolitan.study.sampler.settings import Settings


class CasmopolitanSampler(BaseSampler):
    """CASMOPOLITAN for Optuna: `optuna.create_study(sampler=CasmopolitanSampler(seed=0))`.

    search_space: a `Space` or a dict of Optuna's distributions, when it is known beforehand. Without it the parameters that
    all completed trials have in common are modelled, so the first trial is random, and conditional parameters are always
    drawn independently of the model.
    seed: the random numbers of a trial follow from (seed, trial number) alone; None draws one and records it in the study.
    config, noisy: the algorithm's settings. ordinal: names of categorical parameters whose choices are in order.
    constraint: forbids combinations, as in `Space`; it needs `search_space`. Pass the same one to every worker: it is code,
    which a database cannot hold.
    independent_sampler: draws the parameters outside the modelled space; random by default.

    The sampler keeps no state: what it knows is folded from the study's recorded trials at each ask, so that any number of
    threads, processes and machines may share a study and a stopped one goes on as if it had not been. seed, config and
    ordinal are recorded with the study by its first worker; a later worker with others gets a `SettingsWarning` and uses
    the recorded ones.

    Failed trials and those with an infinite value are avoided, infeasible ones (`trial.set_constraint`) too, and none of them
    becomes a centre; trials whose worker died or was interrupted neither count nor are avoided; pruned ones count with
    their last intermediate value. One objective only.
    """

    def __init__(
        self,
        search_space: Space | Mapping[str, BaseDistribution] | None = None,
        *,
        seed: int | None = None,
        config: Config = DEFAULT,
        ordinal: Iterable[str] = (),
        constraint: Constraint | None = None,
        noisy: bool | None = None,
        independent_sampler: BaseSampler | None = None,
    ) -> None:
        if problems := [*seed_problems(seed), *config_problems(config)]:
            raise DataError("\n  ".join(problems))
        ordinal = _names(ordinal)
        if independent_sampler is not None and not isinstance(independent_sampler, BaseSampler):
            raise DataError(f"independent_sampler is {independent_sampler!r}; give a sampler, e.g. RandomSampler()")
        if constraint is not None and search_space is None:
            raise DataError("constraint= needs search_space=: without it the sampler does not know what a configuration holds")
        config = config if noisy is None else replace(config, noisy=noisy)
        self._own = Settings(None if seed is None else int(seed), config, tuple(sorted(set(ordinal))))
        self._given = search_space
        self._constraint = constraint
        self._declared = None if search_space is None else border_of(search_space, self._own.ordinal, constraint)
        self._independent = independent_sampler
        self._forget()

    def _forget(self) -> None:
        self._lock = threading.RLock()
        self._memories: WeakKeyDictionary[Any, dict[int, Memory]] = WeakKeyDictionary()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_lock", "_memories")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def _memory(self, study: Study) -> Memory:
        return self._memories.setdefault(storage_of(study), {}).setdefault(study_id(study), Memory())

    def _current(self, study: Study, trial: FrozenTrial) -> list[FrozenTrial]:
        """The trials as of `study.ask`, unless this process has changed one since; then as they are now."""
        memory = self._memory(study)
        if memory.trials is not None and memory.current_for == trial.number:
            return memory.trials
        return self._keep(study, read_trials(study), trial.number)

    def _keep(self, study: Study, trials: list[FrozenTrial], number: int | None = None) -> list[FrozenTrial]:
        memory = self._memory(study)
        memory.trials, memory.current_for = trials, number
        return trials

    def snapshot(self, study: Study) -> list[FrozenTrial]:
        """Return all trials of a study as this sampler last read them, so that nothing is read twice after `study.ask`.

        Args:
            study: The study. If the sampler has not read its trials in this process yet, they are read now.

        Returns:
            The trials by number, not copied: do not change them. The trial that was asked for last is among them, without
            its parameters, which Optuna writes afterwards.
        """
        with self._lock:
            trials = self._memory(study).trials
            return self._keep(study, read_trials(study)) if trials is None else trials

    def reseed_rng(self) -> None:
        """Nothing to do for numbers that have an address; an independent sampler of the user's is reseeded."""
        if self._independent is not None:
            self._independent.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> Distributions:
        """The declared space, or the parameters that all completed and pruned trials have with equal distributions."""
        ensure_single_objective(self, study)
        if self._declared is not None:
            return dict(self._declared.distributions)
        with self._lock:
            return self._memory(study).intersection(self._current(study, trial))

    def sample_relative(self, study: Study, trial: FrozenTrial, search_space: Distributions) -> Params:
        """The next point, claimed in the storage so that no other worker takes it."""
        ensure_single_objective(self, study)
        if not search_space:
            return {}
        with self._lock:
            memory = self._memory(study)
            trials = self._current(study, trial)
            settings, seed = memory.settings(study, self._own, trial.number)
            border = memory.border(search_space, settings.ordinal, self._border)
            if not border.varies:
                return {}
            history = memory.history(study, border, settings)
            point = self._claimed(study, trial, trials, history, seed).point
            return {name: value for name, value in border.params(point).items() if name in search_space}

    def _border(self, search_space: Distributions, ordinal: Sequence[str]) -> Border:
        """The border for a search space: the declared one, a part of it, or what the trials have in common."""
        named = [name for name in ordinal if name in search_space]
        if self._declared is None or self._given is None:
            return border_of(search_space, named)
        if search_space == self._declared.distributions:
            return self._declared if tuple(ordinal) == self._own.ordinal else border_of(self._given, named, self._constraint)
        if self._declared.space.constraint:
            missing = ", ".join(repr(name) for name in self._declared.space if name not in search_space)
            raise SpaceError(f"the constraint cannot be checked while another sampler decides {missing}; drop one of the two")
        return border_of(search_space, named)

    def _claimed(self, study: Study, trial: FrozenTrial, trials: list[FrozenTrial], history: History, seed: int) -> Suggestion:
        """A point that no other live trial has; a trial tried again after its worker died keeps its own where it can."""
        kept = suggestion_of(trial, history.border)
        if kept is not None and not rivals(history, trials, frozenset(), trial.number, kept.point):
            return kept

        def choose(trials: list[FrozenTrial], writing: int) -> tuple[Suggestion, bool]:
            suggestion, repeatable, exhausted = self._asked(study, trial, trials, history, seed)
            self._memory(study).current_for = None
            signed = {"writer": history.writer, "number": trial.number, "space": history.border.fingerprint}
            record = signed | {"suggestion": suggestion_to_dict(suggestion)}
            records.write(storage_of(study), trial_id(trial), record | ({"exhausted": True} if exhausted else {}), writing)
            return suggestion, not (repeatable or history.config.noisy)

        return claimed(history, trial.number, trials, lambda: self._keep(study, read_trials(study)), choose)

    def _asked(
        self, study: Study, trial: FrozenTrial, trials: list[FrozenTrial], history: History, seed: int
    ) -> tuple[Suggestion, bool, bool]:
        """What the algorithm suggests; whether it may repeat a point; whether it had to, because the space is exhausted.

        Where trials have parameters beyond the modelled ones, a point of these is never used up: the others act like noise.
        """
        state, domain, exhausted = history.state(trials, trial.number), history.border.space.domain, False
        fixed = {name: value for name, value in known_params(trial).items() if name in history.border.space}
        completed = self._completed(study, trial, trials, history, state, seed, fixed) if fixed else None
        if completed is not None:
            return *completed, False
        repeatable = False
        try:
            with one_thread():
                suggestion = ask(domain, history.config, seed, state, trial.number)
        except (ExhaustedError, InfeasibleError) as error:
            repeatable, found = True, self._again(trial, trials, history, state, seed)
            if found is not None:
                suggestion = found
            else:
                exhausted = True
                self._memory(study).say(f"study {study.study_name!r}: {error}")
                known = (
                    [o.point for o in state.observations] or [s.point for s in state.pending.values()] or list(state.failures)
                )
                rng = stream(seed, trial.number, Purpose.FALLBACK)
                point = known[int(rng.integers(len(known)))] if known else domain.sample(1, rng)
                note = "every point has been suggested: a repetition"
                suggestion = Suggestion(point, Provenance(state.current, "fallback", note=note))
        return suggestion, repeatable, exhausted

    def _completed(
        self,
        study: Study,
        trial: FrozenTrial,
        trials: list[FrozenTrial],
        history: History,
        state: State,
        seed: int,
        fixed: Params,
    ) -> tuple[Suggestion, bool] | None:
        """The best completion of what is fixed beforehand, and whether it may repeat a point; None where none is allowed.

        What is fixed is evaluated whatever the constraint says: that is said, and the rest suggested as if nothing were fixed.
        """
        border, domain, note = history.border, history.border.space.domain, f"fixed beforehand: {', '.join(fixed)}"
        held, told = border.held(fixed), f"study {study.study_name!r}, {note}"
        if len(held.h) + len(held.x) == domain.d_h + domain.d_x:
            point = held.whole(Points(np.empty((1, 0), dtype=np.int64), np.empty((1, 0))))
            if domain.allows(point)[0]:
                return Suggestion(point, Provenance(state.current, "given", note=note)), True
            self._memory(study).say(f"{told}: the constraint forbids this point; it is evaluated all the same")
            return None
        for config in dict.fromkeys([history.config, replace(history.config, noisy=True)]):
            try:
                with one_thread():
                    found = completion(domain, config, seed, state, trial.number, held)
                return replace(found, provenance=replace(found.provenance, note=note)), config.noisy
            except InfeasibleError:
                self._memory(study).say(f"{told}: the constraint allows nothing else with that; it is evaluated all the same")
                return None
            except ExhaustedError:
                if not any(_unmodelled(other, border) for other in trials):
                    self._memory(study).say(f"{told}: every point with that has been suggested; one is repeated")
        return None

    def _again(
        self, trial: FrozenTrial, trials: list[FrozenTrial], history: History, state: State, seed: int
    ) -> Suggestion | None:
        """A point that may have been tried before, where trials differ in more than the modelled parameters; else None."""
        if not any(_unmodelled(other, history.border) for other in trials):
            return None
        try:
            with one_thread():
                return ask(history.border.space.domain, replace(history.config, noisy=True), seed, state, trial.number)
        except (ExhaustedError, InfeasibleError):
            return None

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """A parameter outside the modelled space: random, with numbers that follow from (seed, trial number, name)."""
        ensure_single_objective(self, study)
        sampler = self._independent
        if sampler is None:
            with self._lock:
                memory = self._memory(study)
                _, seed = memory.settings(study, self._own, trial.number)
                if self._declared is not None or memory.modelled:
                    level = logging.INFO if self._declared is None else logging.WARNING
                    memory.say(f"parameter {param_name!r} is not in the modelled space: it is drawn at random", level)
            sampler = RandomSampler(int(stream(seed, trial.number, crc32(param_name.encode())).integers(2**32)))
        return sampler.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Keep the trials that Optuna has just read; call the user's independent sampler."""
        with self._lock:
            self._keep(study, trials_of_ask(study, trial.number), trial.number)
        if self._independent is not None:
            self._independent.before_trial(study, trial)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Mark a trial that failed: only then does it count. One whose worker died never comes here."""
        if state == TrialState.FAIL and not was_interrupted():
            storage_of(study).set_trial_system_attr(trial_id(trial), records.FAILED, True)
        with self._lock:
            self._memory(study).current_for = None
        for name, declared in self._declared.distributions.items() if self._declared is not None else ():
            asked = trial.distributions.get(name, declared)
            if asked != declared:
                with self._lock:
                    self._memory(study).say(f"parameter {name!r} was suggested as {declared}, and asked for as {asked}")
        if self._independent is not None:
            self._independent.after_trial(study, trial, state, values)


def _names(ordinal: object) -> list[str]:
    """The names of ordinal parameters; SpaceError for what is no list of names."""
    listed = list(ordinal) if isinstance(ordinal, Iterable) and not isinstance(ordinal, str) else [None]
    names = [name for name in listed if isinstance(name, str)]
    if len(names) < len(listed):
        hint = f"[{ordinal!r}]" if isinstance(ordinal, str) else "['size']"
        raise SpaceError(f"ordinal is {ordinal!r}; it must be a list of names, e.g. ordinal={hint}")
    return names


def _unmodelled(trial: FrozenTrial, border: Border) -> bool:
    """Whether a trial has a parameter with several values that the border does not."""
    return any(name not in border.space and not one.single() for name, one in trial.distributions.items())
