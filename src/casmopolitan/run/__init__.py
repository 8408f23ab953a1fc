"""minimize and maximize: an optimiser, a loop around it, and the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

from casmopolitan.config import Config
from casmopolitan.errors import RunError
from casmopolitan.optimizer import Optimizer
from casmopolitan.presets import DEFAULT
from casmopolitan.run.loop import Loop
from casmopolitan.run.options import Callback, Objective, Plan
from casmopolitan.run.result import Result, StopReason
from casmopolitan.space import Space


def minimize(
    objective: Objective,
    space: Space,
    budget: int,
    *,
    seed: int | None = None,
    config: Config = DEFAULT,
    initial: Iterable[Mapping[str, Any]] = (),
    noisy: bool | None = None,
    stop_at: float | None = None,
    timeout: float | None = None,
    patience: int | None = None,
    callbacks: Sequence[Callback] = (),
    progress: bool | None = None,
    executor: Executor | None = None,
    parallel: int | None = None,
    catch: tuple[type[Exception], ...] = (Exception,),
    optimizer: Optimizer | None = None,
) -> Result:
    """Find the configuration with the smallest objective(configuration) in `budget` evaluations, failed ones included.

    objective    takes a dict of plain Python values and returns a number; nan, an infinity or `FAILED` is a failure, and so is
                 anything else, such as None, unless the first three answers (or all of a smaller budget) are no numbers:
                 then the run ends with a DataError
    seed         the same seed gives the same run; None draws one (it is kept as `result.optimizer.seed`)
    config       a preset or a `Config`
    initial      configurations to evaluate first
    noisy        whether the objective answers differently each time; None leaves it to the config
    stop_at      stop at a value this good
    timeout      stop after this many seconds; an evaluation in the calling process is never broken off
    patience     stop after this many evaluations in a row without a better value
    callbacks    called as callback(optimizer, trial) after every evaluation; True stops the run
    progress     a bar on stderr: True, False, or None for only on a terminal
    executor     a `concurrent.futures.Executor` that evaluates; the run asks and tells as evaluations end, so the result
                 depends on nothing but the order in which they do. It is not shut down. A process pool needs an objective
                 that can be pickled: a function at the top level of a module
    parallel     how many evaluations are in flight; None takes the executor's number of workers where it is known (the
                 pools of the standard library), else 1
    catch        exceptions of the objective that fail the trial and let the run go on; () lets them all through
    optimizer    an `Optimizer` to go on with (space and direction must agree, seed, config, initial and noisy are its
                 own); its pending trials are evaluated first

    A run that stops early, by Ctrl-C too, cancels what is in flight and returns what is known. RunError when no evaluation
    gave a value, or when the executor broke; its `optimizer` holds what was evaluated, to go on with. A trial that was alone in
    flight when a process of the pool died is told as failed, several are cancelled.
    """
    plan = Plan(budget, stop_at, timeout, patience, callbacks, progress, executor, parallel, catch)
    return _run(plan, objective, plan.optimizer_for(objective, "minimize", space, seed, config, noisy, initial, optimizer))


def maximize(
    objective: Objective,
    space: Space,
    budget: int,
    *,
    seed: int | None = None,
    config: Config = DEFAULT,
    initial: Iterable[Mapping[str, Any]] = (),
    noisy: bool | None = None,
    stop_at: float | None = None,
    timeout: float | None = None,
    patience: int | None = None,
    callbacks: Sequence[Callback] = (),
    progress: bool | None = None,
    executor: Executor | None = None,
    parallel: int | None = None,
    catch: tuple[type[Exception], ...] = (Exception,),
    optimizer: Optimizer | None = None,
) -> Result:
    """Find the configuration with the largest objective(configuration); everything else is as in `minimize`."""
    plan = Plan(budget, stop_at, timeout, patience, callbacks, progress, executor, parallel, catch)
    return _run(plan, objective, plan.optimizer_for(objective, "maximize", space, seed, config, noisy, initial, optimizer))


def _run(plan: Plan, objective: Objective, optimizer: Optimizer) -> Result:
    loop = Loop(optimizer, objective, plan)
    try:
        stopped = loop.run()
    except KeyboardInterrupt:
        if loop.best is None:
            raise
        stopped = "interrupted"
    finally:
        loop.cancel()
        loop.bar.close()
    if loop.best is None:
        raise all_failed(loop, stopped)
    return Result(
        optimizer.best_trial,
        optimizer.best_value,
        tuple(optimizer.trials),
        stopped,
        loop.evaluations,
        loop.elapsed,
        optimizer,
        loop.errors,
        loop.durations,
    )


def all_failed(loop: Loop, stopped: StopReason) -> RunError:
    """Nothing to return: how many failed, of what, and the last error."""
    if not loop.errors:
        text = f"no evaluation was completed in {loop.elapsed:.1f} s (stopped by {stopped}); allow more time"
        return RunError(text, loop.optimizer)
    kinds = Counter(text.partition(":")[0] for text in loop.errors.values()).most_common()
    number, last = list(loop.errors.items())[-1]
    traceback = ", or catch=() to see the traceback" if loop.kinds["raised"] else ""
    return RunError(
        f"none of the {loop.evaluations} evaluations gave a value ({', '.join(f'{n} × {kind}' for kind, n in kinds)}). "
        f"The last, trial {number}: {last}. Call the objective by hand with that trial's configuration{traceback}",
        loop.optimizer,
    )
