"""Which process runs a trial, and whether it is still alive."""

from __future__ import annotations

import contextlib
import hashlib
import os
import socket
from pathlib import Path

import psutil

CLOCK_ERROR = 60.0
"""Seconds by which the start of a process may seem to change when the clock of its machine is set."""


def machine() -> str:
    """Return a name for this machine, equal for two processes that can look each other up by PID."""
    parts = [socket.gethostname()]
    with contextlib.suppress(OSError):  # two containers may have the same host name
        parts += [Path("/proc/sys/kernel/random/boot_id").read_text("utf-8").strip(), os.readlink("/proc/self/ns/pid")]
    return f"{parts[0]}/{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:8]}"


def started(process: psutil.Process) -> float:
    """Return when a process started, in seconds since the machine booted."""
    return process.create_time() - psutil.boot_time()


def signature() -> str:
    """Return a name for this process: its machine, its PID and its start."""
    return f"{machine()}:{os.getpid()}:{started(psutil.Process()):.2f}"


def is_dead(worker: str) -> bool:
    """Return whether a worker was a process of this machine that no longer runs; False if it ran on another machine."""
    where, pid, start = [*worker.rsplit(":", 2), "", ""][:3]
    if where != machine() or not pid.isdecimal():
        return False
    try:
        process = psutil.Process(int(pid))
        return process.status() == psutil.STATUS_ZOMBIE or abs(started(process) - float(start)) > CLOCK_ERROR
    except psutil.NoSuchProcess:
        return True
    except (psutil.AccessDenied, ValueError):
        return False
