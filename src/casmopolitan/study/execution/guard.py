"""One command in a process group of its own, within limits, for no longer than its owner lives.

A script of the standard library alone, started as `python -I guard.py DESCRIPTOR`: the descriptor is a socket on which the
owner sends one job and waits for one answer. When the owner closes it, or dies by any signal, the whole group is killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

TICK = 0.2
"""Seconds between two looks at the memory of the group."""
GRACE = 2.0
"""Seconds between the polite signal to the group and the one that cannot be ignored."""
PAGE = resource.getpagesize()
LIBC, PR_SET_PDEATHSIG = ctypes.CDLL(None), 1


def group_memory(group: int) -> int:
    """Bytes resident in all processes of a group."""
    if not Path("/proc/self/statm").exists():
        listed = subprocess.run(["ps", "-A", "-o", "pgid=,rss="], capture_output=True, text=True, check=False).stdout
        rows = [line.split() for line in listed.splitlines()]
        return sum(int(row[1]) * 1024 for row in rows if len(row) == 2 and row[0] == str(group))
    total = 0
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError, IndexError, ValueError):
            after_name = Path(entry.path, "stat").read_bytes().rpartition(b")")[2].split()
            if int(after_name[2]) == group:
                total += int(Path(entry.path, "statm").read_bytes().split()[1]) * PAGE
    return total


def hard_stop(memory: int | None) -> None:
    """In the child: it dies with its guard, dumps no core, and may not ask for far more than the whole group may use."""
    if sys.platform == "linux":
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory is not None and sys.platform == "linux":
        most = 2 * memory + 2**29
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def killed(child: subprocess.Popen[bytes]) -> None:
    """End the group: politely, and after a grace for certain."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(GRACE)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def watched(child: subprocess.Popen[bytes], owner: socket.socket, seconds: float | None, memory: int | None) -> str:
    """Wait for the command to end, for a limit, or for the owner to leave; which of them it was."""
    began = time.monotonic()
    ended = os.pidfd_open(child.pid) if hasattr(os, "pidfd_open") else None
    tick = TICK if memory is not None or ended is None else 3600.0
    try:
        while child.poll() is None:
            left = tick if seconds is None else min(tick, seconds - (time.monotonic() - began))
            if left <= 0:
                return "time"
            watching = [owner.fileno(), *filter(None, [ended])]
            if owner.fileno() in select.select(watching, [], [], left)[0]:
                return "stopped"
            if memory is not None and group_memory(child.pid) > memory:
                return "memory"
        return "exit"
    finally:
        if ended is not None:
            os.close(ended)


def answer(owner: socket.socket, job: dict[str, Any]) -> dict[str, Any]:
    """Run the job; how it ended, and with which code."""
    began = time.monotonic()
    memory = job["memory"]
    try:
        child = subprocess.Popen(
            job["argv"], cwd=job["folder"], start_new_session=True, close_fds=True, preexec_fn=lambda: hard_stop(memory)
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return {"ended": "unstartable", "message": str(error), "seconds": 0.0}
    signal.signal(signal.SIGTERM, lambda *_: _left(child))
    how = "stopped"
    try:
        how = watched(child, owner, job["seconds"], memory)
    finally:
        code = child.poll()
        killed(child)
    return {"ended": how, "code": child.returncode if code is None else code, "seconds": time.monotonic() - began}


def _left(child: subprocess.Popen[bytes], *_: FrameType | None) -> None:
    killed(child)
    sys.exit(143)


def main(descriptor: int) -> None:
    """Serve one job on the socket."""
    with socket.socket(fileno=descriptor) as owner:
        job = json.loads(owner.makefile("rb").readline())
        reply = json.dumps(answer(owner, job)).encode() + b"\n"
        with contextlib.suppress(OSError):
            owner.sendall(reply)


if __name__ == "__main__":
    main(int(sys.argv[1]))
