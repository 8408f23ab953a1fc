"""`casmopolitan run` and `casmopolitan demo`: start or resume a study, show its progress, and stop cleanly."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

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
    catch_signals,
    console,
    emit,
    exit_codes,
    make_ready,
    open_or_create,
    os_message,
    read_spec,
    say,
    summary,
)
from casmopolitan.errors import CasmopolitanError
from casmopolitan.formatting import counted

if TYPE_CHECKING:
    from rich.panel import Panel

    from casmopolitan.analysis.row import TrialRow
    from casmopolitan.study.file.schema import Spec
    from casmopolitan.study.runner import Runner
    from casmopolitan.study.trials.open import OpenStudy

REFRESH = 0.5
"""Seconds between two updates of the live view."""
STOPPING = "stopping; press Ctrl-C again to quit at once"
TYPED = "^C^C"
"""What a terminal shows after the panel's last line when Ctrl-C is pressed twice. It must not begin a new line."""
TO_CONTINUE = {
    "interrupted": "run again to continue; `casmopolitan report {file}` shows the results so far",
    "budget": "for more trials, raise `budget` in {file}, or run again with a larger --budget",
}
"""How to continue a run, by the reason why it stopped."""


def run(
    study: StudyFile = DEFAULT_FILE,
    parallel: Annotated[
        int | None, typer.Option("--parallel", "-p", min=1, help="Trials at a time (default: as in the study file).")
    ] = None,
    budget: Annotated[int | None, typer.Option(min=1, help="Trials in total (default: as in the study file).")] = None,
    accept_changes: Accept = False,
    keep_going: Annotated[bool, typer.Option("--keep-going", help="Continue even if every trial fails.")] = False,
    report: Annotated[bool, typer.Option(help="Write STUDY-report.html at the end.")] = True,
    json: Json = False,
) -> None:
    """Start or resume a study: run its program until the budget is spent. Ctrl-C stops it; run it again to resume."""
    with exit_codes():
        spec = read_spec(study)
        if spec.objective is None:
            say(f"casmopolitan: {study} has no [objective] to run; add one, or use `casmopolitan ask` and `casmopolitan tell`")
            raise typer.Exit(USAGE)
        raise typer.Exit(execute(spec, study, parallel, budget, accept_changes, keep_going, report, json))


def demo(
    folder: Annotated[Path, typer.Option(help="Folder for the demo's files and database.")] = Path("casmopolitan-demo"),
    budget: Annotated[int | None, typer.Option(min=2, help="Trials in total (default: 50).")] = None,
    json: Json = False,
) -> None:
    """Tune a real model, with the live view and a report, in under two minutes. Run it again to resume."""
    with exit_codes():
        from casmopolitan.analysis.row import ranked
        from casmopolitan.study.trials.open import open_spec

        if importlib.util.find_spec("sklearn") is None:
            say("casmopolitan: the demo tunes a scikit-learn model, and scikit-learn is missing: pip install scikit-learn")
            raise typer.Exit(FAILED)
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("demo.toml", "diabetes.py"):
            if not (folder / name).exists():
                (folder / name).write_text((files("casmopolitan.cli") / "templates" / name).read_text("utf-8"), "utf-8")
        file = folder / "demo.toml"
        spec = read_spec(file)
        if not json:
            say("How far does diabetes progress within a year? A support-vector model of 442 patients, ten measurements each:")
            size = f"{counted(len(spec.space), 'variable')}, {counted(budget or spec.budget, 'trial')}"
            say(f"{size}. The default settings are tried first.")
        code = execute(spec, file, None, budget, False, False, True, json)
        rows = open_spec(spec).rows()
        best = ranked(rows, spec.goals)
        if best and rows[0].value is not None and not json:
            gain = 100 * (rows[0].value - best[0].result) / rows[0].value
            print(f"mean error {rows[0].value:.2f} with the default settings, {best[0].value:.2f} tuned: {gain:.0f} % less")
        raise typer.Exit(code)


def execute(
    spec: Spec,
    file: Path,
    parallel: int | None,
    budget: int | None,
    accept_changes: bool,
    keep_going: bool,
    report: bool,
    as_json: bool,
) -> int:
    """Run a study from its file to its report; return the exit code."""
    from casmopolitan.execution.program import Program, remove_stale_scratch
    from casmopolitan.study.file.diff import program_change
    from casmopolitan.study.runner import Runner
    from casmopolitan.study.trials.status import count

    if spec.objective is None:
        return USAGE
    if sys.platform == "win32":
        raise CasmopolitanError(
            "`casmopolitan run` and `demo` end programs by their process groups, which Windows does not have. Use WSL; or "
            "`casmopolitan ask` and `tell`, or `minimize` in Python, which work on Windows"
        )
    opened = open_or_create(spec, accept_changes, spec.heartbeat)
    if note := program_change(opened.record, spec):
        say(note)
    make_ready(opened)
    remove_stale_scratch()
    reports = None if spec.pruning is None else spec.pruning.line
    program, trials = Program(spec.objective, spec.folder, opened.goals, reports), opened.trials()
    runner = Runner(opened, program, parallel or spec.parallel, budget or spec.budget, keep_going, trials=trials)
    if resumed := count(trials):
        say(f"resuming {spec.name!r}: {resumed} of {counted(runner.budget, 'trial')} so far")
    warned = warn_about_timing(runner, opened, spec.objective.key)
    code = run_until_done(runner, opened)
    if not warned:
        warn_about_timing(runner, opened, spec.objective.key)
    return finish(runner, opened, file, code, report, as_json)


def warn_about_timing(runner: Runner, opened: OpenStudy, key: str) -> bool:
    """Print a warning if trials run in parallel and seem to measure times; return whether it was printed."""
    from casmopolitan.analysis.timing import timing_warning

    warning = timing_warning(opened.goals, key, opened.rows(runner.trials)) if runner.parallel > 1 else ""
    if warning:
        say(f"casmopolitan: {warning}")
    return bool(warning)


def run_until_done(runner: Runner, opened: OpenStudy) -> int:
    """Run to the end, with a live view in a terminal and plain lines elsewhere; return 0, or the exit code of a signal."""
    caught: list[int] = []

    def stop(number: int, _: FrameType | None) -> None:
        if caught:
            os._exit(128 + number)  # the guards of running trials notice that their owner is gone, and kill them
        caught.append(number)
        threading.Thread(target=runner.stop, daemon=True).start()

    show = _show_panel if sys.stderr.isatty() else _print_lines
    # Warnings are ignored here and not in a worker, because the filters belong to the whole process.
    with catch_signals(stop, signal.SIGINT), warnings.catch_warnings(action="ignore"):
        show(runner, opened, caught)
    return 128 + caught[0] if caught else DONE


def _show_panel(runner: Runner, opened: OpenStudy, caught: Sequence[int]) -> None:
    from rich.console import Console
    from rich.live import Live

    from casmopolitan.cli.live import View

    screen = Console(stderr=True)

    def panel() -> Panel:
        elapsed = time.monotonic() - runner.began
        view = View(opened.spec.name, opened.goals, opened.space, runner.budget, opened.rows(), elapsed, runner.evaluations)
        made = view.panel(screen.width - len(TYPED))
        made.subtitle = STOPPING if caught else None
        return made

    runner.start()
    with Live(panel(), console=screen, refresh_per_second=4, transient=False) as live:
        while runner.alive:
            runner.wait(REFRESH)
            live.update(panel())


def _print_lines(runner: Runner, opened: OpenStudy, caught: Sequence[int]) -> None:
    from casmopolitan.analysis.row import ENDED
    from casmopolitan.cli.live import progress_line

    rows: dict[int, TrialRow] = {}
    announced = False

    def print_line(row: TrialRow) -> None:
        ended = [trial for trial in runner.trials or () if trial.state.is_finished() and trial.number not in rows]
        with contextlib.suppress(CasmopolitanError):  # a database that is away for a moment must not end the run
            rows.update({one.number: one for one in opened.rows(ended) if one.state in ENDED})
        rows[row.number] = row
        say(progress_line(row, list(rows.values()), opened.goals, runner.budget))

    runner.on_end = print_line
    runner.start()
    while runner.alive:
        runner.wait(REFRESH)
        if caught and not announced:
            announced = True
            say(STOPPING)


def finish(runner: Runner, opened: OpenStudy, file: Path, code: int, report: bool, as_json: bool) -> int:
    """Write the report and print the summary of a run; return its exit code."""
    from casmopolitan.analysis.row import complete
    from casmopolitan.run.result import STOP_MESSAGES
    from casmopolitan.study.report import write_report

    rows = opened.rows()
    found = complete(rows)
    stopped = "interrupted" if code else runner.stopped
    page = None
    if report and found and not code and stopped != "storage":
        try:
            page = write_report(opened, file.with_name(f"{file.stem}-report.html"))
        except typer.Exit:
            raise
        except Exception as error:  # the values are stored, whatever the error
            why = os_message(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
            say(f"casmopolitan: the report could not be written: {why}")
    if as_json:
        data = summary(opened, rows)
        ended = {"stopped": stopped, "evaluations": runner.evaluations, "report": page, "error": runner.error or None}
        emit({**data, "budget": runner.budget, **ended})
    else:
        _print_summary(runner, opened, rows, STOP_MESSAGES[stopped], page)
        if stopped in TO_CONTINUE:
            say(TO_CONTINUE[stopped].format(file=file))
    if code:
        return code
    if stopped == "storage":
        return STORAGE
    if stopped == "exhausted":
        return EXHAUSTED if found else FAILED
    return DONE if found and stopped == "budget" else FAILED


def _print_summary(runner: Runner, opened: OpenStudy, rows: Sequence[TrialRow], why: str, page: str | None) -> None:
    from casmopolitan.analysis.row import ENDED, best_value_text, distinct, leading
    from casmopolitan.cli.front import no_best
    from casmopolitan.cli.table import print_pairs, print_trials
    from casmopolitan.goals import outcome_text

    failed = sum(row.state == "failed" for row in rows)
    ended, pruned = sum(row.counts and row.state in ENDED for row in rows), sum(row.state == "pruned" for row in rows)
    counts = "".join(f", {count} {what}" for count, what in ((failed, "failed"), (pruned, "ended early")) if count)
    say(f"{counted(ended, 'trial')}{counts}; stopped because {why}")
    if runner.error:
        say(f"casmopolitan: {runner.error}")
    elif ended and failed == ended:
        say("casmopolitan: no trial gave a value; `casmopolitan trials --output` shows their output")
    pending = sum(row.state in ("running", "asked") for row in rows)
    if pending:
        say(f"{pending} more are pending, in another run or reserved by hand")
    best = opened.best_first(rows)
    if best and not opened.goals.single:
        print_trials(console(), distinct(leading(best, opened.goals)), opened.space.names, goals=opened.goals)
    elif best:
        limited = f": {outcome_text(best[0].told)}" if opened.goals.limits else ""
        print(f"best value {best_value_text(best[0], rows)}{limited}", flush=True)
        print_pairs(console(), [(f"  {name}", value) for name, value in best[0].configuration.items()])
    elif opened.goals.limits and ended > failed:
        say(f"casmopolitan: {no_best(opened, rows)}")
    if page is not None:
        print(f"report: {page}", flush=True)
