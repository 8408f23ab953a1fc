"""The loop of a run: start evaluations, tell their values, decide when to stop."""

from __future__ import annotations

import logging
import time
from collections import Counter, deque
from concurrent.futures import BrokenExecutor, CancelledError, Future
from queue import Empty, SimpleQueue
from uuid import uuid4

import numpy as np

from casmopolitan.core.front import non_dominated
from casmopolitan.errors import DataError, ExhaustedError, RunError
from casmopolitan.formatting import counted
from casmopolitan.optimizer import Optimizer
from casmopolitan.run.evaluation import InlineExecutor, Kind, Objective, Outcome, evaluate, headline
from casmopolitan.run.options import RunOptions
from casmopolitan.run.progress import ProgressBar
from casmopolitan.run.result import StopReason
from casmopolitan.run.workers import Workers, worker_died
from casmopolitan.trial import FAILED, Trial, sign_of

_log = logging.getLogger("casmopolitan")
"""Failed trials are warnings, improvements are information. Like every library's, this logger has no handler of its own."""
_log.addHandler(logging.NullHandler())

TICK = 0.5
"""Seconds between two updates of the progress bar while evaluations run elsewhere."""

NON_NUMERIC = 3
"""The run aborts if its first results, this many, are all non-numeric."""

HOPELESS = 10
"""The run stops if its first evaluations, this many, all raise the same exception. `casmopolitan run` has the same number."""


class RunLoop:
    """One run: the trials in flight, the counters that stop it, and the error and duration of each evaluation."""

    def __init__(self, optimizer: Optimizer, objective: Objective, options: RunOptions) -> None:
        self.optimizer, self.objective, self.options = optimizer, objective, options
        self.goals = optimizer.goals
        self.sign = sign_of(optimizer.direction)
        self.workers = Workers(options.executor or InlineExecutor())
        self.began = time.monotonic()
        self.bar = ProgressBar(options.budget, options.timeout, options.progress)
        self.waiting: deque[Trial] = deque(optimizer.pending)
        self.starting: Trial | None = None
        self.in_flight: dict[Future[Outcome], Trial] = {}
        self.accompanied: set[int] = set()  # numbers of the trials that were not alone in flight
        self.suspects: deque[Trial] = deque()
        self.ended: SimpleQueue[Future[Outcome]] = SimpleQueue()
        self.evaluations = 0
        self.since_best = 0
        self.kinds: Counter[Kind] = Counter()
        self.origins: Counter[str] = Counter()
        self.errors: dict[int, str] = {}
        self.durations: dict[int, float] = {}
        complete = [trial for trial in optimizer.trials if trial.status == "complete"]
        self.completed = len(complete)
        values = [trial.value for trial in complete if trial.value is not None and self.meets_limits(trial)]
        self.best = min(values, key=lambda value: self.sign * value, default=None)

    @property
    def elapsed(self) -> float:
        """Seconds since the run started."""
        return time.monotonic() - self.began

    @property
    def timed_out(self) -> bool:
        """Whether the time is up."""
        return self.options.timeout is not None and self.elapsed >= self.options.timeout

    def meets_limits(self, trial: Trial) -> bool:
        """Return whether a completed trial meets all limits, if there are any."""
        return bool(trial.feasible) or not self.goals.limits

    def improves(self, trial: Trial) -> bool:
        """Return whether a completed trial is better than all before it: a better value, or a larger hypervolume."""
        if self.goals.single:
            better = self.best is None or (trial.value is not None and self.sign * trial.value < self.sign * self.best)
            return trial.value is not None and self.meets_limits(trial) and better
        outcomes, observed = self.goals.outcomes, self.optimizer.state.observations
        new = next(o.values for o in observed if o.number == trial.number)
        before = outcomes.array(o.values for o in observed if o.number != trial.number)
        return outcomes.improves(new, before, before)

    @property
    def shown(self) -> str:
        """The best value so far, or the size of the front, for the progress bar."""
        if self.goals.single:
            return "best -" if self.best is None else f"best {self.best:.6g}"
        outcomes = self.goals.outcomes
        values = outcomes.array(o.values for o in self.optimizer.state.observations)
        front = non_dominated(values[outcomes.candidates(values)][:, : outcomes.objectives])
        return f"front of {front.sum()}"

    @property
    def goal_reached(self) -> bool:
        """Whether the best value is at least as good as `stop_at`."""
        goal = self.options.stop_at
        return goal is not None and self.best is not None and self.sign * self.best <= self.sign * goal

    @property
    def broken_objective(self) -> bool:
        """Whether all results were non-numeric, and there were enough of them or no budget is left."""
        wrong = self.kinds["none"] + self.kinds["odd"]
        enough = wrong >= NON_NUMERIC or wrong == self.evaluations >= self.options.budget
        return not self.completed and not self.kinds["answer"] and enough

    @property
    def hopeless(self) -> bool:
        """Whether all evaluations, at least HOPELESS, raised one exception that the caller did not name in `catch`."""
        same = len(self.origins) == 1 and self.origins.total() == self.evaluations >= HOPELESS
        return same and not self.completed and Exception in self.options.catch

    def run(self) -> StopReason:
        """Evaluate until something stops the run; return the reason."""
        if self.goal_reached:
            return "stop_at"
        while True:
            self.start_trials()
            if not self.in_flight:
                return "budget" if self.evaluations >= self.options.budget else "timeout" if self.timed_out else "exhausted"
            future = self.next_ended()
            stopped: StopReason | None = "timeout" if future is None else self.record(future)
            if stopped is not None:
                return stopped

    def start_trials(self) -> None:
        """Start trials up to the number allowed in flight, while budget, time and points are left.

        When a worker has died, the trials that may have killed it come first, one at a time.
        """
        if self.suspects:
            if not self.in_flight and not self.timed_out:
                self.start(self.suspects.popleft())
            return
        wanted = min(self.options.workers, self.options.budget - self.evaluations)
        while len(self.in_flight) < wanted and not self.timed_out:
            try:
                trial = self.waiting.popleft() if self.waiting else self.optimizer.ask()
            except ExhaustedError:
                return
            self.start(trial)

    def start(self, trial: Trial) -> None:
        """Submit a trial with a token of its own: Dask would not evaluate a call again that equals an earlier one."""
        self.starting = trial
        try:
            arguments = (self.objective, self.goals, self.options.catch, trial.configuration, uuid4().hex)
            future: Future[Outcome] = self.workers.submit(evaluate, *arguments)
        except (BrokenExecutor, RuntimeError) as error:
            raise self.executor_error(error) from error
        self.in_flight[future], self.starting = trial, None
        together = {other.number for other in self.in_flight.values()}
        self.accompanied = self.accompanied | together if len(together) > 1 else self.accompanied - together
        future.add_done_callback(self.ended.put)

    def next_ended(self) -> Future[Outcome] | None:
        """Wait for the next evaluation to end; return None if the time is up first."""
        while True:
            try:
                return self.ended.get(timeout=0.0 if self.timed_out else self.waiting_time)
            except Empty:
                if self.timed_out:
                    return None
                self.workers.replace_lost()
                self.update_bar()

    @property
    def waiting_time(self) -> float:
        """Seconds to wait before the clock is checked again."""
        return TICK if self.options.timeout is None else max(min(TICK, self.options.timeout - self.elapsed), 0.0)

    def record(self, future: Future[Outcome]) -> StopReason | None:
        """Tell the optimiser the outcome, call the callbacks, and return why the run stops, or None."""
        trial = self.in_flight[future]
        outcome = self.outcome_of(future)
        del self.in_flight[future]
        if outcome is None:
            self.suspects.append(trial)
            return None
        told = self.optimizer.tell(trial, FAILED if outcome.value is None else outcome.value)
        self.evaluations += 1
        if outcome.seconds is not None:
            self.durations[trial.number] = outcome.seconds
        if outcome.error is not None:
            self.errors[trial.number] = outcome.error
        self.kinds[outcome.kind] += 1
        self.origins.update([outcome.origin] if outcome.kind == "raised" else [])
        if self.broken_objective:
            hint = " Was a `return` forgotten?" if outcome.kind == "none" else ""
            raise DataError(f"trial {trial.number}: {outcome.error}. No result so far was a number.{hint}")
        complete = told.status == "complete"
        self.completed += complete
        better = complete and self.improves(told)
        self.best = told.value if better else self.best
        self.since_best = 0 if better else self.since_best + 1
        if outcome.error is not None:
            _log.warning("trial %d failed: %s", trial.number, headline(outcome.error))
        elif better:
            _log.info("trial %d: %s after %d evaluations", trial.number, self.shown, self.evaluations)
        self.update_bar()
        answers = [callback(self.optimizer, told) for callback in self.options.callbacks]
        if any(isinstance(answer, bool | np.bool_) and answer for answer in answers):
            return "callback"
        if self.goal_reached:
            return "stop_at"
        if self.hopeless:
            return "hopeless"
        return "patience" if self.options.patience is not None and self.since_best >= self.options.patience else None

    def outcome_of(self, future: Future[Outcome]) -> Outcome | None:
        """Return the outcome in a future; None if a worker died and another trial in flight may be the cause.

        A trial that was alone when its worker died has failed. Exceptions outside `catch` are raised; any other means that
        the executor broke.
        """
        try:
            error = future.exception()
        except CancelledError as cancelled:
            raise self.executor_error(cancelled) from cancelled
        if error is None:
            return future.result()
        if worker_died(error) and self.options.catch:
            if self.in_flight[future].number in self.accompanied:
                return None
            return Outcome(None, f"its worker died: {type(error).__name__}: {error}", None, "raised", type(error).__name__)
        if isinstance(error, BrokenExecutor) or (isinstance(error, Exception) and Exception in self.options.catch):
            raise self.executor_error(error) from error
        raise error

    def executor_error(self, error: BaseException) -> RunError:
        """Return the RunError for an executor that broke."""
        ended = counted(self.evaluations, "evaluation")
        return RunError(
            f"the executor could not evaluate a trial: {type(error).__name__}: {error}. All results so far are kept ({ended}): "
            "to resume, pass this error's `optimizer` as optimizer=, and a working executor",
            self.optimizer,
        )

    def cancel(self) -> None:
        """Cancel every trial in flight; an evaluation that already runs elsewhere continues, but its result is not used."""
        for future in self.in_flight:
            future.cancel()
        pending = {trial.number for trial in self.optimizer.pending}
        for trial in [*self.in_flight.values(), *self.suspects, *filter(None, [self.starting])]:
            if trial.number in pending:
                self.optimizer.cancel(trial)
        self.in_flight = {}
        self.workers.close()

    def update_bar(self) -> None:
        """Update the progress bar."""
        if self.bar.visible:
            self.bar.update(self.evaluations, self.shown, len(self.errors), self.elapsed)
