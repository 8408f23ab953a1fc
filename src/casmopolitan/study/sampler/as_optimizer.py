"""The trials of a study in an optimiser, for everything that needs a model of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from casmopolitan.core.state import Asked, Cancelled, Event, Given
from casmopolitan.errors import DataError
from casmopolitan.goals import VALUE, Goals
from casmopolitan.optimizer import Optimizer
from casmopolitan.presets import DEFAULT
from casmopolitan.study.sampler.cache import SamplerCache
from casmopolitan.study.sampler.outcomes import StudyGoals
from casmopolitan.study.sampler.replay import History, completed, point_of
from casmopolitan.study.sampler.sampler import CasmopolitanSampler
from casmopolitan.study.sampler.search_space import Translation, translation_of
from casmopolitan.study.sampler.settings import Settings, recorded_settings
from casmopolitan.trial import Direction


def as_optimizer(study: Study) -> Optimizer:
    """Return an optimiser with the trials of a study, whichever sampler it has; the two are independent from then on.

    Pruned trials are cancelled ones: they have no final value. Trials that do not fit the search space are left out.
    """
    trials, recorded = study.get_trials(deepcopy=False), recorded_settings(study)
    settings = Settings(0, DEFAULT) if recorded is None else recorded
    cache = SamplerCache()
    translation = translation_in(study, trials, settings, cache)
    found = cache.goals(study, trials, settings.config)
    goals, constraints = goals_in(study, found)
    made = Optimizer(translation.space, seed=settings.seed, config=settings.config, **goals.arguments)
    writer = None if recorded is None else recorded.fingerprint
    history = History(translation, settings.config, StudyGoals(found.signs, constraints), writer)
    for event in _events(history, trials, foreign=recorded is None):
        made._log.append(event)
    return made


def translation_in(study: Study, trials: Sequence[FrozenTrial], settings: Settings, cache: SamplerCache) -> Translation:
    """Return the declared search space of a study's sampler, or that of the parameters of its trials."""
    declared = study.sampler.declared if isinstance(study.sampler, CasmopolitanSampler) else None
    if declared is not None:
        return declared
    distributions, conditions = cache.search_space(trials)[:2]
    if not distributions:
        raise DataError(f"study {study.study_name!r} has no completed trial with parameters that can be modelled")
    return translation_of(distributions, [name for name in settings.ordinal if name in distributions], conditions=conditions)


def goals_in(study: Study, found: StudyGoals) -> tuple[Goals, tuple[str, ...]]:
    """Return the goals of a study, and its constraints in their order: the core orders objectives and limits by name."""
    directions: list[Direction] = ["minimize" if sign > 0 else "maximize" for sign in found.signs]
    names = study.metric_names or [f"objective {k}" for k in range(len(directions))]
    if names != sorted(names):
        names = [f"{k} {name}" for k, name in enumerate(names)]
    taken = [VALUE] if len(names) == 1 else names
    limits = dict(sorted((f"constraint {name}" if name in taken else name, name) for name in found.constraints))
    bounds, constraints = dict.fromkeys(limits, "<= 0"), tuple(limits.values())
    if len(names) == 1:
        return Goals.of(directions[0], limits=bounds), constraints
    return Goals.of(objectives=dict(zip(names, directions, strict=True)), limits=bounds), constraints


def _events(history: History, trials: Sequence[FrozenTrial], *, foreign: bool) -> Iterator[Event]:
    """Yield the events of a study; `foreign` if this package's sampler has not recorded which trials failed."""
    region = 0
    for trial in completed(trials):
        if foreign and trial.state == TrialState.FAIL:
            point = point_of(trial, trial.params, history.translation)
            yield from [] if point is None else [Given(trial.number, point, None)]
            continue
        for event in history.events(trial):
            if isinstance(event, Asked):
                region = max(region, event.suggestion.provenance.region)
                yield event
            elif trial.state != TrialState.PRUNED:
                yield event
            elif not isinstance(event, Given):
                yield Cancelled(trial.number)
    yield from history.pending(trials, -1, region)
