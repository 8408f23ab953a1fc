"""Runs one command in its own process group, within limits, and never longer than its owner lives.

A standalone script, started as `python -I guard.py DESCRIPTOR PACKAGES`. The descriptor is a socket on which the owner
sends one job and waits for one answer. If the owner closes it, or dies for any reason, the guard kills the whole group.
PACKAGES is the folder that psutil is imported from: isolated mode hides it if it is installed for one user only.
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
from types import FrameType
from typing import Any

TICK = 0.2
"""Seconds between two checks of the memory of the group."""
GRACE = 2.0
"""Seconds between SIGTERM and SIGKILL."""
LIBC, PR_SET_PDEATHSIG = ctypes.CDLL(None), 1


def group_memory(group: int) -> int:
    """Return the resident memory of all processes of a group, in bytes."""
    import psutil  # only for trials with a memory limit: importing it takes longer than the rest of the guard

    total = 0
    for pid in psutil.pids():
        with contextlib.suppress(ProcessLookupError, PermissionError, psutil.Error):
            if os.getpgid(pid) == group:
                total += psutil.Process(pid).memory_info().rss
    return total


def limit_child(memory: int | None) -> None:
    """Prepare the child: it dies with its guard, dumps no core, and cannot allocate far more than the group may use."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    if sys.platform == "linux":
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory is not None and sys.platform == "linux":
        most = 2 * memory + 2**29
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def kill_group(child: subprocess.Popen[bytes]) -> None:
    """Send SIGTERM to the group, and SIGKILL after a grace period."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(GRACE)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def wait_for_end(child: subprocess.Popen[bytes], owner: socket.socket, seconds: float | None, memory: int | None) -> str:
    """Wait until the command exits, exceeds a limit or loses its owner; return which: exit, time, memory or stopped."""
    began = time.monotonic()
    ended = os.pidfd_open(child.pid) if hasattr(os, "pidfd_open") else None
    tick = TICK if memory is not None or ended is None else 3600.0
    watched = select.poll()  # unlike select.select, it takes descriptors above 1,023
    for descriptor in filter(None, [owner.fileno(), ended]):
        watched.register(descriptor, select.POLLIN)
    try:
        while child.poll() is None:
            left = tick if seconds is None else min(tick, seconds - (time.monotonic() - began))
            if left <= 0:
                return "time"
            if owner.fileno() in {descriptor for descriptor, _ in watched.poll(left * 1000)}:
                return "stopped"
            if memory is not None and group_memory(child.pid) > memory:
                return "memory"
        return "exit"
    finally:
        if ended is not None:
            os.close(ended)


def run_job(owner: socket.socket, job: dict[str, Any]) -> dict[str, Any]:
    """Run the job and return how it ended, its exit code and its duration. No process of its group survives."""
    began = time.monotonic()
    memory = job["memory"]
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])  # until it ends the child too
    try:
        child = subprocess.Popen(
            job["argv"], cwd=job["folder"], start_new_session=True, close_fds=True, preexec_fn=lambda: limit_child(memory)
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return {"ended": "unstartable", "message": str(error), "seconds": 0.0}

    def terminate(number: int, _: FrameType | None) -> None:
        kill_group(child)
        sys.exit(128 + number)

    signal.signal(signal.SIGTERM, terminate)
    how = "stopped"
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
        how = wait_for_end(child, owner, job["seconds"], memory)
    finally:
        code = child.poll()
        kill_group(child)
    return {"ended": how, "code": child.returncode if code is None else code, "seconds": time.monotonic() - began}


def main(descriptor: str, packages: str) -> None:
    """Serve one job on the socket."""
    sys.path.append(packages)
    with socket.socket(fileno=int(descriptor)) as owner:
        job = json.loads(owner.makefile("rb").readline())
        reply = json.dumps(run_job(owner, job)).encode() + b"\n"
        with contextlib.suppress(OSError):
            owner.sendall(reply)


if __name__ == "__main__":
    main(*sys.argv[1:])
