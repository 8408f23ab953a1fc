"""Workers that die while they evaluate a trial, and the pools that replace broken ones."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any


class Workers:
    """The executor of a run. A process pool that broke is replaced by a new one like it, which the run owns and shuts down."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._owned: ProcessPoolExecutor | None = None

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Submit a call, to a new pool if the present one is broken and can be replaced."""
        try:
            return self._executor.submit(fn, *args)
        except BrokenProcessPool:
            pool = renewed(self._executor)
            if pool is None:
                raise
        self.close()
        self._executor = self._owned = pool
        return pool.submit(fn, *args)

    def close(self) -> None:
        """Shut down a pool that the run created; the caller's own executor is left alone."""
        if self._owned is not None:
            self._owned.shutdown(wait=False, cancel_futures=True)


def worker_died(error: BaseException) -> bool:
    """Return whether an evaluation ended because its process died, for example by a segmentation fault or for lack of memory.

    Dask's error is recognised by its name, because Dask need not be installed.
    """
    return isinstance(error, BrokenProcessPool) or type(error).__name__ == "KilledWorker"


def renewed(pool: Executor) -> ProcessPoolExecutor | None:
    """Return a new process pool with the settings of a broken one; None if it is not one of the standard library."""
    if type(pool) is not ProcessPoolExecutor:
        return None
    settings = vars(pool)
    return ProcessPoolExecutor(
        settings["_max_workers"],
        settings["_mp_context"],
        settings["_initializer"],
        settings["_initargs"],
        max_tasks_per_child=settings["_max_tasks_per_child"],
    )
