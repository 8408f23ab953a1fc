"""One BLAS thread while a model is fitted or searched."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()


@cache
def _blas() -> ThreadpoolController:
    """Return the BLAS libraries of this process, looked up once."""
    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS to one thread inside the block, and restore the user's setting afterwards.

    The setting is global to the process, so only one thread at a time may hold the limit. Otherwise the last thread to
    leave could restore another thread's limit instead of the user's setting.
    """
    with _lock, _blas().limit(limits=1, user_api="blas"):
        yield
