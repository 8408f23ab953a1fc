"""A sampler's cache per study. Everything in it can be computed again from the storage."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import optuna
from optuna.distributions import BaseDistribution
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from casmopolitan.config import Config
from casmopolitan.errors import DataError
from casmopolitan.goals import acquisition_problems
from casmopolitan.past import PastStudy, fitting, to_core
from casmopolitan.study.sampler.branches import Branches, Conditions, Modelled
from casmopolitan.study.sampler.changes import distribution_of, left_out
from casmopolitan.study.sampler.defaults import load_or_record_defaults
from casmopolitan.study.sampler.outcomes import StudyGoals, is_partial, signs_of
from casmopolitan.study.sampler.replay import History, PrefixCache, completed, finished_key
from casmopolitan.study.sampler.search_space import Distributions, Params, Translation, representable
from casmopolitan.study.sampler.settings import Settings, load_or_record_settings, warn_about_settings

_log = optuna.logging.get_logger("optuna.casmopolitan")
"""A child of Optuna's logger, so that messages look the same and `optuna.logging.set_verbosity` applies."""

NO_CONDITION = (
    "no values of categorical or integer parameters explain in which trials it exists; suggest it in every trial, or pass "
    "search_space="
)

Shared = frozenset[str] | None
Union = Mapping[str, BaseDistribution | None]


@dataclass
class SamplerCache:
    """The cache of one sampler for one study."""

    trials: list[FrozenTrial] | None = None
    """All trials as the sampler last read them."""
    current_for: int | None = None
    """The number of the trial for which `trials` were read, until this process changes a trial."""

    _constraints: PrefixCache[tuple[str, ...]] = field(default_factory=lambda: PrefixCache(()))
    _shared: PrefixCache[Shared] = field(default_factory=lambda: PrefixCache(None))
    _union: PrefixCache[Union] = field(default_factory=lambda: PrefixCache({}))
    _representable: tuple[Mapping[str, BaseDistribution | str], Distributions, dict[str, str]] | None = None
    _modelled: tuple[tuple[Hashable, ...], Params, Modelled] | None = None
    _translation: tuple[tuple[Distributions, tuple[str, ...], Conditions, Params], Translation] | None = None
    _history: History | None = None
    _settings: tuple[int, Settings, int] | None = None
    _defaults: tuple[int, Params] | None = None
    _counted: Translation | None = None
    _logged: set[str] = field(default_factory=set)

    unmodelled: dict[str, str] = field(default_factory=dict)
    """Why parameters cannot be modelled, and what to do, by name."""
    decided: dict[int, Params] = field(default_factory=dict)
    """Parameters that were suggested to running trials, but are withheld from Optuna until a trial asks for them."""

    @property
    def has_model(self) -> bool:
        """Whether any parameter has been modelled yet."""
        return self._history is not None

    def search_space(self, trials: Sequence[FrozenTrial], defaults: Params | None = None) -> Modelled:
        """Return the parameters of completed and pruned trials that can be modelled, by name, and when they exist.

        Each has the distribution that the script suggests it with now, and exists in all trials or under a condition.
        `defaults` are the values that trials had before a parameter was added.
        """
        done, defaults = _evaluated(trials), defaults or {}
        keys = tuple(finished_key(trial) for trial in done)
        if self._modelled is not None and self._modelled[:2] == (keys, defaults):
            return self._modelled[2]
        union = self._union.fold(keys, done, _with_parameters)
        current = {name: one or distribution_of(name, done) for name, one in sorted(union.items())}
        if self._representable is None or self._representable[0] != current:
            self._representable = (current, *representable(current))
        kept, self.unmodelled = self._representable[1], dict(self._representable[2])
        shared = self._shared.fold(keys, done, _with_shared) or frozenset()
        found = Modelled(kept, {}, {})
        if not kept.keys() <= shared:
            branches = Branches(done, kept, defaults)
            found = branches.modelled
            self.unmodelled |= dict.fromkeys(branches.unexplained, NO_CONDITION)
        self._modelled = (keys, dict(defaults), found)
        return found

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
        defaults: Params,
        create: Callable[[Distributions, Sequence[str], Conditions], Translation],
    ) -> Translation:
        """Return the translation of a search space; create it if the search space or the defaults have changed."""
        key = (search_space, ordinal, conditions, defaults)
        if self._translation is None or self._translation[0] != key:
            self._translation = (key, replace(create(search_space, ordinal, conditions), defaults=dict(defaults)))
        return self._translation[1]

    def defaults(self, study: Study, own: Params, number: int) -> Params:
        """Return the defaults that the study has recorded, with the worker's own, read once per trial."""
        if self._defaults is None or self._defaults[0] != number:
            self._defaults = (number, load_or_record_defaults(study, own))
        return self._defaults[1]

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

    def history(
        self,
        study: Study,
        trials: Sequence[FrozenTrial],
        translation: Translation,
        settings: Settings,
        past: Sequence[PastStudy] = (),
    ) -> History:
        """Return the study's history in a search space, with the trials of earlier studies that fit it."""
        known, goals = self._history, self.goals(study, trials, settings.config)
        if (
            known is None
            or known.translation is not translation
            or (known.writer, known.goals) != (settings.fingerprint, goals)
        ):
            if past and not goals.outcomes.plain:
                self.log_once("past is not used: it needs a single objective without constraints")
            fit = fitting(translation.space, past) if goals.outcomes.plain else []
            earlier = to_core(translation.space, fit, goals.signs[0])
            self._history = known = History(translation, settings.config, goals, settings.fingerprint, earlier)
        return known

    def log_unmodelled(self, name: str) -> None:
        """Log once that a parameter is drawn at random: for good, with the reason, or until trials with it have ended."""
        reason = self.unmodelled.get(name)
        if reason is not None:
            self.log_once(f"parameter {name!r} is not modelled, it is drawn at random: {reason}")
        else:
            self.log_once(
                f"parameter {name!r} is new or was changed; it is drawn at random until trials with it have ended", logging.INFO
            )

    def log_left_out(self, trials: Sequence[FrozenTrial], translation: Translation, added: Iterable[str]) -> None:
        """Log which trials the model cannot use since the script was changed; `added` are parameters that were added."""
        if self._counted is not translation:
            self._counted = translation
            for message, level in left_out(_evaluated(trials), translation, added):
                self.log_once(message, level)

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


def _with_shared(shared: Shared, trial: FrozenTrial) -> Shared:
    """Return the names of the parameters that one more trial has too; the same object if nothing changes."""
    own = trial.distributions.keys()
    return frozenset(own) if shared is None else shared if shared <= own else shared & own
