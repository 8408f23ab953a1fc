"""`casmopolitan run`: start or resume, show what goes on, end well whatever happens."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
import warnings
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from casmopolitan.cli.options import (
    DEFAULT_FILE,
    DONE,
    EXHAUSTED,
    FAILED,
    STORAGE,
    USAGE,
    Accept,
    Json,
    StudyFile,
    console,
    emit,
    handled,
    make_ready,
    open_or_create,
    say,
    specified,
    summary,
    worded,
)
from casmopolitan.errors import CasmopolitanError

if TYPE_CHECKING:
    from casmopolitan.study.execution.runner import Runner
    from casmopolitan.study.file.schema import Spec
    from casmopolitan.study.trials.open import OpenStudy

REFRESH = 0.5
"""Seconds between two looks at the database for the live view."""


def run(
    study: StudyFile = DEFAULT_FILE,
    parallel: Annotated[int | None, typer.Option("--parallel", "-p", min=1, help="Trials at a time; else the file's.")] = None,
    budget: Annotated[int | None, typer.Option(min=1, help="Trials in all; else the file's.")] = None,
    accept_changes: Accept = False,
    keep_going: Annotated[bool, typer.Option("--keep-going", help="Also when every trial fails.")] = False,
    report: Annotated[bool, typer.Option(help="Write STUDY-report.html at the end.")] = True,
    json: Json = False,
) -> None:
    """Start or resume a study: run its program until the budget is spent. Ctrl-C stops it well; run again to go on."""
    with handled():
        spec = specified(study)
        if spec.objective is None:
            say(f"casmopolitan: {study} has no [objective] to run; add one, or use `casmopolitan ask` and `casmopolitan tell`")
            raise typer.Exit(USAGE)
        raise typer.Exit(carried_out(spec, study, parallel, budget, accept_changes, keep_going, report, json))


def carried_out(
    spec: Spec,
    file: Path,
    parallel: int | None,
    budget: int | None,
    accept_changes: bool,
    keep_going: bool,
    report: bool,
    as_json: bool,
) -> int:
    """One run from its study file to its exit code."""
    from casmopolitan.study.execution.program import Program, remove_stale_scratch
    from casmopolitan.study.execution.runner import Runner
    from casmopolitan.study.file.diff import program_change
    from casmopolitan.study.trials.status import count

    if spec.objective is None:
        return USAGE
    opened = open_or_create(spec, accept_changes, spec.heartbeat)
    if note := program_change(opened.record, spec):
        say(note)
    make_ready(opened)
    remove_stale_scratch()
    program, trials = Program(spec.objective, spec.folder), opened.trials()
    runner = Runner(opened, program, parallel or spec.parallel, budget or spec.budget, keep_going, trials=trials)
    if resumed := count(trials):
        say(f"resuming {spec.name!r}: {resumed} of {runner.budget} trials so far")
    code = watched(runner, opened)
    return concluded(runner, opened, file, code, report, as_json)


def watched(runner: Runner, opened: OpenStudy) -> int:
    """Run to the end, in a live view on a terminal, in plain lines elsewhere; 0, or the code of the signal that ended it."""
    caught: list[int] = []

    def stop(number: int, _: FrameType | None) -> None:
        if caught:
            os._exit(128 + number)  # the guards of running trials see their owner gone, and kill them
        caught.append(number)
        threading.Thread(target=runner.stop, daemon=True).start()

    numbers = [signal.SIGINT, signal.SIGTERM]
    hangup = getattr(signal, "SIGHUP", None)
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:  # nohup: a run that is to outlive its terminal
        numbers.append(hangup)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        with warnings.catch_warnings(action="ignore"):  # here, not in a worker: the filters are the whole process's
            if sys.stderr.isatty():
                _live(runner, opened, caught)
            else:
                _plain(runner, opened, caught)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return 128 + caught[0] if caught else DONE


def _live(runner: Runner, opened: OpenStudy, caught: list[int]) -> None:
    from rich.console import Console
    from rich.live import Live

    from casmopolitan.cli.live import View

    def view() -> Any:
        elapsed = time.monotonic() - runner.began
        made = View(opened.spec.name, opened.spec.direction, runner.budget, opened.rows(), elapsed, runner.evaluations).panel()
        if caught:
            made.subtitle = "stopping; once more to quit at once"
        return made

    runner.start()
    with Live(view(), console=Console(stderr=True), refresh_per_second=4, transient=False) as live:
        while runner.alive:
            runner.wait(REFRESH)
            live.update(view())


def _plain(runner: Runner, opened: OpenStudy, caught: list[int]) -> None:
    from casmopolitan.cli.live import line_of

    known: dict[int, Any] = {}
    told = False

    def print_line(row: Any) -> None:
        ended = [trial for trial in runner.trials or () if trial.state.is_finished() and trial.number not in known]
        with contextlib.suppress(CasmopolitanError):  # a database that is away for a moment must not end the run
            known.update({one.number: one for one in opened.rows(ended) if one.state in ("complete", "failed")})
        known[row.number] = row
        done = sum(one.counts for one in known.values())
        say(line_of(row, [one for one in known.values() if one is not row], opened.spec.direction, done, runner.budget))

    runner.on_end = print_line
    runner.start()
    while runner.alive:
        runner.wait(REFRESH)
        if caught and not told:
            told = True
            say("stopping; once more to quit at once")


def concluded(runner: Runner, opened: OpenStudy, file: Path, code: int, report: bool, as_json: bool) -> int:
    """The last words of a run, its report, and its exit code."""
    from casmopolitan.run.result import STOP_MESSAGES
    from casmopolitan.study.report.report import write_report
    from casmopolitan.study.trials.row import complete

    rows = opened.rows()
    found = complete(rows)
    stopped = "interrupted" if code else runner.stopped
    page = None
    if report and found and not code and stopped != "storage":
        try:
            page = write_report(opened, file.with_name(f"{file.stem}-report.html"))
        except typer.Exit:
            raise
        except Exception as error:  # whatever it is: the values are stored, and stand
            why = worded(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
            say(f"casmopolitan: the report could not be written: {why}")
    if as_json:
        data = summary(opened, rows)
        ended = {"stopped": stopped, "evaluations": runner.evaluations, "report": page, "error": runner.error or None}
        emit({**data, "budget": runner.budget, **ended})
    else:
        _said(runner, opened, rows, STOP_MESSAGES[stopped], page)
    if code:
        return code
    if stopped == "storage":
        return STORAGE
    if stopped == "exhausted":
        return EXHAUSTED if found else FAILED
    return DONE if found and stopped == "budget" else FAILED


def _said(runner: Runner, opened: OpenStudy, rows: Any, why: str, page: str | None) -> None:
    from casmopolitan.cli.live import pairs
    from casmopolitan.study.trials.row import best_value_text

    failed = sum(row.state == "failed" for row in rows)
    ended = sum(row.counts and row.state in ("complete", "failed") for row in rows)
    say(f"{ended} trials{f', {failed} failed' if failed else ''}; stopped because {why}")
    if runner.error:
        say(f"casmopolitan: {runner.error}")
    elif ended and failed == ended:
        say("casmopolitan: no trial gave a value; `casmopolitan trials --output` shows what each printed")
    running = sum(row.state in ("running", "asked") for row in rows)
    if running:
        say(f"{running} more are still out, with another run or by hand")
    best = opened.best_first(rows)
    if best:
        print(f"best value {best_value_text(best[0], rows)}", flush=True)
        pairs(console(), [(f"  {name}", value) for name, value in best[0].configuration.items()])
    if page is not None:
        print(f"report: {page}", flush=True)
