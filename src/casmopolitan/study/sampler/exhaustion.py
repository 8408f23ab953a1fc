"""When every point of a finite space has been suggested: how a study says so, and how it stops."""

from __future__ import annotations

from optuna.study import Study
from optuna.trial import FrozenTrial

from casmopolitan.study.sampler import records
from casmopolitan.study.sampler.replay import written_here
from casmopolitan.study.sampler.settings import writer_of


def exhausted(study: Study) -> bool:
    """Whether the sampler has found no new point for some trial and had to repeat one."""
    writer = writer_of(study)
    return any(_repeated(trial) for trial in study.get_trials(deepcopy=False) if written_here(trial, writer))


def stop_when_exhausted(study: Study, trial: FrozenTrial) -> None:
    """A callback for `study.optimize`: stop after the first trial that could only repeat a point.

    Optuna's samplers never end a study by themselves; without this callback points are repeated at random, with a warning.
    """
    if _repeated(trial):
        study.stop()


def _repeated(trial: FrozenTrial) -> bool:
    return (records.read(trial.system_attrs) or {}).get("exhausted") is True
