"""minimize and maximize as people call them."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

import casmopolitan as cas

QUICK = replace(cas.DEFAULT, n_initial=4, fit_starts=1, fit_steps=5, search_steps=10, search_runs=1)
SPACE = cas.Space(
    {
        "kind": cas.Categorical(["a", "b", "c"]),
        "size": cas.Ordinal([1, 2, 4]),
        "rate": cas.Real(0.01, 1.0, log=True),
    }
)
TWELVE = cas.Space({"a": cas.Categorical([0, 1, 2, 3]), "b": cas.Categorical([0, 1, 2])})


def loss(configuration):
    return {"a": 1.0, "b": 0.0, "c": 2.0}[configuration["kind"]] + abs(math.log10(configuration["rate"]) + 1)


def gain(configuration):
    return -loss(configuration)


def history(result):
    return [(t.number, t.configuration, t.value, t.status) for t in result.trials]


def test_minimize_returns_the_best_of_its_budget():
    result = cas.minimize(loss, SPACE, 12, seed=0, config=QUICK)
    assert result.stopped == "budget"
    assert result.evaluations == len(result.trials) == 12
    assert result.best_value == min(t.value for t in result.trials) == loss(result.best_configuration)
    assert result.best_trial.configuration == result.best_configuration
    assert result.seconds >= max(result.durations.values())


def test_maximize_is_minimize_of_the_negative():
    down = cas.minimize(loss, SPACE, 10, seed=3, config=QUICK)
    up = cas.maximize(gain, SPACE, 10, seed=3, config=QUICK)
    assert [t.configuration for t in up.trials] == [t.configuration for t in down.trials]
    assert up.best_value == -down.best_value
    assert up.best_value == max(t.value for t in up.trials)


def test_the_same_seed_gives_the_same_run():
    assert history(cas.minimize(loss, SPACE, 9, seed=5, config=QUICK)) == history(
        cas.minimize(loss, SPACE, 9, seed=5, config=QUICK)
    )


def test_without_a_seed_the_drawn_one_repeats_the_run():
    first = cas.minimize(loss, SPACE, 6, config=QUICK)
    again = cas.minimize(loss, SPACE, 6, seed=first.optimizer.seed, config=QUICK)
    assert history(first) == history(again)


def test_initial_configurations_come_first():
    wanted = [{"kind": "b", "size": 4, "rate": 0.5}, {"kind": "c", "size": 1, "rate": 0.1}]
    result = cas.minimize(loss, SPACE, 4, seed=0, config=QUICK, initial=wanted)
    assert [t.configuration["kind"] for t in result.trials[:2]] == ["b", "c"]


def test_stop_at_ends_the_run_at_the_first_value_that_good():
    result = cas.minimize(loss, SPACE, 50, seed=0, config=QUICK, stop_at=1.0)
    assert result.stopped == "stop_at"
    assert result.trials[-1].value <= 1.0
    assert all(t.value > 1.0 for t in result.trials[:-1])


def test_stop_at_of_a_maximisation_looks_upwards():
    result = cas.maximize(gain, SPACE, 50, seed=0, config=QUICK, stop_at=-1.0)
    assert result.stopped == "stop_at"
    assert result.best_value >= -1.0


def test_patience_counts_evaluations_without_a_better_value():
    values = iter([3.0, 2.0, 2.0, 2.5, 9.0, 9.0])
    result = cas.minimize(lambda c: next(values), SPACE, 50, seed=0, config=QUICK, patience=3)
    assert (result.stopped, result.evaluations) == ("patience", 5)


def test_a_callback_sees_every_trial_and_may_stop_the_run():
    seen = []

    def callback(optimizer, trial):
        seen.append((trial.number, trial.status, len(optimizer.trials)))
        return trial.number == 3

    result = cas.minimize(loss, SPACE, 50, seed=0, config=QUICK, callbacks=[callback])
    assert result.stopped == "callback"
    assert seen == [(k, "complete", k + 1) for k in range(4)]


def test_numbers_of_numpy_count_and_stop():
    result = cas.minimize(loss, SPACE, np.int64(9), seed=0, config=QUICK, patience=np.int32(9))
    assert (result.stopped, result.evaluations) == ("budget", 9)
    result = cas.minimize(loss, SPACE, 9, seed=0, config=QUICK, callbacks=[lambda _, trial: np.bool_(trial.number == 5)])
    assert (result.stopped, result.evaluations) == ("callback", 6)


def test_a_result_comes_home_from_another_process():
    result = cas.minimize(loss, SPACE, 6, seed=0, config=QUICK)
    back = pickle.loads(pickle.dumps(result))
    assert back.trials == result.trials
    assert back.optimizer.ask() == result.optimizer.ask()


def test_a_callback_that_answers_something_true_but_not_true_stops_nothing():
    assert cas.minimize(loss, SPACE, 3, seed=0, config=QUICK, callbacks=[lambda o, t: "yes"]).stopped == "budget"


def test_an_exhausted_space_ends_the_run():
    result = cas.minimize(lambda c: c["a"] + c["b"], TWELVE, 100, seed=0, config=QUICK)
    assert (result.stopped, result.evaluations, result.best_value) == ("exhausted", 12, 0.0)


def test_an_exception_fails_its_trial_and_the_run_goes_on():
    calls = iter(range(12))

    def fragile(configuration):
        if next(calls) % 3 == 1:
            raise ValueError("not today")
        return loss(configuration)

    result = cas.minimize(fragile, SPACE, 12, seed=0, config=QUICK)
    assert result.evaluations == 12
    assert {t.number for t in result.failures} == set(result.errors) == {1, 4, 7, 10}
    assert all("ValueError: not today" in text and "test_run.py, line" in text for text in result.errors.values())


def test_a_run_in_which_everything_fails_says_so_with_counts():
    def broken(configuration):
        raise (ValueError if configuration["size"] == 1 else KeyError)("gone")

    with pytest.raises(cas.RunError, match=r"none of the 6 evaluations gave a value .*KeyError.*trial 5: ") as caught:
        cas.minimize(broken, SPACE, 6, seed=0, config=QUICK)
    assert "Traceback (most recent call last)" in str(caught.value)


def test_a_broken_objective_does_not_use_up_the_budget():
    calls = []

    def broken(configuration):
        calls.append(configuration)
        return undefined_name + configuration["rate"]  # noqa: F821

    with pytest.raises(cas.RunError, match=r"10 × NameError\).*same exception.*return FAILED") as caught:
        cas.minimize(broken, SPACE, 200, seed=0, config=QUICK)
    assert len(calls) == 10
    assert "return undefined_name + configuration" in str(caught.value)
    assert [trial.status for trial in caught.value.optimizer.trials] == ["failed"] * 10


def test_messages_may_differ_in_the_exception_that_stops_a_run():
    def broken(configuration):
        raise KeyError(configuration["rate"])

    with pytest.raises(cas.RunError, match="none of the 10 evaluations"):
        cas.minimize(broken, SPACE, 200, seed=0, config=QUICK)


def test_exceptions_that_differ_or_are_named_or_follow_a_value_stop_nothing():
    def two_kinds(configuration):
        raise (ValueError if configuration["size"] == 1 else KeyError)("gone")

    def one_kind(configuration):
        raise ValueError("gone")

    values = iter([1.0])

    def once(configuration):
        return next(values)

    with pytest.raises(cas.RunError, match="none of the 12 evaluations"):
        cas.minimize(two_kinds, SPACE, 12, seed=0, config=QUICK)
    with pytest.raises(cas.RunError, match="none of the 12 evaluations"):
        cas.minimize(one_kind, SPACE, 12, seed=0, config=QUICK, catch=(ValueError,))
    assert cas.minimize(once, SPACE, 12, seed=0, config=QUICK).stopped == "budget"


def test_a_traceback_is_offered_only_where_there_was_an_exception():
    with pytest.raises(cas.RunError, match="3 × the objective returned nan") as caught:
        cas.minimize(lambda c: math.nan, SPACE, 3, seed=0, config=QUICK)
    assert "Traceback" not in str(caught.value)
    assert str(caught.value).endswith("with that trial's configuration")


def test_two_halves_make_a_whole():
    whole = cas.minimize(loss, SPACE, 12, seed=7, config=QUICK)
    half = cas.minimize(loss, SPACE, 6, seed=7, config=QUICK)
    resumed = cas.Optimizer.from_json(half.optimizer.to_json())
    rest = cas.minimize(loss, SPACE, 6, optimizer=resumed)
    assert (rest.evaluations, len(rest.trials)) == (6, 12)
    assert history(rest) == history(whole)


def test_a_resumed_run_evaluates_pending_trials_first():
    optimizer = cas.Optimizer(SPACE, seed=0, config=QUICK)
    left = optimizer.ask(2)
    result = cas.minimize(loss, SPACE, 3, optimizer=optimizer)
    assert [t.number for t in result.trials] == [0, 1, 2]
    assert [t.configuration for t in result.trials[:2]] == [t.configuration for t in left]
    assert all(t.status == "complete" for t in result.trials)


def test_pending_trials_that_a_resumed_run_never_started_stay_pending():
    optimizer = cas.Optimizer(SPACE, seed=0, config=QUICK)
    optimizer.ask(3)
    cas.minimize(loss, SPACE, 1, optimizer=optimizer)
    assert [t.status for t in optimizer.trials] == ["complete", "pending", "pending"]


def test_a_resumed_run_that_has_reached_its_goal_does_nothing():
    first = cas.minimize(loss, SPACE, 5, seed=0, config=QUICK)
    again = cas.minimize(loss, SPACE, 5, optimizer=first.optimizer, stop_at=first.best_value)
    assert (again.stopped, again.evaluations, again.best_value) == ("stop_at", 0, first.best_value)


def test_a_noisy_objective_may_repeat_points():
    result = cas.minimize(lambda c: c["a"] + c["b"], TWELVE, 16, seed=0, config=QUICK, noisy=True)
    assert (result.stopped, result.evaluations) == ("budget", 16)
