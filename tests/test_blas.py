from __future__ import annotations

import threading

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from casmopolitan.blas import one_thread


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.mark.parametrize("setting", [1, 2])
def test_blas_has_one_thread_inside_and_the_users_setting_afterwards(setting):
    with threadpool_limits(setting, user_api="blas"):
        before = blas_threads()
        with one_thread():
            assert set(blas_threads()) == {1}
        assert blas_threads() == before


def test_an_error_inside_restores_the_users_setting():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with pytest.raises(ValueError, match="inside"), one_thread():
            raise ValueError("inside")
        assert blas_threads() == before


def test_two_threads_hold_the_limit_one_after_the_other():
    inside, together = [], []

    def hold(name):
        with one_thread():
            inside.append(name)
            together.append(len(inside))
            entered.set()
            released.wait(5)
            inside.remove(name)

    entered, released = threading.Event(), threading.Event()
    threads = [threading.Thread(target=hold, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    entered.wait(5)
    released.set()
    for thread in threads:
        thread.join()
    assert together == [1, 1]
