"""Pools that replace broken ones."""

from __future__ import annotations

import os
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

import pytest

from casmopolitan.run.workers import Workers, renewed, worker_died


class Broken(Executor):
    def submit(self, fn, /, *args, **kwargs):
        raise BrokenProcessPool("broken")


def set_greeting(text):
    os.environ["GREETING"] = text


def test_a_broken_process_pool_is_replaced_by_one_with_the_same_settings():
    with ProcessPoolExecutor(1, get_context("spawn"), set_greeting, ("hello",), max_tasks_per_child=7) as pool:
        workers = Workers(pool)
        with pytest.raises(BrokenProcessPool):
            workers.submit(os._exit, 1).result()
        assert workers.submit(os.getenv, "GREETING").result() == "hello"
        assert vars(workers._executor)["_max_tasks_per_child"] == 7
        workers.close()


def test_an_executor_of_another_kind_is_not_replaced():
    assert renewed(Broken()) is None
    with ThreadPoolExecutor(1) as pool:
        assert renewed(pool) is None
    with pytest.raises(BrokenProcessPool):
        Workers(Broken()).submit(len, "")


def test_only_the_death_of_a_process_is_the_death_of_a_worker():
    assert worker_died(BrokenProcessPool("gone"))
    assert not worker_died(RuntimeError("gone"))


class Client:
    """A client of Dask whose cluster has some workers, which tests take away."""

    def __init__(self, cluster, count):
        self.cluster, self.workers = cluster, {f"worker {k}": 1 for k in range(count)}

    def nthreads(self):
        if self.workers is None:
            raise OSError("the scheduler is gone")
        return self.workers


class Cluster:
    def __init__(self):
        self.asked = []

    def scale(self, count):
        self.asked.append(count)


def dask_workers(monkeypatch, cluster, count=2):
    """The workers of a run on Dask, their client, and a clock."""
    clock = [0.0]
    monkeypatch.setattr("casmopolitan.run.workers.time.monotonic", lambda: clock[0])
    kind = type("ClientExecutor", (Executor,), {"__module__": "distributed.cfexecutor"})
    executor = kind()
    executor._client = Client(cluster, count)
    return Workers(executor), executor._client, clock


def test_a_dask_cluster_without_workers_is_asked_for_as_many_as_it_had(monkeypatch, caplog):
    workers, client, clock = dask_workers(monkeypatch, Cluster())
    for now, left in ((1.0, client.workers), (5.0, {}), (30.0, {}), (40.0, {}), (41.0, {}), (60.0, None), (75.0, None)):
        clock[0], client.workers = now, left
        workers.replace_lost()
    assert client.cluster.asked == [2, 2]
    assert "asking the cluster for 2" in caplog.text


def test_without_a_cluster_to_ask_the_run_says_that_it_waits(monkeypatch, caplog):
    workers, client, clock = dask_workers(monkeypatch, None)
    clock[0], client.workers = 31.0, {}
    workers.replace_lost()
    assert "the run waits" in caplog.text


def test_a_cluster_that_has_not_started_yet_is_left_alone(monkeypatch):
    workers, client, clock = dask_workers(monkeypatch, Cluster(), 0)
    for now in (0.0, 100.0):
        clock[0] = now
        workers.replace_lost()
    Workers(Broken()).replace_lost()
    assert client.cluster.asked == []
