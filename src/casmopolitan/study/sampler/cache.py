"""A sampler's cache per study. Everything in it can be computed again from the storage."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import optuna
from optuna.distributions import BaseDistribution
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from casmopolitan.config import Config
from casmopolitan.errors import DataError
from casmopolitan.goals import acquisition_problems
from casmopolitan.study.sampler.branches import Branches, Conditions
from casmopolitan.study.sampler.outcomes import StudyGoals, is_partial, signs_of
from casmopolitan.study.sampler.replay import History, PrefixCache, completed, finished_key
from casmopolitan.study.sampler.search_space import Distributions, Translation, representable
from casmopolitan.study.sampler.settings import Settings, load_or_record_settings, warn_about_settings

_log = optuna.logging.get_logger("optuna.casmopolitan")
"""A child of Optuna's logger, so that messages look the same and `optuna.logging.set_verbosity` applies."""

Common = Mapping[str, BaseDistribution] | None
Union = Mapping[str, BaseDistribution | None]


@dataclass
class SamplerCache:
    """The cache of one sampler for one study."""

    trials: list[FrozenTrial] | None = None
    """All trials as the sampler last read them."""
    current_for: int | None = None
    """The number of the trial for which `trials` were read, until this process changes a trial."""

    _constraints: PrefixCache[tuple[str, ...]] = field(default_factory=lambda: PrefixCache(()))
    _common: PrefixCache[Common] = field(default_factory=lambda: PrefixCache(None))
    _union: PrefixCache[Union] = field(default_factory=lambda: PrefixCache({}))
    _representable: tuple[Union, Distributions] | None = None
    _modelled: tuple[tuple[Hashable, ...], Distributions, Conditions] | None = None
    _translation: tuple[Distributions, tuple[str, ...], Conditions, Translation] | None = None
    _history: History | None = None
    _settings: tuple[int, Settings, int] | None = None
    _logged: set[str] = field(default_factory=set)

    @property
    def has_model(self) -> bool:
        """Whether any parameter has been modelled yet."""
        return self._history is not None

    def search_space(self, trials: Sequence[FrozenTrial]) -> tuple[Distributions, Conditions]:
        """Return the parameters of completed and pruned trials that can be modelled, by name, and when they exist.

        They have equal distributions in all trials, and each exists in all trials or under a condition that fits all trials.
        """
        done = _evaluated(trials)
        keys = tuple(finished_key(trial) for trial in done)
        if self._modelled is not None and self._modelled[0] == keys:
            return dict(self._modelled[1]), self._modelled[2]
        union = self._union.fold(keys, done, _with_parameters)
        if self._representable is None or union is not self._representable[0]:
            agreed = {name: one for name, one in sorted(union.items()) if one is not None}
            kept, problems = representable(agreed)
            self._representable = (union, kept)
            for problem in problems:
                self.log_once(f"a parameter cannot be modelled and is drawn at random: {problem}")
        everywhere = self._common.fold(keys, done, _intersection) or {}
        found, conditions = dict(self._representable[1]), Conditions()
        if not found.keys() <= everywhere.keys():
            found, conditions = Branches(done, found).modelled
        self._modelled = (keys, found, conditions)
        return dict(found), conditions

    def settings(self, study: Study, own: Settings, number: int) -> tuple[Settings, int]:
        """Return the study's recorded settings and seed, read once per trial; warn once if the sampler's own differ."""
        if self._settings is None or self._settings[0] != number:
            first = self._settings is None
            recorded, seed = load_or_record_settings(study, own)
            self._settings = (number, recorded, seed)
            if first:
                warn_about_settings(study, own, recorded)
        return self._settings[1], self._settings[2]

    def translation(
        self,
        search_space: Distributions,
        ordinal: tuple[str, ...],
        conditions: Conditions,
        create: Callable[[Distributions, Sequence[str], Conditions], Translation],
    ) -> Translation:
        """Return the translation of a search space; create it if the search space has changed."""
        if self._translation is None or self._translation[:3] != (search_space, ordinal, conditions):
            self._translation = (search_space, ordinal, conditions, create(search_space, ordinal, conditions))
        return self._translation[3]

    def goals(self, study: Study, trials: Sequence[FrozenTrial], config: Config) -> StudyGoals:
        """Return the study's directions, and the constraints that its completed and pruned trials have set, oldest first.

        If the acquisition function does not know limits, there are none: infeasible trials are then failures. Raises DataError
        if it does not know several objectives.
        """
        signs, done = signs_of(study), _evaluated(trials)
        if len(signs) > 1 and (problems := acquisition_problems(config, StudyGoals(signs).outcomes)):
            raise DataError(f"study {study.study_name!r} has {len(signs)} objectives: {problems[0]}")
        names = self._constraints.fold([finished_key(trial) for trial in done], done, _constraint_names)
        goals = StudyGoals(signs, names)
        if problems := acquisition_problems(config, goals.outcomes):
            self.log_once(f"infeasible trials count as failed: {problems[0]}")
            return StudyGoals(signs)
        return goals

    def history(self, study: Study, trials: Sequence[FrozenTrial], translation: Translation, settings: Settings) -> History:
        """Return the study's history in a search space."""
        known, goals = self._history, self.goals(study, trials, settings.config)
        if (
            known is None
            or known.translation is not translation
            or (known.writer, known.goals) != (settings.fingerprint, goals)
        ):
            self._history = known = History(translation, settings.config, goals, settings.fingerprint)
        return known

    def log_once(self, message: str, level: int = logging.WARNING) -> None:
        """Log a message, unless it was logged before."""
        if message not in self._logged:
            self._logged.add(message)
            _log.log(level, message)


def _evaluated(trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
    """Return the completed and pruned trials in the order of completion, with those that have some objectives unknown."""
    return [trial for trial in completed(trials) if trial.state != TrialState.FAIL or is_partial(trial)]


def _constraint_names(names: tuple[str, ...], trial: FrozenTrial) -> tuple[str, ...]:
    """Return the names of the constraints that were set, with those that one more trial has set."""
    return (*names, *sorted(trial.constraints.keys() - set(names)))


def _with_parameters(union: Union, trial: FrozenTrial) -> Union:
    """Return the distributions so far, with those of one more trial; None where two differ. The same object if none is new."""
    own = trial.distributions
    if all(name in union and union[name] in (None, one) for name, one in own.items()):
        return union
    return {**union, **{name: one if union.get(name, one) == one else None for name, one in own.items()}}


def _intersection(common: Common, trial: FrozenTrial) -> Common:
    """Return the distributions that one more trial shares with those before; the same object if nothing changes."""
    own = trial.distributions
    if common is None:
        return own
    if all(own.get(name) == distribution for name, distribution in common.items()):
        return common
    return {name: distribution for name, distribution in common.items() if own.get(name) == distribution}
