"""BLAS threads: one while a model is fitted or searched, and the user's own setting back afterwards."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController

_limiting = threading.Lock()


@cache
def _blas() -> ThreadpoolController:
    """The BLAS libraries of this process, looked up once."""
    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """BLAS on one thread, and the user's own setting back afterwards.

    The setting belongs to the process: of two holders that overlap, the later to leave would restore the earlier's limit,
    so there is one at a time.
    """
    with _limiting, _blas().limit(limits=1, user_api="blas"):
        yield
