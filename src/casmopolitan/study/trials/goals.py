"""The goals of a study file as Optuna stores them: directions, constraints and a pruner."""

from __future__ import annotations

from collections.abc import Sequence

import optuna
from optuna.pruners import BasePruner, MedianPruner, WilcoxonPruner
from optuna.storages import BaseStorage
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial

from casmopolitan.errors import DataError
from casmopolitan.goals import Goals
from casmopolitan.study.compat import CONSTRAINT, trial_id
from casmopolitan.study.file.schema import Spec
from casmopolitan.study.trials.outcomes import constraints_of, told_of
from casmopolitan.trial import Direction


def directions_of(spec: Spec) -> list[Direction]:
    """Return the directions of a file's objectives, in the order of their names."""
    goals = spec.goals
    return [goals.objectives[name] for name in goals.names[: len(goals.objectives)]]


def directions_in(found: Sequence[StudyDirection]) -> list[Direction]:
    """Return the directions of a study in the database."""
    return ["maximize" if one == StudyDirection.MAXIMIZE else "minimize" for one in found]


def existing_directions(spec: Spec, storage: BaseStorage) -> list[Direction] | None:
    """Return the directions of the study in the database; None if there is none yet."""
    if spec.name not in optuna.get_all_study_names(storage):
        return None
    found = directions_in(storage.get_study_directions(storage.get_study_id_from_name(spec.name)))
    if len(found) != len(spec.goals.objectives):
        count = "1 objective" if len(found) == 1 else f"{len(found)} objectives"
        raise DataError(f"study {spec.name!r} exists with {count}; restore them in the file, or use another name")
    return found


def new_constraints(trials: Sequence[FrozenTrial], goals: Goals) -> dict[int, dict[str, float | None]]:
    """Return the attributes of Optuna's constraints that new limits give each trial, by its id; None removes one."""
    found = {}
    for trial in trials:
        told = told_of(trial, goals) if trial.state.is_finished() else None
        old = dict.fromkeys(name for name in trial.system_attrs if name.startswith(CONSTRAINT))
        found[trial_id(trial)] = {**old, **(constraints_of(told, goals) if isinstance(told, dict) else {})}
    return {trial: attributes for trial, attributes in found.items() if attributes}


def pruner_of(spec: Spec) -> BasePruner | None:
    """Return Optuna's pruner for a file; None if it has none."""
    pruning = spec.pruning
    if pruning is None:
        return None
    if pruning.pruner == "wilcoxon":
        return WilcoxonPruner(p_threshold=pruning.p_threshold, n_startup_steps=pruning.warmup_steps)
    return MedianPruner(n_startup_trials=pruning.warmup_trials, n_warmup_steps=pruning.warmup_steps)
