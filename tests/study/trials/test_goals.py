"""The goals of a study file in Optuna's terms."""

from __future__ import annotations

import warnings

import optuna
import pytest
from optuna.pruners import MedianPruner, WilcoxonPruner

from casmopolitan.errors import DataError
from casmopolitan.study.file.load import load
from casmopolitan.study.sampler.outcomes import StudyGoals, outcome
from casmopolitan.study.trials.goals import directions_of, pruner_of
from casmopolitan.study.trials.known import KnownResult, record_known
from casmopolitan.study.trials.open import accept_changes, open_spec

TWO = '[objectives]\nspeed = "maximize"\nerror = "minimize"\n'


def loaded(file, more):
    file.write_text(file.read_text() + more)
    return load(file)


def test_directions_are_in_the_order_of_the_names(file):
    assert directions_of(loaded(file, TWO)) == ["minimize", "maximize"]


def test_a_study_with_another_number_of_objectives_is_refused(file):
    optuna.create_study(storage=f"sqlite:///{file.parent}/casmopolitan.db", study_name="n", direction="minimize")
    with pytest.raises(DataError, match="study 'n' exists with 1 objective; restore them in the file, or use another name"):
        open_spec(loaded(file, TWO))


@pytest.mark.parametrize(("name", "kind"), [("wilcoxon", WilcoxonPruner), ("median", MedianPruner)])
def test_the_pruner_is_optunas(file, name, kind):
    assert pruner_of(load(file)) is None
    spec = loaded(file, f'[pruning]\npruner = "{name}"\n')
    with warnings.catch_warnings(action="ignore"):  # Optuna calls one of them experimental
        assert isinstance(pruner_of(spec), kind)


def test_trials_from_before_a_limit_are_compared_with_it_and_their_other_outcomes_are_unknown(file, opened):
    record_known(opened, [KnownResult({"a": "x", "b": 3}, 4.0)])
    limits = '[limits]\nvalue = ">= 5"\nmemory = "<= 9"\n'
    changed, differences = accept_changes(loaded(file, limits))
    assert differences == ["+ limit memory: <= 9", "+ limit value: >= 5"]
    (trial,) = changed.trials()
    assert trial.constraints == {"value": 1.0}
    assert outcome(trial, StudyGoals((1.0,), ("memory", "value"))) == (4.0, None, 1.0)
    (row,) = changed.rows()
    assert (row.value, row.outcomes, row.feasible) == (4.0, {"value": 4.0, "memory": None}, False)
    changed.study._storage._backend.engine.dispose()
