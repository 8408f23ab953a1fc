"""optimize, minimize and maximize: an optimiser, a loop around it, and the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

from casmopolitan.config import Config
from casmopolitan.errors import ConfigError, DataError, RunError, SpaceError
from casmopolitan.goals import Goals, goal_problems
from casmopolitan.optimizer import Optimizer
from casmopolitan.presets import DEFAULT
from casmopolitan.run.evaluation import Objective, headline
from casmopolitan.run.loop import RunLoop
from casmopolitan.run.options import Callback, RunOptions, resume_problems
from casmopolitan.run.result import Best, Result, StopReason
from casmopolitan.space import Space
from casmopolitan.trial import Direction


def minimize(
    objective: Objective,
    space: Space,
    budget: int,
    *,
    seed: int | None = None,
    config: Config = DEFAULT,
    initial: Iterable[Mapping[str, Any]] = (),
    past: Mapping[str, Any] | None = None,
    limits: Mapping[str, str] | None = None,
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
    """Find the configuration with the smallest objective value.

    A run that stops early, for example by Ctrl-C, cancels the trials in flight and returns the results so far. With an
    executor, the result depends only on the order in which evaluations end.

    Args:
        objective: Takes a configuration, a dict of plain Python values, and returns a number. NaN, ±inf, `FAILED` or a
            non-numeric result marks the trial as failed. With limits it returns a dict: the objective as "value", and every
            limited outcome.
        space: The search space.
        budget: How many evaluations to make, failed ones included.
        seed: The same seed gives the same run. None draws one and keeps it as `result.optimizer.seed`.
        config: A preset or your own `Config`.
        initial: Configurations to evaluate first.
        past: Earlier studies of related tasks, by name; see `Optimizer`.
        limits: Limits on outcomes, e.g. {"memory": "<= 512"}.
        noisy: Whether repeated evaluations of a configuration differ. None keeps the value in `config`.
        stop_at: Stop when a value is at least this good.
        timeout: Stop after this many seconds. An evaluation in the calling process is never interrupted.
        patience: Stop after this many evaluations in a row without a better value.
        callbacks: Functions called as `callback(optimizer, trial)` after every evaluation. Returning True stops the run.
        progress: Whether to show a progress bar on stderr. None shows it only on a terminal.
        executor: A `concurrent.futures.Executor` that evaluates; it is not shut down. A process pool needs an objective
            that can be pickled: a function at the top level of a module. A trial that kills its worker has failed, and the
            run goes on, with a new pool if a `ProcessPoolExecutor` broke. If several trials were in flight, they are
            evaluated again one at a time to find out which it is.
        parallel: How many evaluations are in flight. None takes the number of workers of a standard-library pool, and
            1 otherwise.
        catch: Exceptions of the objective that mark the trial as failed; all others end the run. `()` catches none. The
            default stops a run whose first ten evaluations all raise the same exception at the same line.
        optimizer: An `Optimizer` to resume. Space and direction must match its own; leave out seed, config, initial and
            noisy. Its pending trials are evaluated first.

    Returns:
        The best trial, all trials, and why the run stopped.

    Raises:
        ConfigError: If arguments are wrong; the message lists all problems.
        DataError: If the seed is wrong, or the first three results (all results of a smaller budget) are non-numeric.
        SpaceError: If an initial configuration does not fit the space.
        RunError: If no evaluation gave a value, or the executor broke. Its `optimizer` holds all evaluations and can be
            resumed.
    """
    return _run("minimize", None, None, **locals())


def maximize(
    objective: Objective,
    space: Space,
    budget: int,
    *,
    seed: int | None = None,
    config: Config = DEFAULT,
    initial: Iterable[Mapping[str, Any]] = (),
    past: Mapping[str, Any] | None = None,
    limits: Mapping[str, str] | None = None,
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
    """Find the configuration with the largest objective value; `minimize` explains everything else.

    Args:
        objective: Takes a configuration and returns a number.
        space: The search space.
        budget: How many evaluations to make, failed ones included.
        seed: The same seed gives the same run.
        config: A preset or your own `Config`.
        initial: Configurations to evaluate first.
        past: Earlier studies of related tasks, by name; see `Optimizer`.
        limits: Limits on outcomes, e.g. {"memory": "<= 512"}.
        noisy: Whether repeated evaluations of a configuration differ.
        stop_at: Stop when a value is at least this good.
        timeout: Stop after this many seconds.
        patience: Stop after this many evaluations in a row without a better value.
        callbacks: Functions called as `callback(optimizer, trial)` after every evaluation.
        progress: Whether to show a progress bar on stderr.
        executor: A `concurrent.futures.Executor` that evaluates.
        parallel: How many evaluations are in flight.
        catch: Exceptions of the objective that mark the trial as failed.
        optimizer: An `Optimizer` to resume.

    Returns:
        The best trial, all trials, and why the run stopped.

    Raises:
        ConfigError: If arguments are wrong; the message lists all problems.
        DataError: If the seed is wrong, or the first three results (all results of a smaller budget) are non-numeric.
        SpaceError: If an initial configuration does not fit the space.
        RunError: If no evaluation gave a value, or the executor broke.
    """
    return _run("maximize", None, None, **locals())


def optimize(
    objective: Objective,
    space: Space,
    budget: int,
    *,
    objectives: Mapping[str, Direction],
    limits: Mapping[str, str] | None = None,
    reference: Mapping[str, float] | None = None,
    seed: int | None = None,
    config: Config = DEFAULT,
    initial: Iterable[Mapping[str, Any]] = (),
    past: Mapping[str, Any] | None = None,
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
    """Find the configurations with the best outcomes; `minimize` explains everything else.

    Args:
        objective: Takes a configuration and returns a dict of outcomes: every objective and every limited outcome. None
            marks one that was not measured; returning `FAILED` instead of a dict marks the trial as failed.
        space: The search space.
        budget: How many evaluations to make, failed ones included.
        objectives: Names and directions, e.g. {"error": "minimize", "speed": "maximize"}.
        limits: Limits on outcomes, e.g. {"memory": "<= 512"}: "<=" or ">=" and a number. An objective may have a limit too.
        reference: The reference point of the hypervolume: one number per objective, by name. None computes it from the
            front.
        seed: The same seed gives the same run.
        config: A preset or your own `Config`.
        initial: Configurations to evaluate first.
        past: Earlier studies of related tasks, by name; see `Optimizer`.
        noisy: Whether repeated evaluations of a configuration differ.
        stop_at: Stop when a value is at least this good; only with one objective.
        timeout: Stop after this many seconds.
        patience: Stop after this many evaluations in a row without a better value; with several objectives, without a
            larger hypervolume.
        callbacks: Functions called as `callback(optimizer, trial)` after every evaluation.
        progress: Whether to show a progress bar on stderr.
        executor: A `concurrent.futures.Executor` that evaluates.
        parallel: How many evaluations are in flight.
        catch: Exceptions of the objective that mark the trial as failed.
        optimizer: An `Optimizer` to resume.

    Returns:
        The front, all trials, and why the run stopped; with one objective also the best trial.

    Raises:
        ConfigError: If arguments are wrong; the message lists all problems.
        DataError: If the seed is wrong, or the first three results (all results of a smaller budget) have wrong outcomes.
        SpaceError: If an initial configuration does not fit the space.
        RunError: If no evaluation gave a value, or the executor broke.
    """
    return _run("minimize", **locals())


def _run(
    direction: Direction,
    objectives: Mapping[str, Direction] | None,
    reference: Mapping[str, float] | None,
    limits: Mapping[str, str] | None,
    objective: Objective,
    space: Space,
    seed: int | None,
    config: Config,
    noisy: bool | None,
    initial: Iterable[Mapping[str, Any]],
    past: Mapping[str, Any] | None,
    optimizer: Optimizer | None,
    **options: Any,
) -> Result:
    """Check the arguments, make or resume the optimiser, run the loop and return its result."""
    checked = RunOptions(**options)
    problems = checked.problems(objective)
    wanted = {"direction": direction, "objectives": objectives, "limits": limits, "reference": reference}
    if checked.stop_at is not None and objectives is not None and len(objectives) > 1:
        problems.append("stop_at needs one objective; with several, use budget, timeout, patience or a callback")
    if optimizer is None:
        optimizer = _create(problems, space, seed=seed, config=config, noisy=noisy, initial=initial, past=past, **wanted)
    elif wrong := goal_problems(**wanted):
        problems += wrong
    else:
        goals = Goals.of(direction, objectives, limits, reference)
        problems += resume_problems(optimizer, goals, space, seed, config, noisy, list(initial), past)
    if problems or optimizer is None:
        raise ConfigError(problems)
    loop = RunLoop(optimizer, objective, checked)
    try:
        stopped = loop.run()
    except KeyboardInterrupt:
        if not loop.completed:
            raise
        stopped = "interrupted"
    finally:
        loop.cancel()
        loop.bar.close()
    if not loop.completed:
        raise _no_result(loop, stopped)
    return Result(
        _best_of(optimizer),
        tuple(optimizer.pareto_front),
        tuple(optimizer.trials),
        stopped,
        loop.evaluations,
        loop.elapsed,
        optimizer,
        loop.errors,
        loop.durations,
        None if optimizer.goals.single else optimizer.hypervolume,
    )


def _best_of(optimizer: Optimizer) -> Best | DataError:
    """Return the best trial and its value, or the error that says why there is none."""
    try:
        return Best(optimizer.best_trial, optimizer.best_value)
    except DataError as error:
        return error


def _create(problems: list[str], space: Space, **settings: Any) -> Optimizer | None:
    """Create an optimiser; if that fails, add the error to `problems` and return None.

    If the seed or an initial configuration is the only problem, its own error is raised.
    """
    try:
        return Optimizer(space, **settings)
    except (SpaceError, DataError) as error:
        if not problems and isinstance(space, Space) and isinstance(settings["config"], Config):
            raise
        problems.append(str(error))
        return None


def _no_result(loop: RunLoop, stopped: StopReason) -> RunError:
    """Return the error of a run without a value: how many evaluations failed, why, and the last error."""
    if not loop.errors:
        text = f"no evaluation was completed in {loop.elapsed:.1f} s (stopped by {stopped}); allow more time"
        return RunError(text, loop.optimizer)
    kinds = Counter(headline(text).partition(":")[0] for text in loop.errors.values()).most_common()
    number, last = list(loop.errors.items())[-1]
    early = "The run stopped because they all raised the same exception; if such failures are expected, return FAILED. "
    traceback = last.removeprefix(headline(last))
    return RunError(
        f"none of the {loop.evaluations} evaluations gave a value ({', '.join(f'{n} × {kind}' for kind, n in kinds)}). "
        f"{early if stopped == 'hopeless' else ''}The last, trial {number}: {headline(last)}. "
        f"Call the objective yourself with that trial's configuration{traceback}",
        loop.optimizer,
    )
