import math
from datetime import datetime, timedelta

import optuna
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optuna.trial import TrialState

import casmopolitan as cas
from casmopolitan.journal import suggestion_to_dict
from casmopolitan.study import CasmopolitanSampler, distributions_of
from casmopolitan.study.sampler import records
from casmopolitan.study.sampler.cache import SamplerCache
from casmopolitan.study.sampler.replay import (
    RECENT,
    History,
    PrefixCache,
    completed,
    suggestion_of,
    written_here,
)
from casmopolitan.study.sampler.search_space import translation_of
from casmopolitan.study.sampler.settings import Settings

SPACE = cas.Space({f"c{i}": cas.Categorical(["a", "b", "c"]) for i in range(4)} | {"x": cas.Real(0.0, 1.0)})
CONFIG = cas.Config(n_initial=3, fit_steps=3, fit_starts=1, search_runs=1, search_steps=5, failure_tolerance=2)
TRANSLATION = translation_of(SPACE)


def told(state, value=None, **options):
    values = {} if value is None else {"value": value}
    return optuna.create_trial(state=state, params={}, distributions={}, **values, **options)


def test_completions_are_ordered_by_time_and_then_number():
    now = datetime(2026, 1, 1)
    trials = [told(TrialState.COMPLETE, 1.0) for _ in range(4)]
    for number, (trial, seconds) in enumerate(zip(trials, [5, 1, 5, 0], strict=True)):
        trial.number, trial.datetime_complete = number, now + timedelta(seconds=seconds)
    assert [trial.number for trial in completed(trials)] == [3, 1, 0, 2]


def plain(state):
    """A state as values that can be compared."""
    return (
        state.lengths,
        [(r.designed, r.centre, r.theta, None if r.best is None else r.best.number) for r in state.regions],
        [(o.number, o.point, o.values, o.region, o.source) for o in state.observations],
        state.failures,
        [(number, suggestion_to_dict(s)) for number, s in state.pending.items()],
    )


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(st.sampled_from(["ask", "tell", "prune", "violate", "fail", "kill", "inf", "enqueue"]), st.integers(0, 9)),
        min_size=12,
        max_size=25,
    )
)
def test_what_is_remembered_equals_a_fold_from_the_beginning(steps):
    study = optuna.create_study(sampler=CasmopolitanSampler(SPACE, seed=0, config=CONFIG))
    live, remembered = [], SamplerCache()
    for step, which in steps:
        if step == "ask":
            live.append(study.ask(distributions_of(SPACE)))
        elif step == "enqueue":
            study.enqueue_trial({f"c{i}": "abc"[which % 3] for i in range(4)} | {"x": which / 9})
        elif live:
            trial = live.pop(which % len(live))
            if step == "kill":
                study._storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)
            elif step == "fail":
                study.tell(trial, state=TrialState.FAIL)
            elif step == "prune":
                trial.report(which / 2, 0)
                study.tell(trial, state=TrialState.PRUNED)
            else:
                if step == "violate":
                    trial.set_constraint(f"c{which % 2}", which - 4.0)
                trial.report(which / 3, 0)
                study.tell(trial, math.inf if step == "inf" else float(which))
        trials = study.get_trials(deepcopy=False)
        known, fresh = (c.history(study, trials, TRANSLATION, Settings(0, CONFIG)) for c in (remembered, SamplerCache()))
        assert plain(known.state(trials, -1)) == plain(fresh.state(trials, -1))
    points = [tuple(t.params.values()) for t in study.trials if t.state != TrialState.FAIL and t.params]
    assert len(points) == len(set(points))


def test_the_order_in_which_trials_are_listed_does_not_matter():
    study = optuna.create_study(sampler=CasmopolitanSampler(SPACE, seed=0, config=CONFIG))
    study.optimize(lambda trial: sum(v == "a" for v in distributions_asked(trial).values()), n_trials=8)
    trials = study.get_trials(deepcopy=False)
    assert plain(History(TRANSLATION, CONFIG).state(trials[::-1], -1)) == plain(History(TRANSLATION, CONFIG).state(trials, -1))


def distributions_asked(trial):
    return {name: trial._suggest(name, distribution) for name, distribution in distributions_of(SPACE).items()}


HOSTILE = [
    {"h": "__import__('os').abort()"},
    {"h": [0, 0, 0, 99]},
    {"h": [0, 0, 0]},
    {"h": [0, 0, 0, 10**400]},
    {"x": [math.pi]},
    {"x": ["0.5"]},
    {"region": 10**9},
    {"region": -1},
    {"region": "a"},
    {"source": "magic"},
    {"centre": 5},
    {"theta": ["a"]},
    {"theta": 7},
    {"mean": "high"},
    {"length": [1]},
    {"feasible": "likely"},
    {"means": 5},
    {"deviations": ["a"]},
    {"thetas": 7},
    {"thetas": {"a": [0.0]}},
]


@pytest.mark.parametrize("damage", HOSTILE, ids=repr)
def test_a_hostile_record_is_no_record_and_the_trial_still_counts(damage):
    study = optuna.create_study(sampler=CasmopolitanSampler(SPACE, seed=0, config=CONFIG))
    for _ in range(4):
        trial = study.ask(distributions_of(SPACE))
        suggestion = {"h": [0, 0, 0, 0], "x": [0.5], "region": 0, "source": "initial"} | damage
        records.write(study._storage, trial._trial_id, {"space": TRANSLATION.fingerprint, "suggestion": suggestion}, 99)
        study.tell(trial, 1.0)
    trials = study.get_trials(deepcopy=False)
    assert all(suggestion_of(trial, TRANSLATION) is None for trial in trials)
    assert len(History(TRANSLATION, CONFIG).state(trials, -1).observations) == 4
    study.ask(distributions_of(SPACE))


@pytest.mark.parametrize(
    ("signed", "here"),
    [
        ({}, True),
        ({"writer": "me", "number": 4}, True),
        ({"writer": "me", "number": 2}, True),
        ({"writer": "me", "number": 3}, False),
        ({"writer": "you", "number": 4}, False),
        ({"writer": ["me"], "number": {}}, False),
    ],
)
def test_a_record_is_this_studys_when_its_settings_and_the_trials_number_say_so(signed, here):
    chunk = records.chunks(signed | {"suggestion": {}}, 0)[0]
    trial = told(TrialState.COMPLETE, 1.0, system_attrs={f"{records.PREFIX}0": chunk, "retry_history": [2]})
    trial.number = 4
    assert written_here(trial, "me") is here
    assert written_here(trial, None)


def test_recorded_hyper_parameters_of_another_length_are_harmless():
    study = optuna.create_study(sampler=CasmopolitanSampler(SPACE, seed=0, config=CONFIG))
    for _ in range(4):
        trial = study.ask(distributions_of(SPACE))
        record = records.read(study._storage.get_trial(trial._trial_id).system_attrs)
        record["suggestion"]["theta"] = [-1e308, 0.0, 1e308]
        records.write(study._storage, trial._trial_id, record, 99)
        study.tell(trial, 1.0)
    assert study.ask(distributions_of(SPACE)).params


@given(st.lists(st.lists(st.integers(0, 3), max_size=8), max_size=8))
def test_a_remembered_fold_answers_as_if_it_remembered_nothing(histories):
    fold = PrefixCache(())
    for items in histories:
        assert fold.fold(items, items, lambda so_far, item: (*so_far, item)) == tuple(items)


def test_only_what_is_new_is_folded():
    steps = []
    fold = PrefixCache(0)

    def step(so_far, item):
        steps.append(item)
        return so_far + item

    items = list(range(200))
    fold.fold(items[:150], items[:150], step)
    steps.clear()
    assert fold.fold(items, items, step) == sum(items)
    assert steps == items[150:]
    steps.clear()
    late = [*items[:190], 1000, *items[190:]]
    assert fold.fold(late, late, step) == sum(items) + 1000
    assert steps == late[190:]


def test_few_results_are_kept():
    fold = PrefixCache(0)
    items = list(range(1000))
    fold.fold(items, items, lambda so_far, item: so_far + item)
    assert len(fold._results) <= RECENT + 1
    assert fold.fold([5], [5], lambda so_far, item: so_far + item) == 5


def test_a_corrected_result_replaces_the_one_that_was_cached():
    study = optuna.create_study(sampler=CasmopolitanSampler(SPACE, seed=0, config=CONFIG))
    study.optimize(lambda trial: len(distributions_asked(trial)), n_trials=3)
    trials, history = study.trials, History(TRANSLATION, CONFIG)
    assert [o.value for o in history.state(trials, -1).observations] == [5.0, 5.0, 5.0]
    trials[1].value = 2.0
    assert [o.value for o in history.state(trials, -1).observations] == [5.0, 2.0, 5.0]
    trials[1].value, trials[1].state = None, TrialState.FAIL
    trials[1].system_attrs = trials[1].system_attrs | {records.FAILED: True}
    state = history.state(trials, -1)
    assert ([o.value for o in state.observations], len(state.failures)) == ([5.0, 5.0], 1)
    trials[1].system_attrs = {key: value for key, value in trials[1].system_attrs.items() if key != records.FAILED}
    assert history.state(trials, -1).failures == ()


def test_only_the_choices_of_new_trials_are_compared(monkeypatch):
    study = optuna.create_study(sampler=CasmopolitanSampler(SPACE, seed=0, config=CONFIG))
    study.optimize(lambda trial: len(distributions_asked(trial)), n_trials=6)
    compared, history = [], History(TRANSLATION, CONFIG)
    monkeypatch.setattr(type(TRANSLATION), "added", lambda self, earlier: compared.append(earlier) or frozenset())
    history.state(study.trials[:5], -1)
    compared.clear()
    history.state(study.trials, -1)
    assert len(compared) == 1


def test_a_correction_changes_what_later_pruned_trials_are_compared_with():
    study = optuna.create_study(sampler=CasmopolitanSampler(SPACE, seed=0, config=CONFIG))
    study.tell(study.ask(distributions_of(SPACE)), 5.0)
    trial = study.ask(distributions_of(SPACE))
    trial.report(1.0, 0)
    study.tell(trial, state=TrialState.PRUNED)
    trials, history = study.trials, History(TRANSLATION, CONFIG)
    assert [o.value for o in history.state(trials, -1).observations] == [5.0, 5.0]
    trials[0].value = 3.0
    assert [o.value for o in history.state(trials, -1).observations] == [3.0, 3.0]


def test_a_pruned_trial_keeps_its_value_when_others_complete_after_it():
    study = optuna.create_study(sampler=CasmopolitanSampler(SPACE, seed=0, config=CONFIG))
    study.tell(study.ask(distributions_of(SPACE)), 5.0)
    trial = study.ask(distributions_of(SPACE))
    trial.report(1.0, 0)
    study.tell(trial, state=TrialState.PRUNED)
    study.tell(study.ask(distributions_of(SPACE)), 3.0)
    state = History(TRANSLATION, CONFIG).state(study.trials, -1)
    assert [o.value for o in state.observations] == [5.0, 5.0, 3.0]
