"""What all commands share: exit codes, messages, signals."""

from __future__ import annotations

import errno
import json
import os
import signal
import sqlite3
from contextlib import closing

import pytest
import typer

from casmopolitan.cli import options
from casmopolitan.cli.options import catch_signals, emit, exit_codes, os_message, say
from casmopolitan.errors import CasmopolitanError
from casmopolitan.study.file.diff import ChangedError
from casmopolitan.study.file.load import SpecError
from casmopolitan.study.storage.retry import StorageError
from cli.conftest import Command


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


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["status"], options.DONE),
        (["tell", "wrong.csv"], options.FAILED),
        (["best"], options.FAILED),
        (["doctor", "nowhere.toml"], options.FAILED),
        (["status", "missing.toml"], options.FAILED),
        (["staus"], options.USAGE),
        (["ask", "--n"], options.USAGE),
        (["ask", "-o", "plan.ods"], options.USAGE),
        (["status", "broken.toml"], options.USAGE),
        (["status", "nowhere.toml"], options.USAGE),
        (["ask", "changed.toml"], options.CHANGED),
        (["status", "oracle.toml"], options.STORAGE),
        (["status", "memory.toml"], options.STORAGE),
        (["status", "foreign.toml"], options.STORAGE),
        (["ask", "-n", "9"], options.EXHAUSTED),
    ],
)
def test_each_documented_exit_code_is_that_of_a_command(asked, monkeypatch, arguments, code):
    monkeypatch.setenv("WHERE", "oracle://h/d" if "oracle.toml" in arguments else "sqlite://")
    asked.light(*arguments, code=code)


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A study of three points with one trial, and files beside it that lead to each exit code."""
    study = Command(tmp_path_factory.mktemp("codes"))
    text = 'name = "s"\nbudget = 9\n[variables.a]\ntype = "categorical"\nchoices = ["x", "y", "z"]\n'
    study.write("study.toml", text).write("missing.toml", text.replace('"s"', '"other"')).write("broken.toml", "name = 3")
    study.write("changed.toml", text.replace(', "z"', "")).write("wrong.csv", "trial,value\n77,1\n")
    for name in ("oracle", "memory"):  # the address is known only when the database is opened
        study.write(f"{name}.toml", 'storage = "${WHERE}"\n' + text)
    study.write("foreign.toml", 'storage = "sqlite:///foreign.db"\n' + text)
    with closing(sqlite3.connect(study.folder / "foreign.db")) as foreign:
        foreign.execute("CREATE TABLE theirs (a)")
    study.light("ask")
    return study


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
