"""The arguments of a run, checked all at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing.reduction import ForkingPickler
from typing import Any

from casmopolitan.config import Config
from casmopolitan.formatting import short_repr
from casmopolitan.goals import Goals
from casmopolitan.optimizer import Optimizer
from casmopolitan.presets import DEFAULT
from casmopolitan.scalars import is_finite, is_whole
from casmopolitan.space import Space
from casmopolitan.trial import Trial

Callback = Callable[[Optimizer, Trial], bool | None]


@dataclass(frozen=True)
class RunOptions:
    """When a run stops, how it evaluates, and which exceptions it catches; `minimize` explains each field."""

    budget: int
    stop_at: float | None
    timeout: float | None
    patience: int | None
    callbacks: Sequence[Callback]
    progress: bool | None
    executor: Executor | None
    parallel: int | None
    catch: tuple[type[Exception], ...]

    @property
    def workers(self) -> int:
        """The number of evaluations in flight."""
        if self.parallel is not None:
            return self.parallel
        known = getattr(self.executor, "_max_workers", 1)
        return known if isinstance(known, int) and known >= 1 else 1

    def problems(self, objective: object) -> list[str]:
        """Return everything wrong with these options and the objective."""
        found = []
        if not callable(objective):
            found.append(f"the objective is {objective!r}; give a function that takes a configuration and returns a number")
        if not _is_count(self.budget):
            found.append(f"budget is {self.budget!r}; it is the number of evaluations, a whole number of at least 1")
        if self.patience is not None and not _is_count(self.patience):
            found.append(f"patience is {self.patience!r}; it is a number of evaluations, at least 1, or None")
        if self.stop_at is not None and not _fits_float(self.stop_at):
            found.append(f"stop_at is {short_repr(self.stop_at)}; it must be a number that a float can hold, or None")
        if self.timeout is not None and not (_fits_float(self.timeout) and self.timeout > 0):
            rule = "it must be a number of seconds above 0 that a float can hold, or None"
            found.append(f"timeout is {short_repr(self.timeout)}; {rule}")
        if not _is(self.progress, bool, type(None)):
            found.append(f"progress is {self.progress!r}; it must be True, False or None")
        if not isinstance(self.callbacks, Sequence) or not all(callable(callback) for callback in self.callbacks):
            found.append(f"callbacks is {self.callbacks!r}; give a list of functions callback(optimizer, trial)")
        if not (isinstance(self.catch, tuple) and all(isinstance(c, type) and issubclass(c, Exception) for c in self.catch)):
            found.append(f"catch is {self.catch!r}; give a tuple of exception classes, such as (ValueError,), or ()")
        return found + self._executor_problems() + self._pickle_problems(objective)

    def _executor_problems(self) -> list[str]:
        found = []
        if _is(self.executor, type):
            found.append(f"executor is the class {self.executor!r}; give an object of it, e.g. ThreadPoolExecutor(4)")
        elif self.executor is not None and not callable(getattr(self.executor, "submit", None)):
            found.append(f"executor is {self.executor!r}; give a concurrent.futures.Executor, which has `submit`")
        if self.parallel is not None and not _is_count(self.parallel):
            found.append(f"parallel is {self.parallel!r}; it is a number of evaluations in flight, at least 1")
        elif self.executor is None and self.parallel not in (None, 1):
            found.append(f"parallel is {self.parallel} without an executor; give one, e.g. ThreadPoolExecutor({self.parallel})")
        return found

    def _pickle_problems(self, objective: object) -> list[str]:
        """Return the problem, if any, that the objective cannot be sent to a process pool."""
        if not isinstance(self.executor, ProcessPoolExecutor):
            return []
        try:
            ForkingPickler.dumps(objective)
        except Exception as error:
            return [
                f"the objective cannot be sent to another process ({type(error).__name__}: {error}); define it at the top "
                "level of a module, or use a ThreadPoolExecutor"
            ]
        return []


def resume_problems(
    given: Optimizer,
    goals: Goals,
    space: Space,
    seed: int | None,
    config: Config,
    noisy: bool | None,
    initial: list[Mapping[str, Any]],
    past: Mapping[str, Any] | None,
) -> list[str]:
    """Return the arguments that contradict the optimiser to resume."""
    if not _is(given, Optimizer):
        return [f"optimizer is {given!r}; give an Optimizer, such as result.optimizer"]
    found = []
    if not goals.named and not given.goals.named and given.direction != goals.direction:
        found.append(f"the optimizer was created to {given.direction}; call {given.direction} to resume it")
    elif goals != given.goals:
        found.append("objectives, limits or reference differ from those of the optimizer; pass the same ones")
    if space != given.space:
        found.append("space differs from the optimizer's own; pass optimizer.space, or start a new run")
    if seed is not None and seed != given.seed:
        found.append(f"seed is {seed!r}, but the optimizer has {given.seed}; leave seed out")
    if config not in (DEFAULT, given.config):
        found.append("config differs from the optimizer's own; leave config out")
    if noisy is not None and noisy != given.config.noisy:
        found.append(f"noisy is {noisy!r}, but the optimizer has {given.config.noisy}; leave noisy out")
    if initial:
        found.append("initial configurations belong to a new run; leave initial out")
    if past:
        found.append("earlier studies belong to a new run; leave past out")
    return found


def _is(value: object, *kinds: type) -> bool:
    """Return isinstance(value, kinds), for arguments that may not have their declared type."""
    return isinstance(value, kinds)


def _is_count(value: object) -> bool:
    return is_whole(value) and bool(value >= 1)


def _fits_float(value: object) -> bool:
    """Return whether a value is a number that a float can hold, infinities included."""
    return is_finite(value) or (isinstance(value, float) and math.isinf(value))
