"""The guard of one trial: limits hold, nothing survives it, nothing survives its owner."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from casmopolitan.execution import guard as script
from casmopolitan.execution.program import PACKAGES, Program
from casmopolitan.study.file.schema import ObjectiveSpec


@contextlib.contextmanager
def started():
    """A guard that waits for its job, and the owner's end of its socket."""
    owner, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-I", script.__file__, str(theirs.fileno()), PACKAGES]
        guard = subprocess.Popen(command, pass_fds=[theirs.fileno()], stderr=subprocess.PIPE)
    with owner:
        yield owner, guard
    guard.communicate(timeout=30)


def report(argv, seconds=None, memory=None):
    """What a guard answers about one job."""
    with started() as (owner, _):
        job = {"argv": argv, "folder": "/", "seconds": seconds, "memory": memory}
        owner.sendall(json.dumps(job).encode() + b"\n")
        return json.loads(owner.makefile("rb").readline())


def test_the_memory_of_a_group_is_that_of_all_its_processes():
    greedy = "import time; held = bytearray(b'x' * 60_000_000); print(flush=True); time.sleep(60)"
    both = f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-S', '-c', {greedy!r}])\n{greedy}"
    process = subprocess.Popen([sys.executable, "-S", "-c", both], stdout=subprocess.PIPE, start_new_session=True)
    for _ in range(2):
        process.stdout.readline()
    assert 120_000_000 < script.group_memory(process.pid) < 400_000_000
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert script.group_memory(process.pid) == 0


@pytest.mark.parametrize(
    ("argv", "limits", "ended"),
    [
        (["true"], {}, "exit"),
        (["sleep", "60"], {"seconds": 0.3}, "time"),
        (["sleep", "60"], {"memory": 1000}, "memory"),
        (["/no/such/program"], {}, "unstartable"),
    ],
)
def test_a_guard_says_how_its_job_ended(argv, limits, ended):
    assert report(argv, **limits)["ended"] == ended


def test_a_guard_that_is_told_to_end_takes_its_job_with_it(tmp_path):
    with started() as (owner, guard):
        job = {"argv": ["sh", "-c", "echo $$ > pid; sleep 60"], "folder": str(tmp_path), "seconds": None, "memory": None}
        owner.sendall(json.dumps(job).encode() + b"\n")
        until = time.monotonic() + 30
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            assert time.monotonic() < until
            time.sleep(0.02)
        guard.terminate()
        guard.communicate(timeout=30)
        assert guard.returncode == 143
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


def test_a_guard_that_is_told_to_end_while_it_starts_its_job_takes_it_with_it():
    code = f"""
import os, runpy, signal, socket, subprocess
guard = runpy.run_path({script.__file__!r})
class Told(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        print(self.pid, flush=True)
        os.kill(os.getpid(), signal.SIGTERM)
subprocess.Popen = Told
owner, _ = socket.socketpair()
job = dict(argv=["sh", "-c", "sleep 60; true"], folder="/", seconds=None, memory=None)
guard["run_job"](owner, job)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, done.stderr) == (143, "")
    assert not psutil.pid_exists(int(done.stdout))


def test_a_job_can_be_told_to_end():
    assert report(["sh", "-c", "kill -TERM $$; sleep 60"], seconds=20)["code"] == -signal.SIGTERM


def test_a_guard_without_an_owner_ends_at_once():
    with started() as (owner, guard):
        owner.close()
        guard.communicate(timeout=30)
        assert guard.returncode is not None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent has died")
def test_a_trial_dies_with_its_guard(tmp_path):
    program = Program(ObjectiveSpec(command=["sh", "-c", "echo $$ $PPID > pids; exec sleep 60"]), tmp_path)
    thread = threading.Thread(target=program.evaluate, args=({}, 0))
    thread.start()
    pids = tmp_path / "pids"
    until = time.monotonic() + 30
    while not (pids.exists() and pids.read_text().strip()) and time.monotonic() < until:
        time.sleep(0.02)
    child, guard = map(int, pids.read_text().split())
    os.kill(guard, signal.SIGKILL)
    thread.join(30)
    while Path("/proc", str(child)).exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert not Path("/proc", str(child)).exists()


def test_a_grandchild_that_ignores_the_polite_signal_is_ended_too(tmp_path):
    script = "(trap '' TERM; echo $BASHPID > grandchild; while :; do sleep 0.2; done) & wait"
    Program(ObjectiveSpec(command=["bash", "-c", script], time_limit=1.0), tmp_path).evaluate({}, 0)
    pid = (tmp_path / "grandchild").read_text().strip()
    until = time.monotonic() + 10
    while Path("/proc", pid).exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not Path("/proc", pid).exists()
