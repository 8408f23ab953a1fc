"""The sampler: CASMOPOLITAN in Optuna studies."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary
from zlib import crc32

from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from casmopolitan.config import Config, config_problems, seed_problems
from casmopolitan.core.rng import stream
from casmopolitan.core.state import Suggestion
from casmopolitan.errors import DataError, SpaceError
from casmopolitan.journal import suggestion_to_dict
from casmopolitan.past import read_past
from casmopolitan.presets import DEFAULT
from casmopolitan.scalars import Scalar
from casmopolitan.space import Constraint, Space
from casmopolitan.study.compat import (
    accepts_changes,
    contains,
    read_trials,
    storage_of,
    study_id,
    trial_id,
    trials_of_ask,
    was_interrupted,
)
from casmopolitan.study.sampler import records
from casmopolitan.study.sampler.branches import Conditions, Modelled
from casmopolitan.study.sampler.cache import SamplerCache
from casmopolitan.study.sampler.choose import choose
from casmopolitan.study.sampler.claim import claim_suggestion, rivals
from casmopolitan.study.sampler.constraints import ConstraintsFunction, record_constraints
from casmopolitan.study.sampler.defaults import read_defaults
from casmopolitan.study.sampler.replay import History, suggestion_of
from casmopolitan.study.sampler.search_space import Distributions, Params, Translation, translation_of, with_parents
from casmopolitan.study.sampler.settings import Settings


class CasmopolitanSampler(BaseSampler):
    """CASMOPOLITAN as an Optuna sampler.

    Use it as `optuna.create_study(sampler=CasmopolitanSampler(seed=0))`, or with several `directions`.

    The sampler has no state of its own: it derives everything from the trials recorded in the study. So any number of threads,
    processes and machines can share a study, and a stopped study resumes as if it had never stopped. The first worker
    records seed, config and ordinal with the study. A later worker with other settings gets a `SettingsWarning` and uses the
    recorded ones.

    Points that failed or had an infinite value are avoided. Trials that were interrupted, or whose worker died, neither count
    nor are avoided. Every constraint (`trial.set_constraint`, at most 0 if it is met) has a model of its own: see "How to reach
    several goals".

    A pruned trial counts with the worse of its last value and the median of the final values of those complete trials that were
    at least as good at that step; with all complete trials if none was. It is a failure if it reported nothing, or if no trial
    was complete before it.

    Args:
        search_space: A `Space`, or a dict of Optuna's distributions. By default the parameters of the completed trials are
            modelled: the first trial is random. A parameter that only some trials have is modelled if the values of
            categorical or integer parameters explain which; until its branch has been seen, it is drawn at random. If the
            script changes a range or choices, the model uses the old trials that fit them. Choices can only change in a
            study from `open_study`.
        seed: The random numbers of a trial depend only on the seed and the trial number. By default a seed is drawn and
            recorded with the study.
        config: The settings of the algorithm.
        ordinal: The names of categorical parameters whose choices are ordered.
        constraint: Forbids combinations of values, as in `Space`; it needs `search_space`. Pass the same constraint to every
            worker: a function cannot be stored in a database.
        noisy: Whether repeated evaluations of a point give different values; by default as in `config`.
        independent_sampler: Draws the parameters outside the search space; by default they are random.
        defaults: The values that the trials so far had for parameters which were added later, by name, for example
            {"momentum": 0.9}. They are recorded with the study. The model does not use trials without such a value.
        past: Earlier studies of related tasks, as in `Optimizer`, for example {"flask A": study}; it needs a `Space` as
            `search_space`, and one objective without constraints. Pass the same trials to every worker.
        constraints_func: A function that computes the constraints of a finished trial, as in Optuna's samplers. Optuna
            deprecates it; in new scripts, call `trial.set_constraint` in the objective.

    Raises:
        DataError: The seed, the config or another argument is not valid.
        SpaceError: The search space, `ordinal` or the constraint is not valid.
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
        defaults: Mapping[str, Scalar] | None = None,
        past: Mapping[str, Any] | None = None,
        constraints_func: ConstraintsFunction | None = None,
    ) -> None:
        if problems := [*seed_problems(seed), *config_problems(config)]:
            raise DataError("\n  ".join(problems))
        ordinal = _names(ordinal)
        if independent_sampler is not None and not isinstance(independent_sampler, BaseSampler):
            raise DataError(f"independent_sampler is {independent_sampler!r}; it must be a sampler, e.g. RandomSampler()")
        if constraint is not None and search_space is None:
            raise DataError("constraint= needs search_space=: without it the variables of a configuration are not known")
        config = config if noisy is None else replace(config, noisy=noisy)
        self._own = Settings(None if seed is None else int(seed), config, tuple(sorted(set(ordinal))))
        self._given = search_space
        self._constraint = constraint
        self._declared = None if search_space is None else translation_of(search_space, self._own.ordinal, constraint)
        self._independent = independent_sampler
        if constraints_func is not None and not callable(constraints_func):
            raise DataError(
                f"constraints_func is {constraints_func!r}; pass a function of a trial, or call trial.set_constraint"
            )
        self._constraints = constraints_func
        self._defaults = read_defaults(defaults or {}, self._declared)
        if past and not isinstance(search_space, Space):
            raise DataError("past= needs a Space as search_space=: without it the variables of a configuration are not known")
        self._past = read_past(search_space, past) if isinstance(search_space, Space) and past else ()
        self._clear()

    @property
    def declared(self) -> Translation | None:
        """The declared search space; None if it is that of the trials."""
        return self._declared

    def _clear(self) -> None:
        self._lock = threading.RLock()
        self._caches: WeakKeyDictionary[Any, dict[int, SamplerCache]] = WeakKeyDictionary()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_lock", "_caches")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._clear()

    def _cache(self, study: Study) -> SamplerCache:
        return self._caches.setdefault(storage_of(study), {}).setdefault(study_id(study), SamplerCache())

    def _current(self, study: Study, trial: FrozenTrial) -> list[FrozenTrial]:
        """Return the trials as of `study.ask`; read them if this process has changed one since."""
        cache = self._cache(study)
        if cache.trials is not None and cache.current_for == trial.number:
            return cache.trials
        return self._keep(study, read_trials(study), trial.number)

    def _keep(self, study: Study, trials: list[FrozenTrial], number: int | None = None) -> list[FrozenTrial]:
        cache = self._cache(study)
        cache.trials, cache.current_for = trials, number
        return trials

    def snapshot(self, study: Study) -> list[FrozenTrial]:
        """Return all trials of a study as this sampler last read them, to save another read after `study.ask`.

        Args:
            study: The study. If the sampler has not read its trials in this process yet, they are read now.

        Returns:
            The trials by number, not copied: do not change them. The trial that was asked for last is among them, without
            its parameters, which Optuna writes afterwards.
        """
        with self._lock:
            trials = self._cache(study).trials
            return self._keep(study, read_trials(study)) if trials is None else trials

    def reseed_rng(self) -> None:
        """Reseed the user's independent sampler; the random numbers of this sampler depend on the trial number alone."""
        if self._independent is not None:
            self._independent.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> Distributions:
        """Return the declared search space, or the parameters of completed and pruned trials that can be modelled."""
        if self._declared is not None:
            return dict(self._declared.distributions)
        with self._lock:
            cache, trials = self._cache(study), self._current(study, trial)
            return dict(cache.search_space(trials, cache.defaults(study, self._defaults, trial.number)).distributions)

    def sample_relative(self, study: Study, trial: FrozenTrial, search_space: Distributions) -> Params:
        """Suggest a point, and claim it in the storage so that no other worker takes it."""
        if not search_space:
            return {}
        with self._lock:
            cache = self._cache(study)
            trials = self._current(study, trial)
            settings, seed = cache.settings(study, self._own, trial.number)
            defaults = cache.defaults(study, self._defaults, trial.number)
            declared = self._declared
            found = cache.search_space(trials, defaults) if declared is None else Modelled({}, declared.conditions, {})
            conditions = found.conditions
            search_space = with_parents(search_space, conditions)  # another sampler may decide some parameters
            if not search_space:
                return {}
            translation = cache.translation(search_space, settings.ordinal, conditions, defaults, self._translation)
            if not translation.varies:
                return {}
            history = cache.history(study, trials, translation, settings, self._past)
            if declared is None:
                cache.log_left_out(trials, translation, found.added)
            point = self._claim(study, trial, trials, history, seed).point
            suggested = {name: value for name, value in translation.params(point).items() if name in search_space}
            if declared is not None or not accepts_changes(study):
                return suggested
            cache.decided[trial.number] = suggested  # Optuna would refuse a parameter whose choices have just changed
            return {}

    def _translation(self, search_space: Distributions, ordinal: Sequence[str], conditions: Conditions) -> Translation:
        """Return the translation of the declared search space, of a part of it, or of the parameters of the trials so far."""
        named = [name for name in ordinal if name in search_space]
        if self._declared is None or self._given is None:
            return translation_of(search_space, named, conditions=conditions)
        if search_space == self._declared.distributions:
            if tuple(ordinal) == self._own.ordinal:
                return self._declared
            return translation_of(self._given, named, self._constraint)
        if self._declared.space.constraint:
            missing = ", ".join(repr(name) for name in self._declared.space if name not in search_space)
            raise SpaceError(f"the constraint cannot be checked if another sampler decides {missing}; drop one of the two")
        return translation_of(search_space, named, conditions=conditions)

    def _claim(self, study: Study, trial: FrozenTrial, trials: list[FrozenTrial], history: History, seed: int) -> Suggestion:
        """Claim a point that no other live trial has; a retried trial keeps the point of its dead worker if it can."""
        kept = suggestion_of(trial, history.translation)
        if kept is not None and not rivals(history, trials, frozenset(), trial.number, kept.point):
            return kept

        cache = self._cache(study)

        def log(message: str) -> None:
            cache.log_once(f"study {study.study_name!r}: {message}")

        def write(trials: list[FrozenTrial], writing: int) -> tuple[Suggestion, bool]:
            choice = choose(history, trials, trial, seed, log)
            cache.current_for = None
            signed = {"writer": history.writer, "number": trial.number, "space": history.translation.fingerprint}
            record = signed | {"suggestion": suggestion_to_dict(choice.suggestion)}
            record |= {"exhausted": True} if choice.exhausted else {}
            names, limits = history.goals.constraints, choice.suggestion.prediction.limits
            record |= {} if limits is None else {"limits": {names[j]: probability for j, probability in limits.items()}}
            records.write(storage_of(study), trial_id(trial), record, writing)
            return choice.suggestion, not (choice.repeatable or history.config.noisy)

        return claim_suggestion(history, trial.number, trials, lambda: self._keep(study, read_trials(study)), write)

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """Draw a parameter outside the search space; random numbers depend only on seed, trial number and name."""
        with self._lock:
            cache = self._cache(study)
            decided = cache.decided.get(trial.number, {})
        if param_name in decided and contains(param_distribution, decided[param_name]):
            return decided[param_name]
        sampler = self._independent
        if sampler is None:
            with self._lock:
                _, seed = cache.settings(study, self._own, trial.number)
                if self._declared is not None:
                    cache.log_once(f"parameter {param_name!r} is not in the search space; it is drawn at random")
                elif cache.has_model:
                    cache.log_unmodelled(param_name)
            sampler = RandomSampler(int(stream(seed, trial.number, crc32(param_name.encode())).integers(2**32)))
        return sampler.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Keep the trials that Optuna has just read; call the user's independent sampler."""
        with self._lock:
            self._keep(study, trials_of_ask(study, trial.number), trial.number)
        if self._independent is not None:
            self._independent.before_trial(study, trial)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Record the constraints of a trial, and mark a failed trial.

        Only marked failures count; a trial whose worker died is never marked.

        Raises:
            DataError: `constraints_func` returned something other than numbers.
        """
        if state == TrialState.FAIL and not was_interrupted():
            storage_of(study).set_trial_system_attr(trial_id(trial), records.FAILED, True)
        with self._lock:
            self._cache(study).current_for = None
            self._cache(study).decided.pop(trial.number, None)
        for name, declared in self._declared.distributions.items() if self._declared is not None else ():
            asked = trial.distributions.get(name, declared)
            if asked != declared:
                with self._lock:
                    self._cache(study).log_once(
                        f"parameter {name!r} has the distribution {declared} in the search space, but {asked} in the objective"
                    )
        if self._independent is not None:
            self._independent.after_trial(study, trial, state, values)
        if self._constraints is not None and state in (TrialState.COMPLETE, TrialState.PRUNED):
            record_constraints(self._constraints, study, trial)


def _names(ordinal: object) -> list[str]:
    """Return the names of ordinal parameters; raise SpaceError if they are not a list of names."""
    listed = list(ordinal) if isinstance(ordinal, Iterable) and not isinstance(ordinal, str) else [None]
    names = [name for name in listed if isinstance(name, str)]
    if len(names) < len(listed):
        hint = f"[{ordinal!r}]" if isinstance(ordinal, str) else "['size']"
        raise SpaceError(f"ordinal is {ordinal!r}; it must be a list of names, e.g. ordinal={hint}")
    return names
