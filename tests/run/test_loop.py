"""The loop of a run: evaluations here and elsewhere, failures, interruptions."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing import get_context

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


def history(result):
    return [(t.number, t.configuration, t.value, t.status) for t in result.trials]


def killed_by_b(configuration):
    return os._exit(1) if configuration["kind"] == "b" else loss(configuration)


def test_a_timeout_ends_the_run_after_the_evaluation_under_way(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("casmopolitan.run.loop.time.monotonic", lambda: now[0])

    def slow(configuration):
        now[0] += 4.0
        return loss(configuration)

    result = cas.minimize(slow, SPACE, 50, seed=0, config=QUICK, timeout=10.0)
    assert (result.stopped, result.evaluations) == ("timeout", 3)


def hanging():
    """An objective that answers once and then waits, what it was called with, and the event that lets it go on."""
    release, calls = threading.Event(), []

    def objective(configuration):
        calls.append(configuration)
        if len(calls) > 1:
            release.wait(30)
        return loss(configuration)

    return objective, calls, release


def test_a_timeout_cancels_what_runs_elsewhere():
    objective, _, release = hanging()
    with ThreadPoolExecutor(2) as pool:
        result = cas.minimize(objective, SPACE, 50, seed=0, config=QUICK, timeout=1.0, executor=pool)
        release.set()
    assert (result.stopped, result.evaluations) == ("timeout", 1)
    assert {t.status for t in result.trials} == {"complete", "cancelled"}


def test_what_a_run_left_in_the_queue_of_an_executor_is_never_begun():
    objective, calls, release = hanging()
    with ThreadPoolExecutor(1) as pool:
        cas.minimize(objective, SPACE, 50, seed=0, config=QUICK, executor=pool, parallel=8, callbacks=[lambda *_: True])
        release.set()
    assert len(calls) <= 2  # the one that ended the run, and one that the pool had taken up by then


def test_a_timeout_before_anything_completed_is_a_run_error():
    release = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(cas.RunError, match="no evaluation was completed"):
            cas.minimize(lambda c: release.wait(30), SPACE, 5, seed=0, config=QUICK, timeout=0.05, executor=pool)
        release.set()


def test_an_exhausted_space_waits_for_the_trials_in_flight():
    with ThreadPoolExecutor(8) as pool:
        result = cas.minimize(lambda c: c["a"] + c["b"], TWELVE, 100, seed=0, config=QUICK, executor=pool)
    assert (result.stopped, result.evaluations) == ("exhausted", 12)


def test_values_that_are_no_numbers_are_failures_with_their_reason():
    answers = iter([math.nan, cas.FAILED, 1.0, "0.3", None])
    result = cas.minimize(lambda c: next(answers), SPACE, 5, seed=0, config=QUICK)
    assert len(result.failures) == 4
    assert result.best_value == 1.0
    assert "returned nan" in result.errors[0]
    assert "returned FAILED" in result.errors[1]
    assert "returned '0.3': a value must be a number" in result.errors[3]
    assert "returned None" in result.errors[4]


@pytest.mark.parametrize("answer", [None, True, "0.3", [0.3]])
@pytest.mark.parametrize(("budget", "calls"), [(50, 3), (2, 2), (1, 1)])
def test_an_objective_whose_first_answers_are_no_numbers_ends_the_run(answer, budget, calls):
    seen = []
    with pytest.raises(cas.DataError, match=rf"trial {calls - 1}: the objective returned") as caught:
        cas.minimize(lambda c: seen.append(c) or answer, SPACE, budget, seed=0, config=QUICK)
    assert len(seen) == calls
    assert ("Was a `return` forgotten?" in str(caught.value)) == (answer is None)


@pytest.mark.parametrize("first", [[None, None, 1.0], [None, cas.FAILED, None], [None, None, math.nan]])
def test_an_objective_that_says_none_for_a_failure_may_do_so_at_the_beginning(first):
    answers = iter([*first, None, None, None, 2.0])
    result = cas.minimize(lambda c: next(answers), SPACE, 7, seed=0, config=QUICK)
    assert result.evaluations == 7
    assert len(result.failures) >= 5


def test_exceptions_are_no_answers():
    answers = iter([None, ValueError, None, ValueError, None])

    def raising(configuration):
        answer = next(answers)
        if answer is not None:
            raise answer
        return answer

    with pytest.raises(cas.DataError, match="trial 4"):
        cas.minimize(raising, SPACE, 50, seed=0, config=QUICK)


def test_what_is_no_number_goes_through_where_nothing_is_caught():
    answers = iter([1.0, None])
    with pytest.raises(cas.DataError, match="a value must be a number"):
        cas.minimize(lambda c: next(answers), SPACE, 5, seed=0, config=QUICK, catch=())


def test_an_empty_catch_lets_the_exception_through_and_cancels_the_trial():
    optimizer = cas.Optimizer(SPACE, seed=0, config=QUICK)

    def broken(configuration):
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        cas.minimize(broken, SPACE, 5, catch=(), optimizer=optimizer)
    assert [t.status for t in optimizer.trials] == ["cancelled"]


def test_an_exception_outside_catch_goes_through_an_executor_too():
    def broken(configuration):
        raise OSError("disk")

    optimizer = cas.Optimizer(SPACE, seed=0, config=QUICK)
    with ThreadPoolExecutor(3) as pool, pytest.raises(OSError, match="disk"):
        cas.minimize(broken, SPACE, 9, executor=pool, catch=(ValueError,), optimizer=optimizer)
    assert not optimizer.pending


def test_an_exception_without_words_fails_its_trial_and_nothing_else():
    class SpeechlessError(Exception):
        def __str__(self):
            raise ValueError("no words")

    def sometimes(configuration):
        if configuration["kind"] == "a":
            raise SpeechlessError
        return loss(configuration)

    result = cas.minimize(sometimes, SPACE, 8, seed=0, config=QUICK)
    assert result.evaluations == 8
    assert {text.partition(" (")[0] for text in result.errors.values()} == {"SpeechlessError: its message cannot be shown"}


def test_the_objective_cannot_change_the_record():
    def vandal(configuration):
        configuration.clear()
        return 1.0

    assert set(cas.minimize(vandal, SPACE, 2, seed=0, config=QUICK).best_configuration) == {"kind", "size", "rate"}


def test_ctrl_c_returns_what_is_known():
    values = iter([2.0, 1.0])

    def interrupted(configuration):
        try:
            return next(values)
        except StopIteration:
            raise KeyboardInterrupt from None

    result = cas.minimize(interrupted, SPACE, 50, seed=0, config=QUICK)
    assert (result.stopped, result.evaluations, result.best_value) == ("interrupted", 2, 1.0)
    assert result.trials[-1].status == "cancelled"
    assert not result.optimizer.pending


def test_ctrl_c_before_anything_completed_goes_through():
    def interrupted(configuration):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cas.minimize(interrupted, SPACE, 50, seed=0, config=QUICK)


def test_a_worker_interrupted_ends_the_run_as_ctrl_c_does():
    calls = []

    def interrupted(configuration):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return loss(configuration)

    with ThreadPoolExecutor(1) as pool:
        result = cas.minimize(interrupted, SPACE, 50, seed=0, config=QUICK, executor=pool)
    assert (result.stopped, result.evaluations) == ("interrupted", 3)


INTERRUPTED = """
import signal, threading
from concurrent.futures import ThreadPoolExecutor
import casmopolitan as cas

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
release, count = threading.Event(), iter(range(99))

def objective(configuration):
    if next(count) >= 3:
        signal.raise_signal(signal.SIGINT)
        release.wait(30)
    return configuration["x"]

with ThreadPoolExecutor(1) as pool:
    result = cas.minimize(objective, cas.Space({"x": cas.Real(0, 1)}), 50, seed=0, executor=pool)
    release.set()
print(result.stopped, result.evaluations, result.trials[-1].status, len(result.optimizer.pending))
"""


def test_a_real_interrupt_while_others_evaluate_returns_what_is_known():
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout == "interrupted 3 cancelled 0\n"


def test_an_executor_with_one_in_flight_equals_the_sequential_run():
    with ThreadPoolExecutor(4) as pool:
        elsewhere = cas.minimize(loss, SPACE, 10, seed=2, config=QUICK, executor=pool, parallel=1)
    assert history(elsewhere) == history(cas.minimize(loss, SPACE, 10, seed=2, config=QUICK))


def test_a_process_pool_evaluates():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        result = cas.minimize(loss, SPACE, 8, seed=2, config=QUICK, executor=pool)
    assert result.evaluations == 8
    assert result.best_value == loss(result.best_configuration)


class Scripted(Executor):
    """Three in flight; the script says which of them ends next, and the last submission ends all that are left."""

    def __init__(self, order, budget):
        self.order, self.left, self.queue = list(order), budget, []

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        self.queue.append((future, lambda: fn(*args, **kwargs)))
        self.left -= 1
        while len(self.queue) == 3 or (self.queue and not self.left):
            ended, call = self.queue.pop(self.order.pop(0))
            ended.set_result(call())
        return future


def test_only_the_order_of_completion_matters():
    def run(order):
        executor = Scripted(order, 8)
        return history(cas.minimize(loss, SPACE, 8, seed=1, config=QUICK, executor=executor, parallel=3))

    assert run([0, 1, 2, 0, 1, 2, 0, 0]) == run([0, 1, 2, 0, 1, 2, 0, 0])
    assert run([0, 1, 2, 0, 1, 2, 0, 0]) != run([2, 2, 2, 2, 2, 2, 1, 0])


def test_all_the_workers_of_a_pool_are_used():
    together = threading.Barrier(3)

    def meeting(configuration):
        together.wait(30)
        return loss(configuration)

    with ThreadPoolExecutor(3) as pool:
        assert cas.minimize(meeting, SPACE, 6, seed=0, config=QUICK, executor=pool).evaluations == 6


def test_a_trial_that_kills_its_process_has_failed_and_the_run_goes_on():
    first = [{"kind": kind, "size": 2, "rate": 0.5} for kind in "abc"]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        result = cas.minimize(killed_by_b, SPACE, 3, seed=0, config=QUICK, initial=first, executor=pool)
    assert (result.stopped, result.evaluations) == ("budget", 3)
    assert [trial.status for trial in result.trials] == ["complete", "failed", "complete"]
    assert result.errors[1].startswith("its worker died: BrokenProcessPool")
    assert 1 not in result.durations


def test_workers_that_always_die_end_the_run():
    class Deadly(Executor):
        def submit(self, fn, /, *args):
            future = Future()
            future.set_exception(BrokenProcessPool("a worker died"))
            return future

    with pytest.raises(cas.RunError, match="10 × its worker died") as caught:
        cas.minimize(loss, SPACE, 50, seed=0, config=QUICK, executor=Deadly(), parallel=1)
    assert [trial.status for trial in caught.value.optimizer.trials] == ["failed"] * 10


class KilledWorker(Exception):  # noqa: N818
    """As Dask names it."""


class Dying(Executor):
    """An executor that goes on after the death of a worker: trial 1 kills its worker, and trial 0 is lost with it."""

    def __init__(self, error):
        self.error, self.waiting, self.calls = error, [], []

    def submit(self, fn, /, *args):
        future, configuration = Future(), args[3]
        self.calls.append(configuration)
        together = [(future, fn, args), *self.waiting]
        if len(self.calls) == 1:
            self.waiting = together
            return future
        self.waiting = []
        dead = self.calls[1] in [args[3] for _, _, args in together]
        for one, call, given in together:
            one.set_exception(self.error) if dead else one.set_result(call(*given))
        return future


@pytest.mark.parametrize("error", [BrokenProcessPool("a worker died"), KilledWorker("a worker died")])
def test_of_several_trials_in_flight_the_one_that_kills_its_worker_alone_is_blamed(error):
    executor = Dying(error)
    result = cas.minimize(loss, SPACE, 3, seed=0, config=QUICK, executor=executor, parallel=2)
    assert [trial.status for trial in result.trials] == ["complete", "failed", "complete"]
    assert list(result.errors) == [1]
    assert "a worker died" in result.errors[1]
    assert executor.calls[2:4] == executor.calls[:2]


def test_the_death_of_a_worker_ends_the_run_where_nothing_is_caught():
    optimizer = cas.Optimizer(SPACE, seed=0, config=QUICK)
    error = BrokenProcessPool("a worker died")
    with pytest.raises(cas.RunError, match=r"a worker died.* All results so far are kept \(0 evaluations\)"):
        cas.minimize(loss, SPACE, 5, executor=Dying(error), parallel=2, catch=(), optimizer=optimizer)
    assert [trial.status for trial in optimizer.trials] == ["cancelled"] * 2


def test_suspects_are_cancelled_when_the_run_ends_before_they_are_evaluated_again():
    class Refusing(Dying):
        def submit(self, fn, /, *args):
            if len(self.calls) == 2:
                raise BrokenProcessPool("no pool is left")
            return super().submit(fn, *args)

    optimizer = cas.Optimizer(SPACE, seed=0, config=QUICK)
    with pytest.raises(cas.RunError, match="no pool is left"):
        cas.minimize(loss, SPACE, 5, executor=Refusing(BrokenProcessPool("a")), parallel=2, optimizer=optimizer)
    assert [trial.status for trial in optimizer.trials] == ["cancelled"] * 2


def test_a_pool_shut_down_already_is_a_run_error():
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(cas.RunError, match="after shutdown"):
        cas.minimize(loss, SPACE, 5, seed=0, config=QUICK, executor=pool)


def test_a_pool_that_drops_its_futures_is_a_run_error():
    class Dropping(Executor):
        def submit(self, fn, /, *args, **kwargs):
            future = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
            return future

    with pytest.raises(cas.RunError, match="CancelledError"):
        cas.minimize(loss, SPACE, 5, seed=0, config=QUICK, executor=Dropping(), parallel=2)


def test_one_none_after_many_exceptions_is_no_forgotten_return():
    calls = []

    def broken(configuration):
        calls.append(configuration)
        if len(calls) < 6:
            raise ValueError("gone")

    with pytest.raises(cas.RunError, match="none of the 6 evaluations gave a value"):
        cas.minimize(broken, SPACE, 6, seed=0, config=QUICK)


def test_improvements_and_failures_are_logged(caplog):
    def objective(configuration):
        if configuration["a"] == 3:
            raise ValueError("no good")
        return configuration["a"]

    with caplog.at_level("INFO", logger="casmopolitan"):
        cas.minimize(objective, cas.Space({"a": cas.Integer(1, 5)}), 5, seed=0)
    told = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert any(level == "WARNING" and "failed: ValueError: no good" in text for level, text in told)
    assert any(level == "INFO" and "best 1 after" in text for level, text in told)
