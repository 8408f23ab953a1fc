"""Evaluates trials with the user's own program: a function or a command, in one guarded process group per trial."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Literal

import psutil

from casmopolitan.execution.objective import Objective, filled_command
from casmopolitan.execution.process import machine
from casmopolitan.execution.reports import Judge, Reports
from casmopolitan.execution.results import (
    KEPT,
    NoValueError,
    last_line,
    outcomes_in,
    output_text,
    printable,
    returned_value,
    value_in,
)
from casmopolitan.goals import ONE_OBJECTIVE, Goals, Outcome

TAIL = 2000
"""Characters of output recorded with a trial."""
LARGEST_RESULT = 1_000_000
CONFIDENTIAL = re.compile(r"pass|secret|token|key|credential", re.IGNORECASE)
SHORTEST = 6
"""Length of the shortest secret that is masked in output: shorter ones occur in ordinary words."""
OVERDUE = 10.0
"""Seconds that a guard may take to report a trial after its time limit, or to end; then it is killed."""
HERE = Path(__file__).parent
PACKAGES = str(Path(psutil.__file__).parents[1])
"""Where the guard, which runs in Python's isolated mode, finds psutil."""

Ending = Literal["value", "exit", "signal", "time", "memory", "no value", "unstartable", "stopped", "pruned"]


@dataclass(frozen=True)
class Evaluation:
    """The result of one trial: a value or outcomes, or the kind of failure and its message; and the end of its output."""

    value: Outcome
    ending: Ending
    error: str | None
    seconds: float
    tail: str = ""
    attempts: int = 1


def scratch_prefix() -> str:
    """Return the prefix of this machine's scratch folders: other machines and containers may share the disk."""
    return f"casmopolitan-{machine().rpartition('/')[2]}-"


def remove_stale_scratch() -> None:
    """Remove the scratch folders of processes of this machine that were killed."""
    ours = scratch_prefix()
    for folder in Path(tempfile.gettempdir()).glob(f"{ours}*-*"):
        pid = folder.name.removeprefix(ours).partition("-")[0]
        if pid.isdecimal() and not psutil.pid_exists(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)


@dataclass
class Program:
    """Evaluates configurations in subprocesses; `stop` ends them all. Safe to use from several threads."""

    spec: Objective
    folder: Path
    goals: Goals = ONE_OBJECTIVE
    reports: str | None = None
    """The first word of the lines in which a running program reports; None if it does not."""

    def __post_init__(self) -> None:
        self._owners: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def evaluate(self, configuration: Mapping[str, Any], number: int, judge: Judge | None = None) -> Evaluation:
        """Evaluate one trial; after a failure, try again up to `retries` times. `judge` may end it early."""
        for attempt in range(1, self.spec.retries + 2):
            evaluation = replace(self._evaluate_once(configuration, number, judge), attempts=attempt)
            if evaluation.value is not None or evaluation.ending in ("stopped", "unstartable", "pruned"):
                break
        return evaluation

    def stop(self) -> None:
        """Kill every running trial and start no more."""
        with self._lock:
            self._stopped = True
            for owner in self._owners:
                with contextlib.suppress(OSError):
                    owner.shutdown(socket.SHUT_RDWR)

    def _evaluate_once(self, configuration: Mapping[str, Any], number: int, judge: Judge | None) -> Evaluation:
        with tempfile.TemporaryDirectory(prefix=f"{scratch_prefix()}{os.getpid()}-") as scratch:
            result_file = Path(scratch) / "result.json"
            given = Path(scratch) / "configuration.json"
            json_wanted = self.spec.stdin == "json" or self.spec.function is not None
            given.write_text(json.dumps(dict(configuration)) if json_wanted else "", "utf-8")
            report, out, err = self._run_guarded(self._argv(configuration, number, result_file), given, number, judge)
            return self._evaluation(report, out, err, result_file)

    def _argv(self, configuration: Mapping[str, Any], number: int, result_file: Path) -> list[str]:
        """Return the command as a list of arguments; no shell is involved."""
        if self.spec.function is not None:
            return [sys.executable, "-P", str(HERE / "call.py"), self.spec.function, self._workplace, str(result_file)]
        others = {"trial": str(number), "result_file": str(result_file)}
        command = filled_command(self.spec.command or [], configuration, others)
        return [sys.executable, *command[1:]] if command[0] == "python" else command

    def arguments(self, configuration: Mapping[str, Any], number: int) -> list[str]:
        """Return the command that evaluates a configuration, for users to run themselves."""
        argv = self._argv(configuration, number, Path("result.json"))
        return ["python", *argv[1:]] if argv[0] == sys.executable else argv

    @property
    def _workplace(self) -> str:
        """The folder that the program runs in."""
        return str((self.folder / self.spec.folder).resolve())

    def _run_guarded(
        self, argv: list[str], given: Path, number: int, judge: Judge | None
    ) -> tuple[dict[str, Any], bytes, bytes]:
        """Run the command under its guard; return the guard's report and the end of each stream."""
        reports = Reports(self.reports, judge) if self.reports is not None and judge is not None else None
        unbuffered = {} if reports is None else {"PYTHONUNBUFFERED": "1"}
        owner, guarded = socket.socketpair()
        began = time.monotonic()
        with owner:
            with guarded, given.open("rb") as stdin:
                guard = subprocess.Popen(
                    [sys.executable, "-I", str(HERE / "guard.py"), str(guarded.fileno()), PACKAGES],
                    stdin=stdin,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    pass_fds=[guarded.fileno()],
                    start_new_session=True,
                    env={**os.environ, **unbuffered, **self.spec.environment, "CASMOPOLITAN_TRIAL": str(number)},
                )
            out, err = Tail(guard.stdout, reports), Tail(guard.stderr)
            limits = {"seconds": self.spec.time_limit, "memory": self.spec.memory_limit}
            owner.settimeout(None if self.spec.time_limit is None else self.spec.time_limit + OVERDUE)
            job = {"argv": argv, "folder": self._workplace, **limits}
            with self._lock:
                self._owners.add(owner)
                stopped = self._stopped
            reply, missing = b"", "lost"
            try:
                if not stopped:
                    owner.sendall(json.dumps(job).encode() + b"\n")
                    reply = owner.makefile("rb").readline() if reports is None else reports.wait_for_line(owner)
            except TimeoutError:
                missing = "time"
            except OSError:
                reply = b""
            finally:
                with self._lock:
                    self._owners.discard(owner)
                    stopped = self._stopped
        end_guard(guard, 0.0 if missing == "time" else OVERDUE)
        output = out.last()
        if reports is not None and not reports.pruned:
            reports.judge_all()  # the last ones before its end
        lost = "pruned" if reports is not None and reports.pruned else "stopped" if stopped else missing
        report = json.loads(reply) if reply else {"ended": lost, "seconds": time.monotonic() - began}
        return report, output, err.last()

    def _evaluation(self, report: Mapping[str, Any], out: bytes, err: bytes, result_file: Path) -> Evaluation:
        """Return the outcome of a trial from the guard's report."""
        environment = {**os.environ, **self.spec.environment}
        seconds, tail = float(report["seconds"]), tail_of(out, err, environment)

        def failed(ending: Ending, error: str) -> Evaluation:
            return Evaluation(None, ending, masked(printable(error), environment), seconds, tail)

        match report["ended"]:
            case "time":
                return failed("time", f"stopped at its time limit of {self.spec.time_limit:g} s")
            case "memory":
                return failed("memory", f"stopped at its memory limit of {(self.spec.memory_limit or 0) / 1e6:.0f} MB")
            case "stopped":
                return failed("stopped", "interrupted")
            case "pruned":
                return failed("pruned", "ended early: worse than other trials were")
            case "lost":
                return failed("signal", "its guard process was killed")
            case "unstartable":
                return failed("unstartable", f"could not be started: {report['message']}")
        code = int(report["code"])
        if code < 0:
            names = {one.value: one.name for one in signal.Signals}
            return failed("signal", f"killed by signal {-code} ({names.get(-code, 'unknown')})")
        if code > 0:
            if self.spec.function is not None and (why := _import_error(result_file)):
                return failed("unstartable", f"{self.spec.function} could not be imported: {why}")
            last = printable(err.decode("utf-8", "replace")).strip().rpartition("\n")[2]
            return failed("exit", f"ended with exit code {code}" + (f": {last[:200]}" if last else ""))
        try:
            return Evaluation(self._value(out, result_file), "value", None, seconds, tail)
        except NoValueError as error:
            return failed("no value", str(error))

    def _value(self, out: bytes, result_file: Path) -> Outcome:
        if self.spec.function is not None:
            return returned_value(_file_text(result_file), self.goals)
        text = _file_text(result_file) if self.spec.value == "file" else last_line(out)
        if not self.goals.named:
            return value_in(text, self.spec.key)
        return outcomes_in(text, output_text(out) if self.spec.value == "last line" else text, self.goals)


class Tail:
    """Reads a stream in its own thread and keeps the end of it, so that no program blocks on a full pipe."""

    def __init__(self, stream: IO[bytes] | None, reports: Reports | None = None) -> None:
        self._stream, self._kept, self._wanted, self._reports = stream, b"", True, reports
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        if self._stream is None:
            return
        with self._stream as stream, contextlib.suppress(OSError, ValueError):
            ready = select.poll()
            ready.register(stream, select.POLLIN)
            while self._wanted:
                if ready.poll(200):  # milliseconds: how often a reader of an open but silent stream looks whether to end
                    if not (chunk := os.read(stream.fileno(), 65536)):
                        break
                    self._kept = (self._kept + chunk)[-KEPT:]
                    if self._reports is not None:
                        self._reports.read(chunk)

    def last(self) -> bytes:
        """Return the end of the stream. A process that left its group may hold the stream open; do not wait for it."""
        self._thread.join(1.0)
        self._wanted = False
        self._thread.join()
        return self._kept


def end_guard(guard: subprocess.Popen[bytes], patience: float) -> None:
    """Wait for a guard to end. If it does not, because it was stopped, kill it and every process below it."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        guard.wait(patience)
        return
    below: list[psutil.Process] = []
    with contextlib.suppress(psutil.Error):
        below = psutil.Process(guard.pid).children(recursive=True)
    guard.kill()
    for process in below:
        with contextlib.suppress(psutil.Error, ProcessLookupError, PermissionError):
            process.kill()
            os.killpg(process.pid, signal.SIGKILL)  # if it leads a group
    guard.wait()


def _file_text(path: Path) -> str:
    """Return the text of a result file. It may be anything that a program can make, also a pipe or an endless device."""
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise NoValueError("its result file is not a regular file; write the value to the file that it was given")
            content = file.read(LARGEST_RESULT + 1)
    except FileNotFoundError:
        raise NoValueError("it ended without writing a value") from None
    except OSError as error:
        raise NoValueError(f"its result file cannot be read: {error.strerror}") from None
    if len(content) > LARGEST_RESULT:
        raise NoValueError(f"its result file is larger than {LARGEST_RESULT // 10**6} MB")
    try:
        return content.decode("utf-8").strip()
    except UnicodeDecodeError:
        raise NoValueError("its result file is not text") from None


def _import_error(result_file: Path) -> str:
    """Return why the function could not be imported, or '' if it could."""
    try:
        why = json.loads(_file_text(result_file)).get("unstartable")
    except (ValueError, AttributeError):
        return ""
    return printable(why)[:200] if isinstance(why, str) else ""


def masked(text: str, environment: Mapping[str, str]) -> str:
    """Replace the values of environment variables whose names suggest a secret by ***."""
    secrets = {value for name, value in environment.items() if CONFIDENTIAL.search(name) and len(value) >= SHORTEST}
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text


def tail_of(out: bytes, err: bytes, environment: Mapping[str, str]) -> str:
    """Return the end of a program's output: standard output, then standard error under a heading.

    Secrets are masked before the text is cut: half a secret would not be recognised.
    """
    texts = [masked(printable(stream.decode("utf-8", "replace")), environment).strip() for stream in (out, err)]
    if all(texts):
        half = TAIL // 2
        return f"{texts[0][-half:]}\n--- standard error ---\n{texts[1][-half:]}"
    return (texts[0] or texts[1])[-TAIL:]
