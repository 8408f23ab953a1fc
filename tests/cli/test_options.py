"""What all commands share: exit codes, messages, signals."""

from __future__ import annotations

import errno
import json
import os
import signal

import pytest
import typer

from casmopolitan.cli import options
from casmopolitan.cli.options import catch_signals, emit, exit_codes, os_message, say
from casmopolitan.errors import CasmopolitanError
from casmopolitan.study.file.diff import ChangedError
from casmopolitan.study.file.load import SpecError
from casmopolitan.study.storage.retry import StorageError


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SpecError("study.toml", ["budget: missing"]), options.USAGE),
        (ChangedError("quick", ["~ b"]), options.CHANGED),
        (StorageError("it is gone"), options.STORAGE),
        (CasmopolitanError("something else"), options.FAILED),
        (OSError(errno.EACCES, "Permission denied", "here"), options.FAILED),
        (ZeroDivisionError("by zero"), options.FAILED),
    ],
)
def test_every_error_is_one_message_and_its_exit_code(error, code, capsys):
    with pytest.raises(typer.Exit) as ended, exit_codes():
        raise error
    assert ended.value.exit_code == code
    assert capsys.readouterr().err.startswith("casmopolitan: ")


def test_an_unexpected_error_is_shown_whole_when_asked(monkeypatch):
    monkeypatch.setenv("CASMOPOLITAN_DEBUG", "1")
    with pytest.raises(ZeroDivisionError), exit_codes():
        raise ZeroDivisionError


def test_a_refusal_of_the_system_names_the_file():
    assert os_message(OSError(errno.ENOENT, "No such file or directory", "x.csv")) == "x.csv: No such file or directory"
    assert os_message(OSError("odd")) == "odd"


def test_a_signal_ends_a_command_with_its_own_code():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(typer.Exit) as ended, exit_codes():
        os.kill(os.getpid(), signal.SIGTERM)
    assert ended.value.exit_code == options.TERMINATED
    assert signal.getsignal(signal.SIGTERM) == before


def test_the_innermost_handler_is_called_and_the_outer_one_comes_back():
    caught = []
    with catch_signals(lambda number, frame: caught.append("outer")):
        with catch_signals(lambda number, frame: caught.append(number), signal.SIGINT):
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
    assert caught == [signal.SIGINT, signal.SIGTERM, "outer"]


def test_a_hangup_that_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with catch_signals(lambda number, frame: pytest.fail("nohup was not heeded")):
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_nothing_fails_because_nobody_can_read_it(monkeypatch):
    class Closed:
        def write(self, text):
            raise BrokenPipeError

    monkeypatch.setattr("sys.stderr", Closed())
    say("hello")


def test_data_for_machines_is_json_in_utf_8(capfdbinary):
    emit({"solvent": "été", "value": 1.5})
    assert json.loads(capfdbinary.readouterr().out.decode("utf-8")) == {"solvent": "été", "value": 1.5}
