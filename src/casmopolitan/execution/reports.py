"""What a program reports while it runs, so that a bad trial can be ended early."""

from __future__ import annotations

import contextlib
import math
import queue
import re
import select
import socket
import time
from collections.abc import Callable

from casmopolitan.execution.results import KEPT

POLL = 0.1
"""Seconds between two looks at what a running program has reported."""

Judge = Callable[[int, float], bool]
"""Takes the step and the value that a running program has reported, and returns whether to end it."""


class Reports:
    """The lines in which a running program reports: read in one thread, judged in another."""

    def __init__(self, word: str, judge: Judge) -> None:
        self._line = re.compile(rb"[ \t]*" + word.encode() + rb"[ \t]+(\d{1,9})[ \t]*[:=]?[ \t]*([-+.\deE]+)[ \t\r]*")
        self._judge, self._partial = judge, b""
        self._queue: queue.SimpleQueue[tuple[int, float]] = queue.SimpleQueue()
        self.pruned = False

    def read(self, chunk: bytes) -> None:
        """Queue the reports in another piece of output."""
        *lines, rest = (self._partial + chunk).split(b"\n")
        self._partial = rest[-KEPT:]
        for line in lines:
            if match := self._line.fullmatch(line):
                with contextlib.suppress(ValueError):
                    self._queue.put((int(match[1]), float(match[2])))

    def judge_all(self) -> bool:
        """Judge all queued reports; return whether the program is to be ended."""
        while not self._queue.empty():
            step, value = self._queue.get()
            if math.isfinite(value) and self._judge(step, value):
                return True
        return False

    def wait_for_line(self, owner: socket.socket) -> bytes:
        """Return the guard's line; empty if it was closed, or if a report ended the program.

        Raises TimeoutError if the line does not arrive within the socket's own timeout.
        """
        reply, ready, limit = b"", select.poll(), owner.gettimeout()
        ready.register(owner, select.POLLIN)
        until = math.inf if limit is None else time.monotonic() + limit
        while not reply.endswith(b"\n"):
            if ready.poll(1000 * POLL):
                chunk = owner.recv(65536)
                if not chunk:
                    return b""
                reply += chunk
            elif self.judge_all():
                self.pruned = True
                owner.shutdown(socket.SHUT_RDWR)
                return b""
            if time.monotonic() > until:
                raise TimeoutError
        return reply
