"""A study of Optuna as this package sees it: its space, settings and goals, and its trials as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from casmopolitan.analysis.row import TrialRow
from casmopolitan.config import Config
from casmopolitan.errors import DataError
from casmopolitan.goals import Goals
from casmopolitan.presets import DEFAULT
from casmopolitan.space import Space
from casmopolitan.study.sampler.cache import SamplerCache
from casmopolitan.study.sampler.sampler import CasmopolitanSampler
from casmopolitan.study.sampler.search_space import Translation, translation_of
from casmopolitan.study.sampler.settings import recorded_settings
from casmopolitan.study.trials.goals import directions_in
from casmopolitan.study.trials.status import rows_of


@dataclass(frozen=True, eq=False)
class Sampled:
    """A study, whichever sampler it has, with the space of its parameters."""

    study: Study
    trials: Sequence[FrozenTrial]
    translation: Translation
    config: Config
    seed: int
    goals: Goals

    @property
    def space(self) -> Space:
        """The declared search space, or that of the parameters of the trials so far."""
        return self.translation.space

    def rows(self) -> list[TrialRow]:
        """Return the trials as rows, in the terms of the space. Trials that another sampler's study ended as failed count."""
        ours = recorded_settings(self.study) is not None
        rows = rows_of(self.study, self.trials, self.space, self.goals)
        return [self._row(row, trial, ours) for row, trial in zip(rows, self.trials, strict=True)]

    def _row(self, row: TrialRow, trial: FrozenTrial, ours: bool) -> TrialRow:
        if not ours and trial.state == TrialState.FAIL:
            row = replace(row, state="failed")
        if trial.datetime_start is not None and trial.datetime_complete is not None:
            row = replace(row, seconds=(trial.datetime_complete - trial.datetime_start).total_seconds())
        point = self.translation.point(trial.params)
        return row if point is None else replace(row, configuration=self.space.decode(point)[0])


def sampled(study: Study) -> Sampled:
    """Return a study of Optuna with its space, settings and goals."""
    trials, recorded = study.get_trials(deepcopy=False), recorded_settings(study)
    config, seed = (DEFAULT, 0) if recorded is None else (recorded.config, recorded.seed or 0)
    ordinal = () if recorded is None else recorded.ordinal
    declared = study.sampler.declared if isinstance(study.sampler, CasmopolitanSampler) else None
    if declared is None:
        distributions, conditions = SamplerCache().search_space(trials)
        distributions = distributions or {name: one for trial in trials for name, one in trial.distributions.items()}
        if not distributions:
            raise DataError(
                f"study {study.study_name!r} has no parameters yet; run a trial, or give its sampler a search_space"
            )
        declared = translation_of(distributions, [name for name in ordinal if name in distributions], conditions=conditions)
    return Sampled(study, trials, declared, config, seed, goals_in(study, trials))


def goals_in(study: Study, trials: Sequence[FrozenTrial]) -> Goals:
    """Return the goals of a study: its directions, and its constraints as limits at 0."""
    directions = directions_in(study.directions)
    names = study.metric_names or [f"objective {k + 1}" for k in range(len(directions))]
    if names != sorted(names):  # the core orders objectives by name, and a study has them in its own order
        names = [f"{k + 1}. {name}" for k, name in enumerate(names)]
    objectives = None if len(directions) == 1 and not study.metric_names else dict(zip(names, directions, strict=True))
    way = directions[0] if objectives is None else "minimize"
    limits = dict.fromkeys(sorted({name for trial in trials for name in trial.constraints}), "<= 0")
    try:
        return Goals.of(way, objectives, limits)
    except DataError:  # a constraint has the name of an objective
        return Goals.of(way, objectives)
