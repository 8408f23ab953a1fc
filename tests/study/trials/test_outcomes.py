"""Results as Optuna stores them, and back; and what the sampler makes of them."""

from __future__ import annotations

import optuna
from hypothesis import given
from hypothesis import strategies as st
from optuna.trial import TrialState

from casmopolitan.goals import Goals
from casmopolitan.study.compat import CONSTRAINT
from casmopolitan.study.sampler.outcomes import StudyGoals, outcome
from casmopolitan.study.trials.outcomes import stored, told_of

GOALS = Goals.of(
    objectives={"speed": "maximize", "error": "minimize"}, limits={"memory": "<= 5", "load": ">= 2", "error": "<= 9"}
)
SAMPLER = StudyGoals((1.0, -1.0), ("error", "load", "memory"))  # objectives in the order of their names

number = st.floats(-100, 100).map(lambda x: round(x, 3) + 0.0)
outcomes = st.fixed_dictionaries({name: st.none() | number for name in GOALS.order})


def frozen(told, goals=GOALS):
    kept = stored(told, goals)
    return optuna.trial.create_trial(
        state=kept.state, values=kept.values, user_attrs=kept.user_attrs, system_attrs=kept.system_attrs
    )


@given(outcomes)
def test_what_is_told_comes_back_and_the_sampler_uses_all_that_is_known(told):
    if all(value is None for value in told.values()):
        return
    trial = frozen(told)
    assert told_of(trial, GOALS) == told
    error, speed = told["error"], told["speed"]
    assert outcome(trial, SAMPLER) == (
        error,
        None if speed is None else -speed,
        None if error is None else error - 9,
        None if told["load"] is None else 2 - told["load"],
        None if told["memory"] is None else told["memory"] - 5,
    )
    assert trial.state == (TrialState.FAIL if None in (error, speed) else TrialState.COMPLETE)


def test_optuna_sees_directions_and_constraints():
    study = optuna.create_study(directions=["minimize", "maximize"])
    study.add_trial(frozen({"speed": 3.0, "error": 1.0, "memory": 6.0, "load": 4.0}))
    study.add_trial(frozen({"speed": 2.0, "error": 1.0, "memory": 4.0, "load": 4.0}))
    assert [trial.values for trial in study.best_trials] == [[1.0, 2.0]]
    assert study.trials[0].constraints == {"error": -8.0, "load": -2.0, "memory": 1.0}


def test_a_number_and_a_failure_are_stored_without_attributes():
    assert stored(2.5, Goals.of()) == stored(2.5, Goals.of("maximize"))
    assert stored(2.5, Goals.of()).values == [2.5]
    assert stored(None, GOALS).state == TrialState.FAIL
    assert told_of(frozen(None), GOALS) is None


def test_a_trial_that_optuna_recorded_gets_its_outcomes_from_values_and_constraints():
    trial = optuna.trial.create_trial(values=[1.0, 3.0], system_attrs={f"{CONSTRAINT}memory": 1.5, f"{CONSTRAINT}load": -1.0})
    assert told_of(trial, GOALS) == {"speed": 3.0, "error": 1.0, "memory": 6.5, "load": 3.0}


def test_known_objectives_of_a_trial_that_was_killed_do_not_count():
    kept = stored({"speed": None, "error": 1.0, "memory": 6.0, "load": 4.0}, GOALS)
    attributes = {name: value for name, value in kept.system_attrs.items() if name != "casmo:failed"}
    trial = optuna.trial.create_trial(state=TrialState.FAIL, system_attrs=attributes, user_attrs=kept.user_attrs)
    assert type(outcome(trial, SAMPLER)).__name__ == "Killed"
