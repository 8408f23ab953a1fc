"""What a study would suggest next, found in a copy of it in memory: the study itself does not change."""

from __future__ import annotations

import contextlib
import copy
import warnings
from collections.abc import Sequence
from dataclasses import replace

import optuna
from optuna.storages import InMemoryStorage
from optuna.study import Study
from optuna.trial import FrozenTrial

from casmopolitan.analysis.row import TrialRow
from casmopolitan.errors import CasmopolitanError
from casmopolitan.goals import Goals
from casmopolitan.study.compat import contains, read_trial, storage_of, study_id, suggest_parameter
from casmopolitan.study.sampler.sampler import CasmopolitanSampler
from casmopolitan.study.sampler.search_space import Translation
from casmopolitan.study.trials.status import repeats, rows_of


def next_suggestions(
    study: Study,
    trials: Sequence[FrozenTrial],
    translation: Translation,
    sampler: CasmopolitanSampler,
    goals: Goals,
    count: int,
) -> list[TrialRow]:
    """Return the next trials as rows; fewer if the space is exhausted. Trials under way are taken into account."""
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    numbers: list[int] = []
    try:
        with warnings.catch_warnings(action="ignore"), contextlib.suppress(CasmopolitanError):
            twin = _copied(study, trials, sampler)
            for _ in range(count):
                trial = twin.ask()
                for name in trial.relative_params:
                    suggest_parameter(trial, name, translation.distributions[name])
                if not trial.relative_params or repeats(read_trial(twin, trial), trials, single_point=False, noisy=False):
                    break
                numbers.append(trial.number)
            rows = rows_of(twin, twin.get_trials(deepcopy=False), translation.space, goals)
            return [_in_space(row, translation) for row in rows if row.number in numbers]
    finally:
        optuna.logging.set_verbosity(level)
    return []


def _copied(study: Study, trials: Sequence[FrozenTrial], sampler: CasmopolitanSampler) -> Study:
    """Return a copy of a study in memory, with its settings and trials."""
    twin = optuna.create_study(storage=InMemoryStorage(), directions=study.directions, sampler=sampler)
    for name, value in storage_of(study).get_study_system_attrs(study_id(study)).items():
        storage_of(twin).set_study_system_attr(study_id(twin), name, value)
    twin.add_trials([_within_ranges(trial) for trial in trials])
    return twin


def _within_ranges(trial: FrozenTrial) -> FrozenTrial:
    """Return a trial without the parameters that lie outside their own range, as after an edit of the database."""
    ranges, params = trial.distributions, trial.params
    kept = {name: one for name, one in ranges.items() if name in params and contains(one, params[name])}
    if len(kept) == len(ranges):
        return trial
    changed = copy.copy(trial)
    changed.distributions, changed.params = kept, {name: params[name] for name in kept}
    return changed


def _in_space(row: TrialRow, translation: Translation) -> TrialRow:
    """Return a row in the terms of the space, which may have labels in place of Optuna's choices."""
    point = translation.point(row.configuration)
    return row if point is None else replace(row, configuration=translation.space.decode(point)[0])
