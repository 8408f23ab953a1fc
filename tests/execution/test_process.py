import os
import subprocess
import sys

import psutil
import pytest

from casmopolitan.execution import process as processes


@pytest.fixture
def gone():
    """The signature of a process of this machine that lives no more."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return f"{processes.machine()}:{process.pid}:12345"


def test_this_process_lives():
    assert not processes.is_dead(processes.signature())


def test_a_process_that_ended_is_dead(gone):
    assert processes.is_dead(gone)


def test_a_process_that_ended_and_was_never_waited_for_is_dead():
    process = subprocess.Popen([sys.executable, "-c", ""])
    one = psutil.Process(process.pid)
    while one.status() != psutil.STATUS_ZOMBIE:
        pass
    assert processes.is_dead(f"{processes.machine()}:{process.pid}:{processes.started(one):.2f}")
    process.wait()


def test_another_process_with_the_number_of_one_that_ended_is_not_taken_for_it():
    assert processes.is_dead(f"{processes.machine()}:{os.getpid()}:-1000")


def test_a_clock_that_was_set_kills_nobody(monkeypatch):
    own = processes.signature()
    before = psutil.Process().create_time()
    monkeypatch.setattr(psutil.Process, "create_time", lambda self: before + 30)
    assert not processes.is_dead(own)


@pytest.mark.parametrize("worker", ["", "elsewhere/0123abcd:1:1", "no number:here:", f"{processes.machine()}:1:soon", "a:b"])
def test_of_what_is_not_a_process_of_this_machine_nothing_is_said(worker):
    assert not processes.is_dead(worker)
