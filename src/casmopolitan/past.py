"""Earlier studies of related tasks: reading their trials, and saying which of them do not fit the present space."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from casmopolitan.core.past import Past
from casmopolitan.core.points import stack
from casmopolitan.errors import DataError, SpaceError
from casmopolitan.formatting import counted, short_repr
from casmopolitan.scalars import Scalar
from casmopolitan.space import Space
from casmopolitan.trial import Configuration, Trial, measured

FORM = "a list of trials, or of pairs (configuration, value)"


@dataclass(frozen=True)
class PastStudy:
    """One earlier study: its trials that fit the present space, and why the others do not."""

    name: str
    trials: tuple[tuple[Configuration, float], ...]
    left_out: tuple[str, ...] = ()
    """One text per trial that does not fit."""

    def __str__(self) -> str:
        return f"{self.name}: {counted(len(self.trials), 'trial')}" + (
            f" ({len(self.left_out)} left out)" if self.left_out else ""
        )


def read_past(space: Space, past: object) -> tuple[PastStudy, ...]:
    """Return earlier studies, given as a dict from name to trials; DataError lists all problems.

    Failed, pending and cancelled trials are skipped: they have no value to learn from.
    """
    if not isinstance(past, Mapping):
        raise DataError(f"past is {short_repr(past)}; give a dict from the name of each earlier study to {FORM}")
    problems: list[str] = []
    studies = [_read_study(space, str(name), trials, problems) for name, trials in past.items()]
    if problems:
        raise DataError("\n  ".join(problems))
    return tuple(studies)


def _read_study(space: Space, name: str, trials: object, problems: list[str]) -> PastStudy:
    left_out = list(trials.left_out) if isinstance(trials, PastStudy) else []
    trials = getattr(trials, "trials", trials)  # an optimiser, a result, an Optuna study
    if isinstance(trials, str | bytes | Mapping) or not isinstance(trials, Iterable):
        problems.append(f"past study {name!r} is {short_repr(trials)}; give {FORM}")
        return PastStudy(name, ())
    kept, before = [], len(problems)
    for i, trial in enumerate(trials):
        try:
            configuration, value = _pair(trial)
        except (TypeError, ValueError, DataError) as error:
            problems.append(f"past study {name!r}, trial {i}: {error}")
            continue
        if value is None:
            continue
        try:
            kept.append((space.read(configuration), value))
        except SpaceError as error:
            left_out.append(f"past study {name!r}, trial {i}: {'; '.join(error.problems)}")
    if not kept and len(problems) == before:
        why = f": {left_out[0]}" if left_out else ""
        problems.append(f"past study {name!r} has no completed trial that fits the space{why}")
    return PastStudy(name, tuple(kept), tuple(left_out))


def _pair(trial: object) -> tuple[Mapping[str, Any], float | None]:
    """Return configuration and value of a trial; None if it has no value."""
    if isinstance(trial, Trial):
        return trial.configuration, trial.value
    if isinstance(params := getattr(trial, "params", None), Mapping):
        return params, _optuna_value(trial)
    if isinstance(trial, Sequence) and not isinstance(trial, str | bytes) and len(trial) == 2 and isinstance(trial[0], Mapping):
        return trial[0], measured(trial[1])
    raise TypeError(f"got {short_repr(trial)}; give {FORM}")


def _optuna_value(trial: Any) -> float | None:
    """Return the value of one of Optuna's trials; None if it is not complete."""
    if trial.state.name != "COMPLETE":
        return None
    if len(trial.values) > 1:
        raise DataError(f"has {len(trial.values)} values; past needs studies with one objective")
    return measured(trial.values[0])


def completed(space: Space, configuration: Mapping[str, Any], values: Mapping[str, Scalar]) -> Configuration:
    """Return a configuration with the values of variables that it does not have, as far as these exist in it."""
    whole = {**values, **configuration}
    active = space.activity.active(whole)
    return {name: value for name, value in whole.items() if name in configuration or name in active}


def fitting(space: Space, studies: Sequence[PastStudy], values: Mapping[str, Scalar] | None = None) -> list[PastStudy]:
    """Return those studies that have trials in another space, each with these trials; `values` are as in `completed`."""
    kept = []
    for study in studies:
        trials = [(completed(space, configuration, values or {}), value) for configuration, value in study.trials]
        kept.append(PastStudy(study.name, tuple((c, value) for c, value in trials if space.allows(c)), study.left_out))
    return [study for study in kept if study.trials]


def to_core(space: Space, studies: Sequence[PastStudy], sign: float) -> Past | None:
    """Return the trials of all studies as the core sees them; None if there are none."""
    if not studies:
        return None
    points = stack([space.encode([configuration for configuration, _ in study.trials]) for study in studies])
    values = np.array([sign * value for study in studies for _, value in study.trials])
    task = np.repeat(np.arange(1, len(studies) + 1), [len(study.trials) for study in studies])
    return Past(points, values, task.astype(np.int64))
