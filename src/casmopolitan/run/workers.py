"""Workers that die while they evaluate a trial, and the pools that replace broken ones."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

_log = logging.getLogger("casmopolitan")

GRACE = 30.0
"""Seconds without any worker after which a Dask cluster is asked for new ones. Dask restarts a worker that died within seconds.
But a local cluster gives up a worker that is absent 15 seconds after its death, for example because it has died again."""


class Workers:
    """The executor of a run. A process pool that broke is replaced by a new one like it, which the run owns and shuts down.

    A Dask cluster that has lost all its workers is asked for as many as it had at most.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._owned: ProcessPoolExecutor | None = None
        self._client = vars(executor).get("_client") if type(executor).__module__.startswith("distributed") else None
        self._most = 0
        self._seen = time.monotonic()
        self._count_workers()

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

    def replace_lost(self) -> None:
        """Ask a Dask cluster for new workers if it has lost all of them; log that the run waits if it cannot be asked."""
        self._count_workers()
        if self._client is None or not self._most or time.monotonic() - self._seen < GRACE:
            return
        self._seen = time.monotonic()
        cluster = self._client.cluster
        if cluster is None:
            _log.warning("Dask has no workers left; the run waits for new ones (`timeout` limits the time)")
        else:
            _log.warning("Dask has no workers left; asking the cluster for %d", self._most)
            cluster.scale(self._most)

    def _count_workers(self) -> None:
        """Record the largest number of workers of a Dask cluster, and when it last had any."""
        if self._client is not None:
            with contextlib.suppress(OSError):  # if the scheduler is gone, the evaluations end with an error
                if count := len(self._client.nthreads()):
                    self._most, self._seen = max(count, self._most), time.monotonic()

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
