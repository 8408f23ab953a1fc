"""Code that all commands share: the study file, exit codes, error messages, signals, output."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from casmopolitan.errors import CasmopolitanError

if TYPE_CHECKING:
    from casmopolitan.analysis.row import TrialRow
    from casmopolitan.study.file.schema import Spec
    from casmopolitan.study.trials.open import OpenStudy

DONE, FAILED, USAGE, CHANGED, STORAGE, EXHAUSTED, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 4, 5, 130, 143
"""Exit codes, explained in `docs/command-line.md`."""

StudyFile = Annotated[Path, typer.Argument(metavar="STUDY", help="The study file (TOML).", show_default=True)]
Accept = Annotated[bool, typer.Option("--accept-changes", help="Continue with a changed space or settings; no trial is lost.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

DecimalComma = Annotated[
    bool | None,
    typer.Option(
        "--decimal-comma/--decimal-point",
        help="Numbers of a CSV file: 1,5 with semicolons between cells, or 1.5 with commas. Default: as in the CSV last read.",
        show_default=False,
    ),
]

DEFAULT_FILE = Path("study.toml")


def study_argument(study: Path) -> str:
    """Return the argument that names a study file; empty for the default file."""
    return "" if study == DEFAULT_FILE else f" {shlex.quote(str(study))}"


def console() -> Console:
    """Return standard output as a rich console; lines are cut only at the width of a terminal."""
    return Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else 200, soft_wrap=not sys.stdout.isatty())


def say(text: str) -> None:
    """Print a line on standard error; ignore it if that fails."""
    with contextlib.suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)


def emit(data: Any) -> None:
    """Print data as JSON on standard output."""
    put(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False, default=str) + "\n")


def put(text: str) -> None:
    """Write text to standard output as UTF-8, whatever the encoding of the terminal."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
    else:
        sys.stdout.write(text)
    sys.stdout.flush()


def check_format(output: Path, *formats: str) -> None:
    """End the command if the name of a file does not end in one of the formats; check that workbooks can be written."""
    from casmopolitan.spreadsheet.workbook import ensure_installed

    if output.suffix.lower() not in ("", ".txt", *formats):
        say(f"casmopolitan: {output} has an unknown format; give the file a name that ends in {' or '.join(formats)}")
        raise typer.Exit(USAGE)
    if output.suffix.lower() == ".xlsx":
        ensure_installed()


@contextmanager
def exit_codes() -> Iterator[None]:
    """Turn errors into one message and an exit code; set CASMOPOLITAN_DEBUG=1 to see tracebacks of unexpected ones."""
    from casmopolitan.study.file.diff import ChangedError
    from casmopolitan.study.file.load import SpecError
    from casmopolitan.study.storage.retry import StorageError

    def end(number: int, _: FrameType | None) -> None:
        raise typer.Exit(128 + number)

    try:
        with catch_signals(end):
            yield
    except SpecError as error:
        code, text = USAGE, str(error)
    except ChangedError as error:
        code, text = CHANGED, str(error)
    except StorageError as error:
        code, text = STORAGE, str(error)
    except CasmopolitanError as error:
        code, text = FAILED, str(error)
    except BrokenPipeError:
        sys.stderr.close()
        raise typer.Exit(DONE) from None
    except OSError as error:
        code, text = FAILED, os_message(error)
    except (typer.Exit, typer.Abort):
        raise
    except Exception as error:
        code = FAILED
        text = f"{type(error).__name__}: {error}. This is a bug; CASMOPOLITAN_DEBUG=1 shows the traceback"
        if os.environ.get("CASMOPOLITAN_DEBUG"):
            raise
    else:
        return
    say(f"casmopolitan: {text}")
    raise typer.Exit(code)


@contextmanager
def catch_signals(handler: Callable[[int, FrameType | None], None], *others: int) -> Iterator[None]:
    """Call a handler for SIGTERM, SIGHUP and `others`, but not for a SIGHUP that is ignored, as with nohup."""
    numbers = [*others, signal.SIGTERM]
    hangup = getattr(signal, "SIGHUP", None)
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:
        numbers.append(hangup)
    if threading.current_thread() is not threading.main_thread():
        numbers = []
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)


def os_message(error: OSError) -> str:
    """Return an error of the operating system in one line."""
    what = error.strerror or str(error)
    return f"{error.filename}: {what}" if error.filename is not None else what


def read_spec(file: Path, *, whole: bool = True) -> Spec:
    """Read a study file; `whole` also checks the files and folders that trials need."""
    from casmopolitan.study.file.load import load

    return load(file, whole=whole)


def open_file(file: Path, *, create: bool = False) -> OpenStudy:
    """Open the study of a file to inspect it, or to run experiments by hand."""
    from casmopolitan.study.trials.open import open_recorded, open_spec

    spec = read_spec(file, whole=False)
    if create:
        return open_spec(spec, create=True)
    found, differences = open_recorded(spec)
    if differences:
        changes = "\n  ".join(differences)
        say(f"{file} has changed; study {spec.name!r} is shown with the space and settings in the database:\n  {changes}")
    return found


def open_or_create(spec: Spec, accept: bool, heartbeat: int | None = None) -> OpenStudy:
    """Open the study of a file, or create it; if the file has changed and `accept` is set, record the changes."""
    from casmopolitan.study.file.diff import ChangedError
    from casmopolitan.study.trials.open import accept_changes, open_spec

    try:
        return open_spec(spec, create=True, heartbeat=heartbeat)
    except ChangedError:
        if not accept:
            raise
    study, differences = accept_changes(spec, heartbeat)
    if differences:
        changes = "\n  ".join(differences)
        say(f"changes of study {spec.name!r} accepted:\n  {changes}")
    outside = [str(row.number) for row in study.rows() if row.outside]
    if outside:
        say(f"outside the current space, kept but not used by the model: trial {', '.join(outside)}")
    return study


def make_ready(study: OpenStudy) -> None:
    """Prepare the next trial: record known results, queue initial configurations, release stale trials."""
    from casmopolitan.study.liveness import release_stale_trials
    from casmopolitan.study.trials.known import add_known_of_file, cancel_misfits, enqueue_initial

    for one in add_known_of_file(study):
        say(f"known: {one.with_advice('the study keeps its value, and `casmopolitan tell --replace` corrects it')}")
    enqueue_initial(study)
    stale = release_stale_trials(study.study)
    if stale:
        say(f"released {', '.join(f'trial {n}' for n in stale)}, left by a run that was killed; they are tried again")
    misfits = cancel_misfits(study) if study.was_changed else []
    if misfits:
        say(f"cancelled {', '.join(f'trial {n}' for n in misfits)}: queued with values outside the current space")


def past_summary(study: OpenStudy) -> dict[str, Any]:
    """Return the earlier studies, as data for JSON: how many trials the model uses, and why it does not use the others."""
    return {one.name: {"trials": len(one.trials), "left_out": list(one.left_out)} for one in study.spec.past_studies}


def summary(study: OpenStudy, rows: Sequence[TrialRow]) -> dict[str, Any]:
    """Return the progress of a study, as data for JSON."""
    from casmopolitan.cli.front import front_summary
    from casmopolitan.study.storage.url import redacted
    from casmopolitan.study.trials.export import goals_of

    states = ("complete", "failed", "pruned", "running", "asked", "waiting", "cancelled")
    best = study.best_first(rows)
    regions = [row.explanation["region"] for row in rows if row.explanation.get("region") is not None]
    return {
        "study": study.spec.name,
        **goals_of(study.goals),
        "storage": redacted(study.url),
        "budget": study.spec.budget,
        "counted": sum(row.counts for row in rows),
        "known": sum(row.known for row in rows),
        **({"past": past} if (past := past_summary(study)) else {}),
        **{state: sum(row.state == state for row in rows) for state in states},
        "restarts": max(regions, default=0),
        **({"feasible": sum(row.feasible is True for row in rows)} if study.goals.limits else {}),
        **({"best": best[0].to_dict() if best else None} if study.goals.single else front_summary(study.goals, best)),
    }
