"""The arguments of a run, checked all at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing.reduction import ForkingPickler
from numbers import Real
from typing import Any

import numpy as np

from casmopolitan.config import Config
from casmopolitan.errors import ConfigError, DataError, SpaceError
from casmopolitan.formatting import short_repr
from casmopolitan.optimizer import Optimizer
from casmopolitan.presets import DEFAULT
from casmopolitan.space import Space
from casmopolitan.trial import Configuration, Direction, Failed, Trial

Objective = Callable[[Configuration], float | Failed]
Callback = Callable[[Optimizer, Trial], bool | None]


def _is(value: object, *kinds: type) -> bool:
    """isinstance for arguments whose declared type may not have been kept."""
    return isinstance(value, kinds)


def _is_count(value: object) -> bool:
    return isinstance(value, int | np.integer) and bool(value >= 1) and value is not True


def _is_number(value: object) -> bool:
    """Whether a value is a number that a float can hold, infinite ones included."""
    try:
        return isinstance(value, Real) and not _is(value, bool) and not math.isnan(value)
    except OverflowError:
        return False


@dataclass(frozen=True)
class Plan:
    """How long a run goes on, who evaluates, what it does with exceptions; `minimize` explains each."""

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
        """Evaluations in flight."""
        if self.parallel is not None:
            return self.parallel
        known = getattr(self.executor, "_max_workers", 1)
        return known if isinstance(known, int) and known >= 1 else 1

    def problems(self, objective: object) -> list[str]:
        """Everything wrong with the arguments of this run alone."""
        found = []
        if not callable(objective):
            found.append(f"the objective is {objective!r}; give a function that takes a configuration and returns a number")
        if not _is_count(self.budget):
            found.append(f"budget is {self.budget!r}; it is the number of evaluations, a whole number of at least 1")
        if self.patience is not None and not _is_count(self.patience):
            found.append(f"patience is {self.patience!r}; it is a number of evaluations, at least 1, or None")
        if self.stop_at is not None and not _is_number(self.stop_at):
            found.append(f"stop_at is {short_repr(self.stop_at)}; it must be a number that a float can hold, or None")
        if self.timeout is not None and not (_is_number(self.timeout) and self.timeout > 0):
            found.append(f"timeout is {short_repr(self.timeout)}; it must be seconds above 0 that a float can hold, or None")
        if not _is(self.progress, bool, type(None)):
            found.append(f"progress is {self.progress!r}; it must be True, False or None")
        if not isinstance(self.callbacks, Sequence) or not all(callable(callback) for callback in self.callbacks):
            found.append(f"callbacks is {self.callbacks!r}; give a list of functions callback(optimizer, trial)")
        if _is(self.executor, type):
            found.append(f"executor is the class {self.executor!r}; give an object of it, e.g. ThreadPoolExecutor(4)")
        elif self.executor is not None and not callable(getattr(self.executor, "submit", None)):
            found.append(f"executor is {self.executor!r}; give a concurrent.futures.Executor, which has `submit`")
        if self.parallel is not None and not _is_count(self.parallel):
            found.append(f"parallel is {self.parallel!r}; it is a number of evaluations in flight, at least 1")
        elif self.executor is None and self.parallel not in (None, 1):
            found.append(f"parallel is {self.parallel} without an executor; give one, e.g. ThreadPoolExecutor({self.parallel})")
        return found + self._catch_problems() + self._pickle_problems(objective)

    def _catch_problems(self) -> list[str]:
        fits = isinstance(self.catch, tuple) and all(isinstance(c, type) and issubclass(c, Exception) for c in self.catch)
        return [] if fits else [f"catch is {self.catch!r}; give a tuple of exception classes, such as (ValueError,), or ()"]

    def _pickle_problems(self, objective: object) -> list[str]:
        """Whether a process pool will be able to send the objective: said before the run, not by a worker."""
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

    def optimizer_for(
        self,
        objective: object,
        direction: Direction,
        space: Space,
        seed: int | None,
        config: Config,
        noisy: bool | None,
        initial: Iterable[Mapping[str, Any]],
        given: Optimizer | None,
    ) -> Optimizer:
        """The optimiser of the run, new or the one given; ConfigError lists everything wrong at once."""
        found = self.problems(objective)
        if not _is(space, Space):
            found.append(f"space is {space!r}; give a Space, e.g. Space({{'x': Real(0.0, 1.0)}})")
        if not _is(config, Config):
            found.append(f"config is {config!r}; give a Config, e.g. casmopolitan.PAPER")
        if given is not None:
            initial = list(initial)
            found += _resume_problems(given, direction, space, seed, config, noisy, initial)
            if not found:
                return given
        elif _is(space, Space) and _is(config, Config):
            try:
                made = Optimizer(space, seed=seed, config=config, direction=direction, noisy=noisy, initial=initial)
            except (SpaceError, DataError) as error:
                if not found:
                    raise
                found.append(str(error))
            else:
                if not found:
                    return made
        raise ConfigError(found)


def _resume_problems(
    given: Optimizer,
    direction: Direction,
    space: Space,
    seed: int | None,
    config: Config,
    noisy: bool | None,
    initial: list[Mapping[str, Any]],
) -> list[str]:
    """Where the arguments contradict the optimiser to go on with."""
    if not _is(given, Optimizer):
        return [f"optimizer is {given!r}; give an Optimizer, such as result.optimizer"]
    found = []
    if given.direction != direction:
        found.append(f"the optimizer was made to {given.direction}; call {given.direction} to go on with it")
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
    return found
