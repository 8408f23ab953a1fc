"""Running a study's trials with people's own program: workers, budget, failures, signals; every outcome written down."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from optuna.exceptions import OptunaError
from optuna.trial import FrozenTrial, Trial

from casmopolitan.errors import CasmopolitanError, InfeasibleError
from casmopolitan.run.result import StopReason
from casmopolitan.study.compat import read_trial
from casmopolitan.study.execution.liveness import signature
from casmopolitan.study.execution.program import Evaluation, Program
from casmopolitan.study.sampler.records import NOTE
from casmopolitan.study.sampler.search_space import suggest
from casmopolitan.study.storage.retry import storage_error
from casmopolitan.study.trials.open import OpenStudy, ensure_not_replaced
from casmopolitan.study.trials.row import TrialRow
from casmopolitan.study.trials.status import count, counts, is_redundant, repeats, state_of

HOPELESS = 10
"""Failures in a row, with no value ever, after which a run gives up."""

REFUSALS = 3
"""Trials in a row that Optuna refuses, after which a worker gives up."""


class TrialFailedError(Exception):
    """A trial gave no value; the study goes on."""


class GivenBack(KeyboardInterrupt):
    """This trial is not to count: another run may have its point. (Optuna lets go of a trial for no other exception.)"""


@dataclass
class Runner:
    """The trials of one `casmopolitan run`: `start`, then `alive` until the workers have ended; `stop` ends them early."""

    opened: OpenStudy
    program: Program
    parallel: int
    budget: int
    keep_going: bool = False
    ended: Callable[[TrialRow], None] = lambda row: None
    """Called after every trial of this run."""
    stopped: StopReason = "budget"
    error: str = ""
    evaluations: int = 0
    began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._worker = signature()
        self._threads = [threading.Thread(target=self._work, name=f"worker {k}", daemon=True) for k in range(self.parallel)]

    def start(self) -> None:
        """Start the workers."""
        for thread in self._threads:
            thread.start()

    @property
    def alive(self) -> bool:
        """Whether a worker still works."""
        return any(thread.is_alive() for thread in self._threads)

    def wait(self, seconds: float) -> None:
        """Until all workers have ended, or so many seconds have passed."""
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(until - time.monotonic(), 0.0))

    def stop(self, why: StopReason = "interrupted", error: str = "") -> None:
        """Start no more trials and kill those that run; they are recorded as interrupted, and a later run repeats them."""
        self._end(why, error)
        self.program.stop()

    def _end(self, why: StopReason, error: str = "") -> None:
        """Start no more trials; those that run go on to their end. The first reason stands."""
        with self._lock:
            if not self._stopping.is_set():
                self.stopped, self.error = why, error
                self._stopping.set()

    def _work(self) -> None:
        study, refused = self.opened.study, 0
        while not self._stopping.is_set():
            try:
                ensure_not_replaced(self.opened)
                if self._left() <= 0:
                    return
                study.optimize(self._one, n_trials=1, catch=(TrialFailedError,))
                refused = 0
            except GivenBack:
                continue
            except (CasmopolitanError, OptunaError) as error:
                self._give_up(error)
            except ValueError as error:  # once: somebody else has ended the trial meanwhile, e.g. took its worker for dead
                refused += 1
                if refused >= REFUSALS:
                    self._give_up(error)
            except Exception as error:  # Optuna hides what a database refuses in errors of other kinds
                self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        """Something other than a trial has failed: say what, and end."""
        hidden = storage_error(error)
        ours = isinstance(hidden or error, CasmopolitanError | OptunaError)
        self.stop("storage" if ours else "fault", str(hidden or error) if ours else f"{type(error).__name__}: {error}")

    def _left(self) -> int:
        """How many trials may still be started."""
        return self.budget - count(self._trials())

    def _over(self, number: int) -> bool:
        """Whether so many earlier trials count that this one is beyond the budget: another worker was quicker."""
        return count(trial for trial in self._trials() if trial.number < number) >= self.budget

    def _trials(self) -> list[FrozenTrial]:
        return self.opened.trials()

    def _one(self, trial: Trial) -> float:
        """One trial, from its suggestion to its record."""
        note: dict[str, Any] = {"by": "run", "worker": self._worker}
        trial.set_user_attr(NOTE, note)
        if self._stopping.is_set() or self._over(trial.number):
            raise GivenBack
        try:
            configuration = suggest(trial, self.opened.space)
        except InfeasibleError as error:  # no point that the constraint allows was found, not even one to repeat
            self._end("exhausted", str(error))
            raise GivenBack from None
        frozen = read_trial(self.opened.study, trial)
        trials, noisy = self._trials(), self.opened.config.noisy
        if is_redundant(frozen, trials, noisy=noisy):
            raise GivenBack
        if repeats(frozen, trials, single_point=self.opened.space.size == 1, noisy=noisy):
            self._end("exhausted")
            raise GivenBack
        try:
            evaluation = self.program.evaluate(configuration, trial.number)
        except Exception as error:  # no process, no file, no such system: that says nothing of the point
            self._give_up(error)
            raise GivenBack from None
        trial.set_user_attr(NOTE, {**note, **_noted(evaluation)})
        if evaluation.ending == "unstartable":  # says nothing of the point: it is given back, and costs no budget
            self._end("unstartable", evaluation.error or "")
        if evaluation.ending in ("stopped", "unstartable"):
            raise GivenBack
        self._count(trial.number, configuration, evaluation)
        if evaluation.value is None:
            raise TrialFailedError(evaluation.error)
        return evaluation.value

    def _count(self, number: int, configuration: dict[str, Any], evaluation: Evaluation) -> None:
        """Count, tell whoever watches, and give up where nothing can come of it."""
        failed = evaluation.value is None
        with self._lock:
            self.evaluations += 1
            with contextlib.suppress(OSError, ValueError):  # where nobody can be told, the value stands all the same
                self.ended(
                    TrialRow(
                        number,
                        "failed" if failed else "complete",
                        evaluation.value,
                        configuration,
                        seconds=evaluation.seconds,
                        error=evaluation.error,
                        ending=evaluation.ending,
                        tail=evaluation.tail,
                    )
                )
        if failed and not self.keep_going and self._hopeless():
            self.stop("hopeless", evaluation.error or "")

    def _hopeless(self) -> bool:
        """Whether the study has only ever seen failures, and enough of them (the one under way included)."""
        states = [state_of(trial) for trial in self._trials() if counts(trial)]
        return "complete" not in states and states.count("failed") >= HOPELESS - 1


def _noted(evaluation: Evaluation) -> dict[str, Any]:
    """What is recorded of an evaluation: the seconds always, the rest where it says something."""
    noted: dict[str, Any] = {"seconds": round(evaluation.seconds, 4)}
    if evaluation.attempts > 1:
        noted["attempts"] = evaluation.attempts
    if evaluation.value is None:
        noted |= {"ending": evaluation.ending, "error": evaluation.error, "tail": evaluation.tail}
    return noted
