"""Results as Optuna stores them, and back; and what the sampler makes of them."""

from __future__ import annotations

import optuna
from hypothesis import given
from hypothesis import strategies as st
from optuna.trial import TrialState

from casmopolitan.goals import Goals
from casmopolitan.optimizer import Optimizer
from casmopolitan.spreadsheet.table import Line
from casmopolitan.study.compat import CONSTRAINT
from casmopolitan.study.file.load import load
from casmopolitan.study.sampler.outcomes import StudyGoals, outcome
from casmopolitan.study.trials.manual import record_results, reserve_trials
from casmopolitan.study.trials.open import accept_changes, open_spec
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


FILE = """
name = "s"
budget = 30
seed = 2
[settings]
n_initial = 4
[objectives]
speed = "maximize"
error = "minimize"
[limits]
memory = "<= 300"
[variables.model]
type = "categorical"
choices = ["tree", "forest", "network"]
[variables.layers]
type = "integer"
low = 1
high = 12
"""


def test_a_study_file_suggests_what_the_optimiser_suggests_to_the_last_bit(tmp_path):
    (tmp_path / "study.toml").write_text(FILE)
    spec = load(tmp_path / "study.toml")
    opened = open_spec(spec, create=True)
    optimizer = Optimizer(spec.space, seed=spec.seed, config=spec.config, **spec.goals.arguments)
    for k in range(9):
        (row,), trial = reserve_trials(opened, 1), optimizer.ask()
        assert row.configuration == trial.configuration
        assert row.explanation.get("acquisition") == trial.explanation["acquisition"]
        assert row.explanation.get("limits") == trial.explanation["limits"]
        assert row.explanation.get("means") == trial.explanation.get("means")
        size = {"tree": 1.0, "forest": 3.0, "network": 6.0}[trial.configuration["model"]] * trial.configuration["layers"]
        told = {"speed": 10 / size, "error": 0.05 + 0.4 / (1 + size), "memory": 12 * size}
        told |= {1: {"memory": None}, 2: {"error": None}, 6: {"speed": None}}.get(k, {})  # not measured
        record_results(opened, "by hand", [Line(1, row.number, {}, told)])
        optimizer.tell(trial, told)
    assert [row.configuration for row in opened.front(opened.rows())] == [
        trial.configuration for trial in sorted(optimizer.pareto_front, key=lambda trial: -trial.outcomes["speed"])
    ]
    opened.study._storage._backend.engine.dispose()


def test_in_a_noisy_study_the_front_is_that_of_the_predictions(tmp_path):
    (tmp_path / "study.toml").write_text("noisy = true\n" + FILE)
    spec = load(tmp_path / "study.toml")
    opened = open_spec(spec, create=True)
    for k, row in enumerate(reserve_trials(opened, 6)):
        told = {"speed": 1.0 + k % 3, "error": 2.0 + k % 2, "memory": 100.0 if k else 900.0}
        record_results(opened, "by hand", [Line(1, row.number, {}, told)])
    best = opened.best_first(opened.rows())
    assert {row.number for row in best} == {1, 2, 3, 4, 5}  # trial 0 violates the limit
    means = {row.number: (row.means["speed"], row.means["error"]) for row in best}
    front = {n for n, (s, e) in means.items() if not any(t >= s and f <= e and (t, f) != (s, e) for t, f in means.values())}
    assert {row.number for row in opened.front(opened.rows())} <= front
    assert {means[row.number] for row in opened.front(opened.rows())} == {means[n] for n in front}
    opened.study._storage._backend.engine.dispose()


def test_optuna_knows_the_names_of_objectives_and_the_new_bound_of_a_changed_limit(tmp_path):
    (tmp_path / "study.toml").write_text(FILE)
    opened = open_spec(load(tmp_path / "study.toml"), create=True)
    assert opened.study.metric_names == ["error", "speed"]
    (row,) = reserve_trials(opened, 1)
    record_results(opened, "by hand", [Line(1, row.number, {}, {"speed": 1.0, "error": 2.0, "memory": 200.0})])
    assert opened.trials()[0].constraints == {"memory": -100.0}
    opened.study._storage._backend.engine.dispose()
    (tmp_path / "study.toml").write_text(FILE.replace('memory = "<= 300"', 'memory = "<= 150"\nspeed = ">= 3"'))
    changed, differences = accept_changes(load(tmp_path / "study.toml"))
    assert differences == ["+ limit speed: >= 3", "~ limit memory: <= 300 became <= 150"]
    assert changed.trials()[0].constraints == {"memory": 50.0, "speed": 2.0}
    changed.study._storage._backend.engine.dispose()
