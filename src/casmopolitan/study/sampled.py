"""A study of Optuna as this package sees it: its space, settings and goals, and its trials as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from casmopolitan.analysis.row import TrialRow
from casmopolitan.config import Config
from casmopolitan.goals import Goals
from casmopolitan.presets import DEFAULT
from casmopolitan.space import Space
from casmopolitan.study.sampler.as_optimizer import goals_in, translation_in
from casmopolitan.study.sampler.cache import SamplerCache
from casmopolitan.study.sampler.search_space import Translation
from casmopolitan.study.sampler.settings import Settings, recorded_settings
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
    trials, recorded, cache = study.get_trials(deepcopy=False), recorded_settings(study), SamplerCache()
    settings = Settings(0, DEFAULT) if recorded is None else recorded
    translation = translation_in(study, trials, settings, cache)
    goals, _ = goals_in(study, cache.goals(study, trials, settings.config))
    return Sampled(study, trials, translation, settings.config, settings.seed or 0, goals)
