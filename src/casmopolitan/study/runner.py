"""Runs the trials of a study with the user's program: workers, budget, failures; every outcome is recorded."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from optuna.exceptions import OptunaError, UpdateFinishedTrialError
from optuna.trial import FrozenTrial, Trial, TrialState

from casmopolitan.analysis.row import TrialRow
from casmopolitan.errors import CasmopolitanError, DataError, InfeasibleError
from casmopolitan.execution.process import signature
from casmopolitan.execution.program import Evaluation, Program
from casmopolitan.run.loop import HOPELESS
from casmopolitan.run.result import StopReason
from casmopolitan.study.compat import (
    ask_with_attribute,
    enter_worker_thread,
    heartbeat,
    read_trial,
    stale_trial_ids,
    storage_of,
)
from casmopolitan.study.liveness import release_stale_trials
from casmopolitan.study.sampler.records import NOTE
from casmopolitan.study.sampler.sampler import CasmopolitanSampler
from casmopolitan.study.sampler.search_space import suggest
from casmopolitan.study.storage.retry import storage_error
from casmopolitan.study.trials.open import OpenStudy
from casmopolitan.study.trials.outcomes import record_result
from casmopolitan.study.trials.status import cancel_trial, count, counts, is_redundant, repeats, state_of


@dataclass
class Runner:
    """The trials of one `casmopolitan run`: call `start`, then `wait` until it is no longer `alive`; `stop` ends it early.

    To save reads, each step uses the snapshot of all trials that the sampler read when it chose the point.
    """

    opened: OpenStudy
    program: Program
    parallel: int
    budget: int
    keep_going: bool = False
    on_end: Callable[[TrialRow], None] = lambda row: None
    """Called after every trial of this run."""
    trials: Sequence[FrozenTrial] | None = None
    """All trials of the study as last read; `start` reads them if they are not given."""
    stopped: StopReason = "budget"
    error: str = ""
    evaluations: int = 0
    began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._worker = signature()
        self._starting = 0
        self._threads = [threading.Thread(target=self._work, name=f"worker {k}", daemon=True) for k in range(self.parallel)]

    def start(self) -> None:
        """Start the workers."""
        if self.trials is None:
            self.trials = self.opened.trials()
        for thread in self._threads:
            thread.start()

    @property
    def alive(self) -> bool:
        """Whether a worker is still running."""
        return any(thread.is_alive() for thread in self._threads)

    def wait(self, seconds: float) -> None:
        """Wait until all workers have ended, but at most this many seconds."""
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(until - time.monotonic(), 0.0))

    def stop(self, why: StopReason = "interrupted", error: str = "") -> None:
        """Start no more trials and kill the running ones; a later run repeats them."""
        self._end(why, error)
        self.program.stop()

    def _end(self, why: StopReason, error: str = "") -> None:
        """Start no more trials, but finish the running ones. The first reason is kept."""
        with self._lock:
            if not self._stopping.is_set():
                self.stopped, self.error = why, error
                self._stopping.set()

    def _work(self) -> None:
        study = self.opened.study
        enter_worker_thread(study)
        try:
            while not self._stopping.is_set():
                if not self._reserve():
                    return
                self._run_trial()
        except Exception as error:
            self._give_up(error)
        finally:
            storage_of(study).remove_session()

    def _give_up(self, error: Exception) -> None:
        """Stop the run because of an error outside the user's program. Optuna may wrap a database error in another error."""
        hidden = storage_error(error)
        ours = isinstance(hidden or error, CasmopolitanError | OptunaError)
        self.stop("storage" if ours else "fault", str(hidden or error) if ours else f"{type(error).__name__}: {error}")

    def _reserve(self) -> bool:
        """Reserve one trial of the budget for a worker; return False if none is left.

        The last snapshot may count trials that other processes have cancelled since. So the trials are read again before
        a worker ends.
        """
        for read in (False, True):
            if read:
                self._keep(self.opened.trials())
            with self._lock:
                if count(self.trials or ()) + self._starting < self.budget:
                    self._starting += 1
                    return True
        return False

    def _keep(self, trials: Sequence[FrozenTrial], *, started: int = 0) -> None:
        """Keep a snapshot unless a later one is kept; `started` reservations have become trials in it, or have failed."""
        with self._lock:
            self._starting -= started
            if len(trials) >= len(self.trials or ()):
                self.trials = trials

    def _run_trial(self) -> None:
        """Run one trial, from its suggestion to its record; cancel it unless its result is recorded."""
        study = self.opened.study
        starting, recorded = True, False
        trial: Trial | None = None
        try:
            if stale_trial_ids(study):
                release_stale_trials(study)
            trial = ask_with_attribute(study, NOTE, {"by": "run", "worker": self._worker})
            with heartbeat(study, trial):
                configuration = self._suggest(trial)
                trials = self._snapshot(trial)
                self._keep(trials, started=1)
                starting = False
                if configuration is None or not self._is_wanted(trial, trials):
                    return
                evaluation = self.program.evaluate(configuration, trial.number, partial(_report_and_judge, trial))
            recorded = self._record(trial, configuration, evaluation)
        except UpdateFinishedTrialError:  # another process took this worker for dead and ended the trial
            recorded = True
        finally:
            if starting:
                self._keep((), started=1)
            if trial is not None and not recorded:
                with contextlib.suppress(DataError, UpdateFinishedTrialError):  # it has ended already
                    cancel_trial(study, read_trial(study, trial))

    def _suggest(self, trial: Trial) -> dict[str, Any] | None:
        """Return the configuration of a trial; None, and end the run, if the constraint allows no point."""
        try:
            return suggest(trial, self.opened.space)
        except InfeasibleError as error:
            self._end("exhausted", str(error))
            return None

    def _snapshot(self, trial: Trial) -> Sequence[FrozenTrial]:
        """Return all trials, this one included: those that the sampler read for it, or read them now if it read none."""
        sampler = self.opened.study.sampler
        if isinstance(sampler, CasmopolitanSampler):
            trials = sampler.snapshot(self.opened.study)
            if len(trials) > trial.number and NOTE in trials[trial.number].user_attrs:
                return trials
        return self.opened.trials()

    def _is_wanted(self, trial: Trial, trials: Sequence[FrozenTrial]) -> bool:
        """Return whether a trial is within the budget and its point new; end the run if no new point is left."""
        if count(other for other in trials if other.number < trial.number) >= self.budget:
            return False  # another process was faster
        frozen, noisy = read_trial(self.opened.study, trial), self.opened.config.noisy
        if is_redundant(frozen, trials, noisy=noisy):
            return False
        if repeats(frozen, trials, single_point=self.opened.space.size <= 1, noisy=noisy):
            self._end("exhausted")
            return False
        return True

    def _record(self, trial: Trial, configuration: dict[str, Any], evaluation: Evaluation) -> bool:
        """Record the outcome of a trial; return False if there is none, so that the trial must be cancelled."""
        trial.set_user_attr(NOTE, {"by": "run", "worker": self._worker, **_note(evaluation)})
        if evaluation.ending == "unstartable":
            self._end("unstartable", evaluation.error or "")
        if evaluation.ending in ("stopped", "unstartable"):
            return False
        told, goals, pruned = evaluation.value, self.opened.goals, evaluation.ending == "pruned"
        failed = told is None and not pruned
        if pruned:
            ours = self.opened.study.tell(trial, state=TrialState.PRUNED, skip_if_finished=True).state == TrialState.PRUNED
        else:
            ours = record_result(self.opened.study, trial, told, goals, skip_if_finished=True)
        if not ours:
            return True  # another process took this worker for dead and ended the trial
        outcomes = told if isinstance(told, dict) else None
        row = TrialRow(
            trial.number,
            "pruned" if pruned else "failed" if failed else "complete",
            goals.value_of(told),
            configuration,
            seconds=evaluation.seconds,
            error=evaluation.error,
            ending=evaluation.ending,
            tail=evaluation.tail,
            outcomes=outcomes,
            feasible=goals.is_feasible(outcomes),
        )
        with self._lock:
            self.evaluations += 1
            with contextlib.suppress(OSError, ValueError):  # the value is stored even if its progress cannot be shown
                self.on_end(row)
        if failed and not self.keep_going and self._is_hopeless():
            self.stop("hopeless", evaluation.error or "")
        return True

    def _is_hopeless(self) -> bool:
        """Return whether at least HOPELESS trials failed and none gave a value; the last snapshot may show a value already."""
        if any(state_of(trial) == "complete" for trial in self.trials or () if counts(trial)):
            return False
        states = [state_of(trial) for trial in self.opened.trials() if counts(trial)]
        return "complete" not in states and "pruned" not in states and states.count("failed") >= HOPELESS


def _report_and_judge(trial: Trial, step: int, value: float) -> bool:
    """Record what a running trial has reported; return whether the study's pruner would end it."""
    trial.report(value, step)
    return trial.should_prune()


def _note(evaluation: Evaluation) -> dict[str, Any]:
    """Return the record of an evaluation."""
    note: dict[str, Any] = {"seconds": round(evaluation.seconds, 4)}
    if evaluation.attempts > 1:
        note["attempts"] = evaluation.attempts
    if evaluation.value is None:
        note |= {"ending": evaluation.ending, "error": evaluation.error, "tail": evaluation.tail}
    return note
