import os
import subprocess
import sys

import pytest

from casmopolitan.study.trials import liveness


@pytest.fixture
def gone():
    """The signature of a process of this machine that lives no more."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return f"{liveness.place()}:{process.pid}:12345"


def test_this_process_lives():
    assert not liveness.dead(liveness.signature())


def test_a_process_that_ended_is_dead(gone):
    assert liveness.dead(gone)


def test_another_process_with_the_number_of_one_that_ended_is_not_taken_for_it():
    if not liveness.started(os.getpid()):
        pytest.skip("this machine does not tell when a process started")
    assert liveness.dead(f"{liveness.place()}:{os.getpid()}:1")


@pytest.mark.parametrize("worker", ["", "elsewhere/0123abcd:1:1", "no number:here:"])
def test_of_what_is_not_a_process_of_this_machine_nothing_is_said(worker):
    assert not liveness.dead(worker)


def test_on_windows_no_process_is_asked_whether_it_lives(gone, monkeypatch):
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("signal 0 is Control-C there"))
    monkeypatch.setattr(sys, "platform", "win32")
    assert not liveness.dead(gone)
