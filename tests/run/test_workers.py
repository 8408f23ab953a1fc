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
