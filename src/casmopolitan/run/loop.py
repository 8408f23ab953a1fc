"""One run from its first trial to the reason it stopped: who evaluates, what is told, when it ends."""

from __future__ import annotations

import time
import traceback
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Literal

import numpy as np

from casmopolitan.errors import DataError, ExhaustedError, RunError
from casmopolitan.formatting import short_repr
from casmopolitan.optimizer import Optimizer
from casmopolitan.run.options import Objective, Plan
from casmopolitan.run.progress import Bar
from casmopolitan.run.result import StopReason
from casmopolitan.trial import FAILED, Configuration, Trial, measured, sign_of

TICK = 0.5
"""Seconds between two looks at the clock while evaluations run elsewhere."""

NO_NUMBERS = 3
"""A run whose first answers, so many, are all no numbers is ended: its objective is wrong, not its points."""

Kind = Literal["answer", "none", "odd", "raised"]
"""What an objective did: answered with a number, nan or FAILED; with None; with something else; or raised."""


@dataclass(frozen=True)
class Outcome:
    """What one evaluation came to, as it travels back from a worker: a finite value, or None and the reason."""

    value: float | None
    error: str | None
    seconds: float
    kind: Kind = "answer"


def evaluate(objective: Objective, catch: tuple[type[Exception], ...], configuration: Configuration) -> Outcome:
    """One evaluation, here or in a worker; exceptions in `catch` become text, so that any exception can travel."""
    began = time.perf_counter()
    try:
        answer = objective(configuration)
    except catch as caught:
        return Outcome(None, described(caught), time.perf_counter() - began, "raised")
    seconds = time.perf_counter() - began
    try:
        value = measured(answer)
    except DataError as error:
        if not issubclass(DataError, catch):
            raise
        return Outcome(
            None, f"the objective returned {short_repr(answer, 200)}: {error}", seconds, "none" if answer is None else "odd"
        )
    return Outcome(value, None if value is not None else f"the objective returned {short_repr(answer, 200)}", seconds)


def described(error: BaseException) -> str:
    """Type, message and place of an exception; one whose own words fail has no message."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}, line {frames[-1].lineno})" if len(frames) > 1 else ""
    try:
        message = str(error)
    except Exception:
        message = "its message cannot be shown"
    return f"{type(error).__name__}: {message}{place}"


class Inline(Executor):
    """Evaluates at once in the calling thread; Ctrl-C passes straight through."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The finished future of fn(*args, **kwargs)."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Loop:
    """One run: the trials in flight, the counters that stop it, and what is known of each evaluation."""

    def __init__(self, optimizer: Optimizer, objective: Objective, plan: Plan) -> None:
        self.optimizer, self.objective, self.plan = optimizer, objective, plan
        self.sign = sign_of(optimizer.direction)
        self.executor = plan.executor or Inline()
        self.began = time.monotonic()
        self.bar = Bar(plan.budget, plan.timeout, plan.progress)
        self.waiting: deque[Trial] = deque(optimizer.pending)
        self.starting: Trial | None = None
        self.flying: dict[Future[Outcome], Trial] = {}
        self.ended: SimpleQueue[Future[Outcome]] = SimpleQueue()
        self.evaluations = 0
        self.idle = 0
        self.kinds: Counter[Kind] = Counter()
        self.errors: dict[int, str] = {}
        self.durations: dict[int, float] = {}
        values = [t.value for t in optimizer.trials if t.value is not None]
        self.best = min(values, key=lambda value: self.sign * value, default=None)

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self.began

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return self.plan.timeout is not None and self.elapsed >= self.plan.timeout

    @property
    def reached(self) -> bool:
        """Whether the best value is as good as `stop_at`."""
        goal = self.plan.stop_at
        return goal is not None and self.best is not None and self.sign * self.best <= self.sign * goal

    @property
    def pointless(self) -> bool:
        """Whether every answer was no number, and there were enough of them or will be no more."""
        wrong = self.kinds["none"] + self.kinds["odd"]
        enough = wrong >= NO_NUMBERS or wrong == self.evaluations >= self.plan.budget
        return self.best is None and not self.kinds["answer"] and enough

    def run(self) -> StopReason:
        """Until something stops it."""
        if self.reached:
            return "stop_at"
        while True:
            self.fill()
            if not self.flying:
                return "budget" if self.evaluations >= self.plan.budget else "timeout" if self.late else "exhausted"
            future = self.next_ended()
            stopped: StopReason | None = "timeout" if future is None else self.taken(future)
            if stopped is not None:
                return stopped

    def fill(self) -> None:
        """Start trials up to the number allowed in flight, while there is budget, time, and anything left to try."""
        wanted = min(self.plan.workers, self.plan.budget - self.evaluations)
        while len(self.flying) < wanted and not self.late:
            try:
                self.starting = self.waiting.popleft() if self.waiting else self.optimizer.ask()
            except ExhaustedError:
                return
            future = self.submitted(self.starting)
            self.flying[future], self.starting = self.starting, None
            future.add_done_callback(self.ended.put)

    def submitted(self, trial: Trial) -> Future[Outcome]:
        """The trial on its way; a copy of the configuration, so that the objective cannot change the record."""
        try:
            return self.executor.submit(evaluate, self.objective, self.plan.catch, dict(trial.configuration))
        except (BrokenExecutor, RuntimeError) as error:
            raise self.broken(error) from error

    def next_ended(self) -> Future[Outcome] | None:
        """The next evaluation that ends, in the order of ending; None when time is up first."""
        while True:
            try:
                return self.ended.get(timeout=0.0 if self.late else self.patient())
            except Empty:
                if self.late:
                    return None
                self.show()

    def patient(self) -> float:
        """How long to wait before looking at the clock again."""
        return TICK if self.plan.timeout is None else max(min(TICK, self.plan.timeout - self.elapsed), 0.0)

    def taken(self, future: Future[Outcome]) -> StopReason | None:
        """Tell what came of a trial, call back, and say whether that ends the run."""
        trial = self.flying[future]
        outcome = self.outcome_of(future)
        del self.flying[future]
        told = self.optimizer.tell(trial, FAILED if outcome.value is None else outcome.value)
        self.evaluations += 1
        self.durations[trial.number] = outcome.seconds
        if outcome.error is not None:
            self.errors[trial.number] = outcome.error
        self.kinds[outcome.kind] += 1
        if self.pointless:
            hint = " Was a `return` forgotten?" if outcome.kind == "none" else ""
            raise DataError(f"trial {trial.number}: {outcome.error}. No answer so far was a number.{hint}")
        better = told.value is not None and (self.best is None or self.sign * told.value < self.sign * self.best)
        self.best = told.value if better else self.best
        self.idle = 0 if better else self.idle + 1
        self.show()
        asked_to = [callback(self.optimizer, told) for callback in self.plan.callbacks]
        if any(isinstance(answer, bool | np.bool_) and answer for answer in asked_to):
            return "callback"
        if self.reached:
            return "stop_at"
        return "patience" if self.plan.patience is not None and self.idle >= self.plan.patience else None

    def outcome_of(self, future: Future[Outcome]) -> Outcome:
        """What the future holds; an exception that was not to be caught goes through, anything else broke on the way."""
        try:
            error = future.exception()
        except CancelledError as cancelled:
            raise self.broken(cancelled) from cancelled
        if error is None:
            return future.result()
        if isinstance(error, BrokenExecutor) or (isinstance(error, Exception) and Exception in self.plan.catch):
            raise self.broken(error) from error
        raise error

    def broken(self, error: BaseException) -> RunError:
        """The error of an executor that failed us, in our words.

        A trial that was alone in flight when a worker died has failed: most likely it was the death of that worker.
        """
        blamed = ""
        if isinstance(error, BrokenProcessPool) and self.starting is None and len(self.flying) == 1:
            (trial,) = self.flying.values()
            self.optimizer.tell(trial, FAILED)
            self.evaluations += 1
            blamed = f" Trial {trial.number} was being evaluated; it is told as failed, so that it is not the next again."
        return RunError(
            f"the executor could not evaluate a trial: {type(error).__name__}: {error}.{blamed} {self.evaluations} evaluations "
            "have ended, and none is lost: to go on, pass this error's `optimizer` as optimizer=, and a working executor",
            self.optimizer,
        )

    def cancel(self) -> None:
        """Give back every trial that was started; what already runs elsewhere runs on, its answer is not used."""
        for future in self.flying:
            future.cancel()
        pending = {trial.number for trial in self.optimizer.pending}
        for trial in [*self.flying.values(), *filter(None, [self.starting])]:
            if trial.number in pending:
                self.optimizer.cancel(trial)
        self.flying = {}

    def show(self) -> None:
        """Bring the progress bar up to date."""
        self.bar.update(self.evaluations, self.best, len(self.errors), self.elapsed)
